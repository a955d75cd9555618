import { rm } from "node:fs/promises";
import { archiveEntryName, formatEntry, formatVersion } from "../../api/index.ts";
import { entriesWithout } from "./rewrite-tar.ts";
import { GzipSpool } from "./spool.ts";
import { padding, tarEnd, tarHeader } from "./tar.ts";

/** What one archived object is. */
export interface ArchivedItem {
  readonly group: string;
  readonly plural: string;
  readonly version: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Writes a backup's tarball to a file on disk, two entries an object as readers of every age expect. */
export class ArchiveWriter {
  #path: string;
  #spool: GzipSpool;
  readonly #mtimeSeconds: number;

  constructor(path: string, nowMs: number) {
    this.#path = path;
    this.#spool = new GzipSpool(path);
    this.#mtimeSeconds = Math.floor(nowMs / 1000);
    void this.#entry(formatEntry, Buffer.from(`${formatVersion}\n`)); // a header and a line never fill a batch
  }

  /** Where the file is; another one after `replace`. */
  get path(): string {
    return this.#path;
  }

  /** Adds an object; a promise only when the caller should wait. */
  add(item: ArchivedItem, json: Uint8Array): Promise<void> | undefined {
    const [name, again] = entryNames(item);
    const wait = this.#entry(name, json);
    return wait ? wait.then(() => this.#entry(again, json)) : this.#entry(again, json);
  }

  /** Puts entries in place of those of the same names, and behind the others where there are none. */
  async replace(entries: ReadonlyMap<string, Uint8Array>): Promise<void> {
    if (entries.size === 0) return;
    const [old, path] = [this.#path, `${this.#path}.again`];
    await this.close();
    this.#path = path;
    this.#spool = new GzipSpool(path);
    for await (const piece of entriesWithout(old, (name) => entries.has(name)))
      await this.#spool.write(piece);
    for (const [name, json] of entries) await this.#entry(name, json);
    await rm(old);
  }

  /** Ends the archive; the size of the file in bytes. */
  async close(): Promise<number> {
    await this.#spool.write(tarEnd);
    return this.#spool.close();
  }

  /** Gives the file up. */
  destroy(): void {
    this.#spool.destroy();
  }

  #entry(name: string, json: Uint8Array): Promise<void> | undefined {
    return this.#spool.write(tarHeader(name, json.length, this.#mtimeSeconds), json, padding(json.length));
  }
}

/** The two entries of an object, as readers of every age expect them. */
export function entryNames({
  group,
  plural: resource,
  version,
  namespace,
  name,
}: ArchivedItem): readonly [string, string] {
  const place = { group, resource, preferred: true, name, ...(namespace !== undefined && { namespace }) };
  return [archiveEntryName(place), archiveEntryName({ ...place, version })];
}
