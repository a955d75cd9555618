import { archiveEntryName, formatEntry, formatVersion } from "../../api/index.ts";
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
  readonly path: string;
  readonly #spool: GzipSpool;
  readonly #mtimeSeconds: number;

  constructor(path: string, nowMs: number) {
    this.path = path;
    this.#spool = new GzipSpool(path);
    this.#mtimeSeconds = Math.floor(nowMs / 1000);
    void this.#entry(formatEntry, Buffer.from(`${formatVersion}\n`)); // a header and a line never fill a batch
  }

  /** Adds an object; a promise only when the caller should wait. */
  add(item: ArchivedItem, json: Uint8Array): Promise<void> | undefined {
    const { group, plural: resource, version, namespace, name } = item;
    const place = { group, resource, preferred: true, name, ...(namespace !== undefined && { namespace }) };
    const wait = this.#entry(archiveEntryName(place), json);
    const again = archiveEntryName({ ...place, version });
    return wait ? wait.then(() => this.#entry(again, json)) : this.#entry(again, json);
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
