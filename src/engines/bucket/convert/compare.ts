import type { BigIntStats, Dirent } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink } from "node:fs/promises";

/** What a comparison of two folders gave. */
export interface Compared {
  readonly files: number;
  readonly bytes: number;
  /** Pipes, sockets and devices: no data, and not every mover stores them. */
  readonly special: number;
  /** The first differences, with the path in each; none when the folders are equal. */
  readonly differences: readonly string[];
}

const toldAtMost = 10;
const chunkBytes = 256 * 1024;

/**
 * Compares two folders file by file: names, types, modes, owners, times of files, targets of links, and every byte. The times of
 * folders are not compared: kopia sets them before the folders in them are finished. Holds the names of one folder a level.
 */
export async function compareFolders(
  left: string,
  right: string,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Compared> {
  const comparison = new Comparison(onBytes, signal);
  await comparison.folders(Buffer.from(left), Buffer.from(right), "");
  return comparison.result();
}

class Comparison {
  readonly #onBytes: (bytes: number) => void;
  readonly #signal: AbortSignal;
  readonly #differences: string[] = [];
  #files = 0;
  #bytes = 0;
  #special = 0;

  constructor(onBytes: (bytes: number) => void, signal: AbortSignal) {
    this.#onBytes = onBytes;
    this.#signal = signal;
  }

  result(): Compared {
    return { files: this.#files, bytes: this.#bytes, special: this.#special, differences: this.#differences };
  }

  async folders(left: Buffer, right: Buffer, path: string): Promise<void> {
    const [mine, theirs] = [await names(left), await names(right)];
    for (const [key, entry] of mine) {
      this.#signal.throwIfAborted();
      if (this.#differences.length >= toldAtMost) return;
      const below = `${path}/${shownName(entry.name)}`;
      if (isSpecial(entry)) this.#special += 1;
      else if (!theirs.has(key)) this.#differ(below, "it is missing");
      else await this.#entries(joined(left, entry.name), joined(right, entry.name), below);
    }
    for (const [key, entry] of theirs) {
      if (!mine.has(key)) this.#differ(`${path}/${shownName(entry.name)}`, "it is new");
    }
  }

  async #entries(left: Buffer, right: Buffer, path: string): Promise<void> {
    const [mine, theirs] = await Promise.all([lstat(left, { bigint: true }), lstat(right, { bigint: true })]);
    const why = factsDiffer(mine, theirs);
    if (why !== undefined) return this.#differ(path, why);
    if (mine.isDirectory()) return await this.folders(left, right, path);
    this.#files += 1;
    if (mine.isSymbolicLink()) {
      const [from, to] = await Promise.all([readlink(left, "buffer"), readlink(right, "buffer")]);
      if (!from.equals(to)) this.#differ(path, "it leads elsewhere");
      return;
    }
    if (!(await this.#sameBytes(left, right))) this.#differ(path, "its content differs");
  }

  async #sameBytes(left: Buffer, right: Buffer): Promise<boolean> {
    const [mine, theirs] = [await open(left), await open(right)];
    try {
      for (;;) {
        this.#signal.throwIfAborted();
        const [a, b] = await Promise.all([filled(mine), filled(theirs)]);
        if (!a.equals(b)) return false;
        if (a.length === 0) return true;
        this.#bytes += a.length;
        this.#onBytes(this.#bytes);
      }
    } finally {
      await mine.close();
      await theirs.close();
    }
  }

  #differ(path: string, why: string): void {
    if (this.#differences.length < toldAtMost) this.#differences.push(`${path.slice(0, 300)}: ${why}`);
  }
}

async function names(folder: Buffer): Promise<Map<string, Dirent<Buffer>>> {
  const found = await readdir(folder, { withFileTypes: true, encoding: "buffer" });
  return new Map(found.map((entry) => [entry.name.toString("latin1"), entry]));
}

function joined(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from("/"), name]);
}

function isSpecial(entry: Dirent<Buffer>): boolean {
  return !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink();
}

function shownName(name: Buffer): string {
  return JSON.stringify(name.toString("utf8")).slice(1, -1);
}

function factsDiffer(a: BigIntStats, b: BigIntStats): string | undefined {
  const type = ({ mode }: BigIntStats) => mode & 0o170000n;
  if (type(a) !== type(b)) return "it is of another type";
  if (a.uid !== b.uid || a.gid !== b.gid) return `its owner is ${b.uid}:${b.gid}, not ${a.uid}:${a.gid}`;
  if (a.isSymbolicLink()) return undefined;
  if (a.mode !== b.mode) return `its mode is ${octal(b)}, not ${octal(a)}`;
  if (a.isDirectory()) return undefined;
  if (a.size !== b.size) return `it has ${b.size} bytes, not ${a.size}`;
  return a.mtimeNs === b.mtimeNs ? undefined : "its time differs";
}

function octal({ mode }: BigIntStats): string {
  return (mode & 0o7777n).toString(8);
}

async function filled(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let at = 0;
  while (at < buffer.length) {
    const { bytesRead } = await file.read(buffer, at, buffer.length - at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return buffer.subarray(0, at);
}
