import type { Backup, KubeObject } from "../api/index.ts";
import { errandOf, type RootObject } from "../kinds/index.ts";
import {
  builtIn,
  type Client,
  type Clock,
  isAlreadyExists,
  isNotFound,
  type Resource,
  systemClock,
} from "../kube/index.ts";
import type { Tracked } from "../progress/index.ts";
import {
  type HistoryBook,
  historyKey,
  historyKeys,
  type Lessons,
  learnBook,
  maxBookChars,
  volumeKey,
  volumesIn,
} from "./history.ts";
import { type HistoryParcel, packed, readBook, unpacked } from "./history-parcel.ts";

/** What a shelf needs. */
export interface HistoryShelfOptions {
  readonly client: Pick<Client, "get" | "create" | "patch">;
  /** Where the ConfigMap is. */
  readonly namespace: string;
  readonly clock?: Clock;
  /** A history that cannot be kept costs estimates, nothing else: it is told here. */
  readonly onError?: (error: unknown) => void;
}

const configMaps: Resource = builtIn.configMaps;
/** The ConfigMap with what finished runs taught. */
const historyName = "headway-history";
const maxBooks = 400;
/** The API server refuses objects beyond 1 MiB. */
const maxChars = 900_000;
/** Several runs that end together cost one write. */
const saveAfterMs = 2_000;

type Stored = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/**
 * The lessons of finished runs, by what was run, kept in one ConfigMap. Bounded: 400 books, 32 kB each, 900 kB in
 * all; the one that was not added to for the longest time goes first.
 */
export class HistoryShelf {
  readonly #options: HistoryShelfOptions;
  readonly #clock: Clock;
  readonly #books = new Map<string, HistoryBook>();
  /** Keys whose stored text is out of date. */
  readonly #changed = new Set<string>();
  #cancelSave: (() => void) | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: HistoryShelfOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Reads what earlier processes learned; text that is not understood is left out. */
  async load(signal?: AbortSignal): Promise<void> {
    try {
      const place = { namespace: this.#options.namespace };
      const { data = {} } = await this.#options.client.get<Stored>(configMaps, historyName, place, signal);
      for (const [key, text] of Object.entries(data)) {
        const book = readText(text);
        if (book) this.#books.set(key, book);
      }
    } catch (error) {
      if (!isNotFound(error) && !signal?.aborted) this.#options.onError?.(error);
    }
  }

  /** What is known of runs like this object's, and of the volumes it may turn out to have. */
  book(object: RootObject): Lessons {
    const found = this.#found(object) ?? this.#rehearsal(object) ?? { version: 2 as const, at: 0, parts: {} };
    return { ...found, volume: (part) => this.#books.get(volumeKey(part))?.parts[""] };
  }

  #found(object: RootObject): HistoryBook | undefined {
    for (const key of historyKeys(object)) {
      const book = this.#books.get(key);
      if (book) return book;
    }
    return undefined;
  }

  /** What is worth storing beside a backup. */
  parcel(backup: Backup, tracked: Tracked | undefined): HistoryParcel | undefined {
    return packed(this.#books, backup, tracked);
  }

  /** Takes what lies beside a backup, where nothing of our own is known; what comes from elsewhere is never preferred. */
  adopt(backup: Backup, parcel: HistoryParcel): void {
    for (const [key, book] of unpacked(parcel, backup)) if (!this.#books.has(key)) this.#set(key, book);
  }

  /** Stage runs of a plan copy the same volumes as its final run: their steps teach, their whole does not. */
  #rehearsal(object: RootObject): HistoryBook | undefined {
    if (object.kind !== "MigMigration" || errandOf(object) !== "final") return undefined;
    const staged = this.#books.get(historyKey({ ...object, spec: { ...object.spec, stage: true } }));
    if (!staged) return undefined;
    const { "": _whole, ...parts } = staged.parts;
    return { ...staged, parts };
  }

  /** Learns from a run that is over: of the whole under each of its keys, and of each volume on its own. */
  learn(object: RootObject, tracked: Tracked): void {
    for (const key of historyKeys(object)) this.#learn(key, tracked);
    for (const [key, { operation, memory }] of volumesIn(tracked))
      this.#learn(key, { operation: { ...operation, children: [] }, memory: { ...memory, children: [] } });
  }

  #learn(key: string, tracked: Tracked): void {
    const book = learnBook(this.#books.get(key), tracked, this.#clock.now());
    if (book && book !== this.#books.get(key)) this.#set(key, book);
  }

  #set(key: string, book: HistoryBook): void {
    this.#books.set(key, book);
    this.#changed.add(key);
    for (const dropped of overflow(this.#books)) {
      this.#books.delete(dropped);
      this.#changed.add(dropped);
    }
    this.#cancelSave ??= this.#clock.after(saveAfterMs, () => void this.save());
  }

  /** Writes what changed, now. */
  async save(signal?: AbortSignal): Promise<void> {
    this.#cancelSave?.();
    this.#cancelSave = undefined;
    this.#saving = this.#saving.then(() => this.#write(signal));
    await this.#saving;
  }

  /** Stops the timer; what was not saved is lost. */
  close(): void {
    this.#cancelSave?.();
    this.#cancelSave = undefined;
  }

  async #write(signal: AbortSignal | undefined): Promise<void> {
    const keys = [...this.#changed];
    if (keys.length === 0) return;
    this.#changed.clear();
    try {
      await this.#put(keys, signal);
    } catch (error) {
      // The next lesson takes them along.
      for (const key of keys) this.#changed.add(key);
      this.#options.onError?.(error);
    }
  }

  async #put(keys: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const { client, namespace } = this.#options;
    const data = Object.fromEntries(
      keys.map((key) => {
        const book = this.#books.get(key);
        return [key, book ? JSON.stringify(book) : null];
      }),
    );
    const patch = () =>
      client.patch(configMaps, historyName, { type: "merge", body: { data } }, { namespace }, signal);
    try {
      await patch();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const full = Object.fromEntries([...this.#books].map(([key, book]) => [key, JSON.stringify(book)]));
      const metadata = { name: historyName, namespace };
      const map = { apiVersion: "v1", kind: "ConfigMap", metadata, data: full };
      await client.create(configMaps, map, { namespace }, signal).catch((second: unknown) => {
        if (!isAlreadyExists(second)) throw second;
        return patch();
      });
    }
  }
}

/** The keys to drop so that the rest fits. */
export function overflow(books: ReadonlyMap<string, HistoryBook>): readonly string[] {
  const newestFirst = [...books].toSorted(([, a], [, b]) => b.at - a.at);
  let chars = 0;
  return newestFirst.flatMap(([key, book], i) => {
    chars += key.length + JSON.stringify(book).length;
    return i >= maxBooks || chars > maxChars ? [key] : [];
  });
}

/** Text that is not a book is as good as absent. */
function readText(text: string): HistoryBook | undefined {
  if (text.length > maxBookChars) return undefined;
  try {
    return readBook(JSON.parse(text));
  } catch {
    return undefined; // not JSON
  }
}
