import { gzipSync } from "node:zlib";
import { isRecord, own } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import type { ActionOutput, ItemId } from "../../plugins/index.ts";
import { type Store, storedJson } from "../../store/index.ts";

/** What is kept of an action that began an operation: enough to go on without calling it again. */
export interface Begun<S> {
  readonly operation: S;
  /** The item as the action gave it back; absent when it stayed as it was. */
  readonly item?: string;
  readonly additionalItems: readonly ItemId[];
}

/** As stored lists may be, see there; a file holds the operations of one moment. */
const limits = { packedBytes: 64 << 20, bytes: 256 << 20, values: 20_000_000, depth: 600 };

/**
 * Operations that were begun, in the bucket before anything else happens: after a kill the next operator finds them, follows
 * them and begins none twice. A file for each moment in which some began, so that the cost is that of the operations alone.
 */
export class Journal<S> {
  readonly #store: Store;
  readonly #folder: string;
  readonly #read: (operations: readonly unknown[], file: string) => readonly S[];
  /** What waits to be written: bounded by the calls to plugins under way. */
  #waiting: Begun<S>[] = [];
  #writing: Promise<void> = Promise.resolve();
  #next = 0;

  /** `folder` belongs to this run alone and ends in "/". */
  constructor(
    store: Store,
    folder: string,
    read: (operations: readonly unknown[], file: string) => readonly S[],
  ) {
    this.#store = store;
    this.#folder = folder;
    this.#read = read;
  }

  /** What earlier processes began. */
  async recall(signal: AbortSignal): Promise<readonly Begun<S>[]> {
    const begun: Begun<S>[] = [];
    for await (const entry of this.#store.list(this.#folder, {}, signal)) {
      if (!("object" in entry)) continue;
      const { key } = entry.object;
      const list = await storedJson(this.#store, key, { limits, packed: true }, signal);
      if (!Array.isArray(list)) throw invalid(key, "it is no list");
      begun.push(...list.map((one) => this.#entry(one, key)));
      this.#next += 1;
    }
    return begun;
  }

  /** Returns when the operation is written down. */
  note(begun: Begun<S>, signal: AbortSignal): Promise<void> {
    this.#waiting.push(begun);
    // Whoever wrote before hears of its own failure; what it could not write is tried again here.
    const turn = this.#writing.catch(() => undefined).then(() => this.#write(signal));
    this.#writing = turn;
    return turn;
  }

  /** The run is over and has stored what it knows. */
  async forget(signal: AbortSignal): Promise<void> {
    if (this.#next > 0) await this.#store.deletePrefix(this.#folder, signal);
  }

  async #write(signal: AbortSignal): Promise<void> {
    const some = this.#waiting;
    if (some.length === 0) return;
    this.#waiting = [];
    this.#next += 1;
    const key = `${this.#folder}${String(this.#next).padStart(6, "0")}.json.gz`;
    try {
      await this.#store.put(key, gzipSync(JSON.stringify(some)), signal);
    } catch (error) {
      this.#waiting = [...some, ...this.#waiting];
      throw error;
    }
  }

  #entry(value: unknown, file: string): Begun<S> {
    if (!isRecord(value)) throw invalid(file, "it holds something that is no operation");
    const [operation] = this.#read([own(value, "operation")], file);
    const item = own(value, "item");
    const ids = own(value, "additionalItems");
    if (operation === undefined || (item !== undefined && typeof item !== "string") || !Array.isArray(ids))
      throw invalid(file, "it holds something that is no operation");
    return { operation, ...(item !== undefined && { item }), additionalItems: ids.map(itemId) };
  }
}

/** What an action gave back when it began an operation. */
export function outputOf(begun: Begun<unknown>): Pick<ActionOutput, "item" | "additionalItems"> {
  const { item, additionalItems } = begun;
  return { ...(item !== undefined && { item: Buffer.from(item) }), additionalItems };
}

function itemId(value: unknown): ItemId {
  const given = isRecord(value) ? value : {};
  const text = (name: string) => {
    const found = own(given, name);
    return typeof found === "string" ? found : "";
  };
  return {
    group: text("group"),
    resource: text("resource"),
    namespace: text("namespace"),
    name: text("name"),
  };
}

function invalid(file: string, why: string): AppError {
  return new AppError("STORED_INVALID", `stored file "${file}": ${why}`, { retry: false });
}
