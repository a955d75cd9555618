import { grammar } from "../../api/index.ts";
import { type BackupFile, backupKey, type Entry, type ObjectInfo } from "../../store/index.ts";
import { asideFiles } from "./aside.ts";

/** What a listing says of one folder. */
export interface Folder {
  readonly name: string;
  readonly objects: number;
  readonly bytes: number;
  /** Epoch ms of its newest object; absent where the store does not tell the time of each. */
  readonly newestMs?: number;
  /** Its objects by what follows the folder; at most `keptKeys`, the rest is only counted. */
  readonly keys: readonly ObjectInfo[];
}

/** A backup has at most fourteen files; more than this in its folder is somebody else's. */
const keptKeys = 64;

/**
 * Cuts the listing of everything below `prefix` into its folders, one after the other: listings come in the order of the keys.
 * Objects that lie in no folder are handed out under the name "". Holds one folder.
 */
export async function* folders(entries: AsyncIterable<Entry>, prefix: string): AsyncGenerator<Folder> {
  let open: Collecting | undefined;
  for await (const entry of entries) {
    if (!("object" in entry)) continue;
    const rest = entry.object.key.slice(prefix.length);
    const slash = rest.indexOf("/");
    const name = slash < 0 ? "" : rest.slice(0, slash);
    if (open && open.name !== name) {
      yield open.done();
      open = undefined;
    }
    open ??= new Collecting(name);
    open.add(entry.object);
  }
  if (open) yield open.done();
}

class Collecting {
  readonly name: string;
  #objects = 0;
  #bytes = 0;
  #newestMs = 0;
  #isDated = true;
  readonly #keys: ObjectInfo[] = [];

  constructor(name: string) {
    this.name = name;
  }

  add(object: ObjectInfo): void {
    this.#objects += 1;
    this.#bytes += object.bytes ?? 0;
    const at = object.modifiedAt?.getTime();
    if (at === undefined || !Number.isFinite(at)) this.#isDated = false;
    else this.#newestMs = Math.max(this.#newestMs, at);
    if (this.#keys.length < keptKeys) this.#keys.push(object);
  }

  done(): Folder {
    return {
      name: this.name,
      objects: this.#objects,
      bytes: this.#bytes,
      ...(this.#isDated && { newestMs: this.#newestMs }),
      keys: this.#keys,
    };
  }
}

/** The files of a backup in its folder, and what does not belong there. */
export interface BackupFiles {
  readonly known: ReadonlyMap<BackupFile, ObjectInfo>;
  /** Whether what conversions keep aside is there. */
  readonly hasAside: boolean;
  /** Objects that are no file of a backup, and the key of the first. */
  readonly strange: number;
  readonly firstStrange?: string;
}

const files: readonly BackupFile[] = [
  "metadata",
  "contents",
  "log",
  "podVolumeBackups",
  "volumeSnapshots",
  "itemOperations",
  "resourceList",
  "results",
  "volumeInfo",
  "volumePluginBackups",
  "history",
  "drill",
  "csiVolumeSnapshots",
  "csiVolumeSnapshotContents",
  "csiVolumeSnapshotClasses",
];

/** Sorts the objects of a backup's folder. */
export function backupFilesOf({ name, objects, keys }: Folder): BackupFiles {
  const byKey = new Map(files.map((file) => [backupKey(name, file), file]));
  const asides = new Set(asideFiles.map((file) => `backups/${name}/${file(name)}`));
  const known = new Map<BackupFile, ObjectInfo>();
  let hasAside = false;
  let named = 0;
  let firstStrange: string | undefined;
  for (const object of keys) {
    const file = byKey.get(object.key);
    const isAside = asides.has(object.key);
    if (file !== undefined) known.set(file, object);
    if (isAside) hasAside = true;
    if (file !== undefined || isAside) named += 1;
    else firstStrange ??= object.key;
  }
  return {
    known,
    hasAside,
    strange: objects - named,
    ...(firstStrange !== undefined && { firstStrange }),
  };
}

/** Whether a folder can be a backup's: hostile and foreign names are told and never opened. */
export function isBackupName(name: string): boolean {
  return grammar.name.fits(name);
}
