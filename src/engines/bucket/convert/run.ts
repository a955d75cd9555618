import { gzipSync } from "node:zlib";
import { readStoredBackup, readStoredPodVolumeBackups } from "../../../api/index.ts";
import { isCode, messageOf } from "../../../errors.ts";
import {
  type BackupFile,
  backupFolder,
  backupKey,
  backupNames,
  type Store,
  storedList,
  storedMetadata,
} from "../../../store/index.ts";
import { originalCopies, originalInfo } from "../aside.ts";
import { isBackupName } from "../folder.ts";
import { readRecord, writeRecord } from "./record.ts";
import { type Converted, type ResticCopy, resticCopies, rewriteCopies, rewriteInfos } from "./rewrite.ts";
import { convertVolume, type OnPass, type VolumeDeps, type VolumeResult } from "./volume.ts";

/** A backup with copies that restic made. */
export interface BackupToConvert {
  readonly name: string;
  readonly copies: readonly ResticCopy[];
}

/** Why a backup is left as it is. */
interface LeftBackup {
  readonly name: string;
  readonly reason: string;
}

/** What there is to convert. Bounded by the copies of restic in a bucket: some hundred bytes each. */
export interface ConversionPlan {
  readonly backups: readonly BackupToConvert[];
  readonly left: readonly LeftBackup[];
}

const ended: readonly string[] = ["Completed", "PartiallyFailed"];

/** Finds the backups whose volumes restic copied; with names only those. */
export async function planConversion(
  store: Store,
  chosen: readonly string[],
  signal: AbortSignal,
): Promise<ConversionPlan> {
  const [backups, left]: [BackupToConvert[], LeftBackup[]] = [[], []];
  const missing = new Set(chosen);
  for await (const name of backupNames(store, signal)) {
    missing.delete(name);
    if (!isBackupName(name) || (chosen.length > 0 && !chosen.includes(name))) continue;
    try {
      const stored = await storedMetadata(store, name, signal);
      if (stored === undefined) continue;
      const { phase } = readStoredBackup(stored, backupKey(name, "metadata"), name);
      const list = await storedList(store, name, "podVolumeBackups", signal);
      const copies = resticCopies(
        name,
        readStoredPodVolumeBackups(list, backupKey(name, "podVolumeBackups")),
      );
      if (copies.length === 0) continue;
      if (ended.includes(phase)) backups.push({ name, copies });
      else left.push({ name, reason: `its phase is ${phase}` });
    } catch (error) {
      signal.throwIfAborted();
      if (!isCode(error, "STORED_INVALID")) throw error;
      left.push({ name, reason: messageOf(error) });
    }
  }
  return { backups, left: [...left, ...[...missing].map((name) => ({ name, reason: "it is not there" }))] };
}

/** Who hears what becomes of volumes and backups. */
export interface ConvertSink {
  pass(copy: ResticCopy, ...how: Parameters<OnPass>): void;
  /** `was` is true when an earlier life had done it. */
  volume(copy: ResticCopy, result: VolumeResult | Converted, was: boolean): void;
  failed(copy: ResticCopy, reason: string): void;
  backup(name: string): void;
}

/** Converts the volumes of one backup, and when all are verified its lists. False when a volume could not be converted. */
export async function convertBackup(
  deps: VolumeDeps & { readonly store: Store },
  { name, copies }: BackupToConvert,
  sink: ConvertSink,
  signal: AbortSignal,
): Promise<boolean> {
  const { store } = deps;
  const done = [...(await readRecord(store, name, signal))];
  let isWhole = true;
  for (const copy of copies) {
    const before = done.find((one) => one.copy === copy.copy && one.resticId === copy.resticId);
    if (before) {
      sink.volume(copy, before, true);
      continue;
    }
    try {
      const result = await convertVolume(deps, copy, (...how) => sink.pass(copy, ...how), signal);
      done.push(result);
      await writeRecord(store, name, done, signal);
      sink.volume(copy, result, false);
    } catch (error) {
      signal.throwIfAborted();
      isWhole = false;
      sink.failed(copy, messageOf(error));
    }
  }
  if (!isWhole) return false;
  await replaceLists(store, name, done, signal);
  sink.backup(name);
  return true;
}

/**
 * The originals go aside first, and only once: a second life finds them there. The list of copies comes last: as long as it says
 * restic, the backup is still to be converted.
 */
async function replaceLists(
  store: Store,
  name: string,
  done: readonly Converted[],
  signal: AbortSignal,
): Promise<void> {
  const replace = async (
    file: BackupFile,
    aside: string,
    rewrite: (list: readonly unknown[], done: readonly Converted[]) => readonly unknown[],
  ) => {
    const key = backupKey(name, file);
    if ((await store.head(key, signal)) === undefined) return;
    const list = await storedList(store, name, file, signal);
    const kept = `${backupFolder(name)}${aside}`;
    if ((await store.head(kept, signal)) === undefined)
      await store.put(kept, await store.get(key, signal), signal);
    await store.put(key, gzipSync(JSON.stringify(rewrite(list, done))), signal);
  };
  await replace("volumeInfo", originalInfo(name), rewriteInfos);
  await replace("podVolumeBackups", originalCopies(name), rewriteCopies);
}
