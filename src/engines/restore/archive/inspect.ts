import { gunzipped } from "../../../../packages/wire/index.ts";
import { formatEntry, grammar, groupResource, isRecord, parseArchiveEntry } from "../../../api/index.ts";
import { AppError } from "../../../errors.ts";
import { definitionOf, snapshotMover } from "../../../movers/index.ts";
import { type Item, parseItem } from "./item-json.ts";
import { archiveLimits } from "./read.ts";
import { refused, show, TarReader } from "./tar.ts";

/** Data of a snapshot that was moved into the repository of a namespace, as the archive remembers it. */
interface MovedData {
  readonly namespace: string;
  readonly snapshotId?: string;
}

/** What an archive holds that was read to its end. */
interface Inspected {
  /** As the archive says; older servers wrote none. */
  readonly version?: string;
  readonly items: number;
  /** Items that no restore can use, and why the first of them cannot be. */
  readonly badItems: number;
  readonly firstFault?: string;
  readonly moved: readonly MovedData[];
  /** Whether `moved` has all of them. */
  readonly movedComplete: boolean;
}

const keptMoves = 10_000;

/** Reads an archive to its end, with every limit that a restore has; ARCHIVE_INVALID when it is damaged. Holds one item at a time. */
export async function inspectArchive(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  onBytes?: (bytes: number) => void,
): Promise<Inspected> {
  const seen = new Seen();
  const tar = new TarReader(seen, archiveLimits);
  const packed = { bytes: 0 };
  let total = 0;
  const damaged = (cause: unknown) => refused("its compression is damaged or cut", cause);
  for await (const chunk of gunzipped(counted(source, packed, onBytes), { signal, damaged })) {
    signal.throwIfAborted();
    total += chunk.length;
    if (total > archiveLimits.totalBytes)
      throw refused(`it holds more than ${archiveLimits.totalBytes} bytes`);
    if (total > archiveLimits.ratioFromBytes && total > archiveLimits.ratio * packed.bytes)
      throw refused(`${packed.bytes} bytes became ${total}: this is a compression bomb`);
    tar.push(chunk);
  }
  tar.end();
  return seen.result();
}

class Seen {
  #version: string | undefined;
  #items = 0;
  #badItems = 0;
  #firstFault: string | undefined;
  readonly #moved: MovedData[] = [];
  #moves = 0;

  wants(name: string, bytes: number): boolean {
    if (name === formatEntry) return bytes <= 64;
    const entry = parseArchiveEntry(name);
    if (entry === undefined) throw refused(`entry ${show(name)} has a name that no backup has`);
    return entry.version === undefined;
  }

  file(name: string, body: Uint8Array): void {
    if (name === formatEntry) return this.#readVersion(Buffer.from(body).toString("latin1").trim());
    const entry = parseArchiveEntry(name);
    if (entry === undefined) return;
    const item = parseItem(body, entry);
    if (typeof item === "string") {
      this.#badItems += 1;
      this.#firstFault ??= `${show(name)}: ${item}`;
      return;
    }
    this.#items += 1;
    if (groupResource(entry) === "datauploads.velero.io") this.#readUpload(item);
  }

  result(): Inspected {
    return {
      ...(this.#version !== undefined && { version: this.#version }),
      items: this.#items,
      badItems: this.#badItems,
      ...(this.#firstFault !== undefined && { firstFault: this.#firstFault }),
      moved: this.#moved,
      movedComplete: this.#moves === this.#moved.length,
    };
  }

  #readVersion(text: string): void {
    if (!/^1(\.\d{1,4}){0,2}$/.test(text)) {
      const what = `read the backup's archive: its format version is ${show(text)}, this program reads 1 to 1.x`;
      throw new AppError("ARCHIVE_VERSION", what, { retry: false });
    }
    this.#version = text;
  }

  #readUpload({ spec, status }: Item): void {
    this.#moves += 1;
    const namespace = isRecord(spec) ? spec["sourceNamespace"] : undefined;
    const id = isRecord(status) ? status["snapshotID"] : undefined;
    if (typeof namespace !== "string" || !grammar.namespace.fits(namespace)) return;
    if (this.#moved.length >= keptMoves) return;
    const known = typeof id === "string" && definitionOf(snapshotMover).snapshot.fits(id);
    this.#moved.push({ namespace, ...(known && { snapshotId: id }) });
  }
}

async function* counted(
  source: AsyncIterable<Uint8Array>,
  packed: { bytes: number },
  onBytes: ((bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    packed.bytes += chunk.length;
    onBytes?.(packed.bytes);
    yield chunk;
  }
}
