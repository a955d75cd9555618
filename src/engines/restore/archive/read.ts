import { gunzipped } from "../../../../packages/wire/index.ts";
import { type ArchiveEntry, formatEntry, groupResource, parseArchiveEntry } from "../../../api/index.ts";
import { AppError } from "../../../errors.ts";
import { type Item, parseItem } from "./item-json.ts";
import type { Spool } from "./spool.ts";
import { refused, show, TarReader } from "./tar.ts";

/** What bounds the reading of an archive. */
export interface ArchiveLimits {
  readonly fileBytes: number;
  readonly entries: number;
  /** All that may come out of the compression. */
  readonly totalBytes: number;
  /** How many bytes one compressed byte may become, once `ratioFromBytes` came out. */
  readonly ratio: number;
  readonly ratioFromBytes: number;
}

/**
 * Far above any real backup: the API server takes 3 MiB objects at most, and JSON in tar blocks shrinks 20 to 60
 * times (1,000 is what a bomb reaches). The index of `entries` items stays below 256 MiB.
 */
export const archiveLimits: ArchiveLimits = {
  fileBytes: 16 * 1024 ** 2,
  entries: 4_000_000,
  totalBytes: 64 * 1024 ** 3,
  ratio: 250,
  ratioFromBytes: 256 * 1024 ** 2,
};

/** Which items the restore needs. */
export interface Choice {
  /** Whether an item can be needed at all, told by its name: others are passed over unread. */
  keeps(entry: ArchiveEntry): boolean;
  /** Whether a kept item is itself to be restored; the rest waits to be asked for by others. */
  selects(entry: ArchiveEntry, item: Item): boolean;
}

/** An item that could not be read; the others still can. */
interface ItemFault {
  readonly entry: ArchiveEntry;
  readonly reason: string;
}

/** What an archive held. */
export interface ArchiveSummary {
  readonly version: string | undefined;
  /** Items in the spool, chosen or not. */
  readonly items: number;
  readonly faults: readonly ItemFault[];
  /** Faults beyond those listed. */
  readonly moreFaults: number;
}

/** Hands out what one needs to know while the archive is read. */
export type ArchiveProgress = (compressedBytes: number, items: number) => void;

const listedFaults = 1000;
const versions = /^1(\.\d{1,4}){0,2}\s*$/;

/** Reads a backup's archive once, from its stream, into a spool. */
export async function readArchive(
  source: AsyncIterable<Uint8Array>,
  spool: Spool,
  options: Choice & { readonly limits?: ArchiveLimits; readonly progress?: ArchiveProgress },
  signal: AbortSignal,
): Promise<ArchiveSummary> {
  const limits = options.limits ?? archiveLimits;
  const collected = new Collected(spool, options);
  const tar = new TarReader(collected, limits);
  const compressed = { bytes: 0 };
  let total = 0;
  for await (const chunk of gunzipped(counted(source, compressed), { signal, damaged })) {
    signal.throwIfAborted();
    total += chunk.length;
    if (total > limits.totalBytes) throw refused(`it holds more than ${limits.totalBytes} bytes`);
    if (total > limits.ratioFromBytes && total > limits.ratio * compressed.bytes) {
      throw refused(`${compressed.bytes} bytes became ${total}: this is a compression bomb`);
    }
    tar.push(chunk);
    await spool.flush();
    options.progress?.(compressed.bytes, spool.size);
  }
  tar.end();
  await spool.flush(true);
  return { version: collected.version, items: spool.size, ...collected.faults() };
}

/** Takes the files of the tar stream: checks names, versions and contents, and spools what is needed. */
class Collected {
  readonly #spool: Spool;
  readonly #choice: Choice;
  readonly #faults: ItemFault[] = [];
  #moreFaults = 0;
  version: string | undefined;

  constructor(spool: Spool, choice: Choice) {
    this.#spool = spool;
    this.#choice = choice;
  }

  faults(): Pick<ArchiveSummary, "faults" | "moreFaults"> {
    return { faults: this.#faults, moreFaults: this.#moreFaults };
  }

  wants(name: string, bytes: number): boolean {
    if (name === formatEntry) {
      if (bytes > 64) throw refused("its format version is no version");
      return true;
    }
    const entry = parseArchiveEntry(name);
    if (entry === undefined) throw refused(`entry ${show(name)} has a name that no backup has`);
    return entry.version === undefined && this.#choice.keeps(entry);
  }

  file(name: string, body: Uint8Array): void {
    if (name === formatEntry) return this.#readVersion(body);
    const entry = parseArchiveEntry(name);
    if (entry === undefined) return;
    const item = parseItem(body, entry);
    if (typeof item === "string") return this.#fault(entry, item);
    const key = { groupResource: groupResource(entry), namespace: entry.namespace ?? "", name: entry.name };
    const ordinal = this.#spool.add(key, body, this.#choice.selects(entry, item));
    if (ordinal === undefined) throw refused(`entry ${show(name)} occurs twice`);
  }

  #readVersion(body: Uint8Array): void {
    const text = Buffer.from(body).toString("latin1");
    if (this.version !== undefined) throw refused("it has two format versions");
    if (!versions.test(text)) {
      throw new AppError(
        "ARCHIVE_VERSION",
        `read the backup's archive: its format version is ${show(text.trim())}, this program reads 1 to 1.x`,
        { retry: false },
      );
    }
    this.version = text.trim();
  }

  #fault(entry: ArchiveEntry, reason: string): void {
    if (this.#faults.length < listedFaults) this.#faults.push({ entry, reason });
    else this.#moreFaults += 1;
  }
}

function damaged(cause: unknown): Error {
  return refused("its compression is damaged or cut", cause);
}

async function* counted(
  source: AsyncIterable<Uint8Array>,
  count: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    count.bytes += chunk.length;
    yield chunk;
  }
}
