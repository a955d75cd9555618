import { type Dir, type Dirent, type Stats } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/** What one step may cost. */
export interface Budget {
  readonly entries: number;
}

/** Entries looked at before the start, to know what was there; past this the clock decides. */
const baselineEntries = 200_000;

/**
 * Measures what a restore has written into a folder so far, by walking it a piece at a time.
 *
 * A file counts when it changed after the newest file that was there before, so old data is ignored without remembering it, and a clock
 * of another machine (NFS) does no harm. Memory: one open folder per level. The value never falls: a walk that is under way is a lower bound.
 */
export class Growth {
  readonly #root: string;
  #sinceMs = -1;
  #walk: AsyncGenerator<Stats> | undefined;
  #sum = 0;
  #best = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** Notes what is there; call it before the restore begins. */
  async begin(): Promise<void> {
    let seen = 0;
    for await (const facts of files(this.#root)) {
      this.#sinceMs = Math.max(this.#sinceMs, facts.ctimeMs);
      seen += 1;
      if (seen < baselineEntries) continue;
      this.#sinceMs = Date.now();
      return;
    }
  }

  /** Goes on walking, up to the budget; returns the bytes known to have been written. */
  async step(budget: Budget): Promise<number> {
    this.#walk ??= this.#start();
    for (let left = budget.entries; left > 0; left -= 1) {
      const next = await this.#walk.next();
      if (next.done === true) {
        this.#walk = undefined;
        break;
      }
      if (next.value.ctimeMs > this.#sinceMs) this.#sum += next.value.size;
    }
    this.#best = Math.max(this.#best, this.#sum);
    return this.#best;
  }

  /** Closes the folders of a walk under way. */
  async end(): Promise<void> {
    await this.#walk?.return(undefined);
    this.#walk = undefined;
  }

  #start(): AsyncGenerator<Stats> {
    this.#sum = 0;
    return files(this.#root);
  }
}

/** Every regular file below; what vanishes or cannot be read on the way is passed over. */
async function* files(folder: string): AsyncGenerator<Stats> {
  let dir: Dir;
  try {
    dir = await opendir(folder);
  } catch {
    return; // gone or closed to us: it has nothing that we can count
  }
  try {
    for await (const entry of dir) yield* of(folder, entry);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

async function* of(folder: string, entry: Dirent): AsyncGenerator<Stats> {
  const path = join(folder, entry.name);
  if (entry.isDirectory()) yield* files(path);
  else if (entry.isFile()) {
    const facts = await lstat(path).catch(() => undefined); // vanished, or a name that is not UTF-8
    if (facts !== undefined) yield facts;
  }
}
