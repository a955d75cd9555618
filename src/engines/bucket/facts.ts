import { gunzipped } from "../../../packages/wire/index.ts";
import {
  type PodVolumeBackup,
  readStoredBackup,
  readStoredOperations,
  readStoredPodVolumeBackups,
  type StoredBackup,
  type StoredBackupOperation,
} from "../../api/index.ts";
import { AppError, isCode, messageOf } from "../../errors.ts";
import { type BackupFile, backupKey, type Store, storedList, storedMetadata } from "../../store/index.ts";
import { type BackupFiles, backupFilesOf, type Folder } from "./folder.ts";
import { readVolumeInfos, type VolumeInfoFacts } from "./volume-infos.ts";

/** What reading a file of a backup gave. */
export type Read<T> =
  | { readonly is: "absent" }
  | { readonly is: "read"; readonly value: T }
  | { readonly is: "damaged"; readonly why: string };

/** What an archive that was read to its end holds. */
interface ArchiveFacts {
  readonly version?: string;
  readonly items: number;
  readonly badItems: number;
  readonly firstFault?: string;
  readonly moved: readonly { readonly namespace: string; readonly snapshotId?: string }[];
  readonly movedComplete: boolean;
}

/** Reads an archive to its end; ARCHIVE_INVALID or ARCHIVE_VERSION when it cannot be restored. */
export type InspectArchive = (
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
) => Promise<ArchiveFacts>;

/** All that is known of one backup before anything is concluded. */
export interface BackupFacts {
  readonly folder: Folder;
  readonly files: BackupFiles;
  readonly metadata: Read<StoredBackup>;
  readonly copies: Read<readonly PodVolumeBackup[]>;
  readonly infos: Read<readonly VolumeInfoFacts[]>;
  readonly operations: Read<readonly StoredBackupOperation[]>;
  /** How many native snapshots are listed. */
  readonly native: Read<number>;
  readonly archive:
    | Read<ArchiveFacts>
    | { readonly is: "unread" }
    | { readonly is: "version"; readonly why: string };
  /** Other files whose compression is damaged. */
  readonly damaged: readonly (readonly [BackupFile, string])[];
}

/** How a backup is read. */
export interface ReadOptions {
  readonly store: Store;
  /** Absent: archives are not opened. */
  readonly inspect?: InspectArchive | undefined;
}

/** Files whose content nobody needs here, and which are only unpacked. */
const unpacked: readonly BackupFile[] = [
  "log",
  "resourceList",
  "results",
  "csiVolumeSnapshots",
  "csiVolumeSnapshotContents",
  "csiVolumeSnapshotClasses",
  "history",
  "drill",
];

/** What may come out of the compression of one of those; upstream's logs have no limit. */
const unpackedBytes = 4 * 1024 ** 3;

/** Reads all of one backup that has to be known. Holds the lists of one backup, within the limits of the strict reader. */
export async function readBackup(
  folder: Folder,
  { store, inspect }: ReadOptions,
  signal: AbortSignal,
): Promise<BackupFacts> {
  const files = backupFilesOf(folder);
  const { name } = folder;
  const has = (file: BackupFile) => files.known.has(file);
  const list = async <T>(
    file: BackupFile,
    read: (all: readonly unknown[], key: string) => T,
  ): Promise<Read<T>> => {
    if (!has(file)) return { is: "absent" };
    return attempt(
      async () => read(await storedList(store, name, file, signal), backupKey(name, file)),
      signal,
    );
  };
  const metadata = has("metadata")
    ? await attempt(async () => {
        const stored = await storedMetadata(store, name, signal);
        return readStoredBackup(stored, backupKey(name, "metadata"), name);
      }, signal)
    : ({ is: "absent" } as const);
  const damaged: [BackupFile, string][] = [];
  for (const file of inspect ? unpacked.filter(has) : []) {
    const read = await attempt(() => unpack(store, backupKey(name, file), signal), signal);
    if (read.is === "damaged") damaged.push([file, read.why]);
  }
  return {
    folder,
    files,
    metadata,
    copies: await list("podVolumeBackups", readStoredPodVolumeBackups),
    infos: await list("volumeInfo", readVolumeInfos),
    operations: await list("itemOperations", (all, key) => readStoredOperations(all, key, "backup")),
    native: await list("volumeSnapshots", (all) => all.length),
    archive: await readContents(has("contents"), name, { store, inspect }, signal),
    damaged,
  };
}

async function readContents(
  isThere: boolean,
  name: string,
  { store, inspect }: ReadOptions,
  signal: AbortSignal,
): Promise<BackupFacts["archive"]> {
  if (!isThere) return { is: "absent" };
  if (!inspect) return { is: "unread" };
  try {
    return await attempt(async () => {
      return await inspect(await store.get(backupKey(name, "contents"), signal), signal);
    }, signal);
  } catch (error) {
    if (isCode(error, "ARCHIVE_VERSION")) return { is: "version", why: error.message };
    throw error;
  }
}

async function unpack(store: Store, key: string, signal: AbortSignal): Promise<void> {
  const limit = {
    bytes: unpackedBytes,
    tooLong: () =>
      new AppError("STORED_INVALID", `stored file "${key}": it has more than ${unpackedBytes} bytes`),
  };
  const damaged = (cause: unknown) =>
    new AppError("STORED_INVALID", `stored file "${key}": its compression is damaged or cut`, { cause });
  for await (const _chunk of gunzipped(await store.get(key, signal), { signal, damaged, limit }));
}

/** What is wrong with a file is a fact; what is wrong with the store ends the check. */
export async function attempt<T>(work: () => Promise<T>, signal: AbortSignal): Promise<Read<T>> {
  try {
    return { is: "read", value: await work() };
  } catch (error) {
    signal.throwIfAborted();
    if (isCode(error, "STORED_INVALID") || isCode(error, "ARCHIVE_INVALID")) {
      return { is: "damaged", why: messageOf(error) };
    }
    // Deleted since it was listed: a retention runs beside us.
    if (isCode(error, "STORE_MISSING")) return { is: "absent" };
    throw error;
  }
}
