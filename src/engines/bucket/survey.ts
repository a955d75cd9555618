import { readStoredBackup, type StoredBackup } from "../../api/index.ts";
import { moverKinds } from "../../movers/index.ts";
import { backupKey, backupNames, type Store, storedMetadata } from "../../store/index.ts";
import { attempt, type BackupFacts, type Read, readBackup } from "./facts.ts";
import { type Folder, folders, isBackupName } from "./folder.ts";
import { inLanes } from "./in-lanes.ts";
import { type BackupReport, judge } from "./judge.ts";
import type { KnownRepositories } from "./volumes.ts";

/** Metadata that is read at a time: a small file each. */
const lanes = 8;

/** The metadata of every backup of a bucket. Holds one for each lane. */
export async function* surveyBackups(
  store: Store,
  signal: AbortSignal,
): AsyncGenerator<{ readonly name: string; readonly metadata: Read<StoredBackup> }> {
  yield* inLanes(named(store, signal), lanes, async (name) => ({
    name,
    metadata: await metadataOf(store, name, signal),
  }));
}

/** The repositories that a bucket has, by name alone: none is opened. */
export async function surveyRepositories(store: Store, signal: AbortSignal): Promise<KnownRepositories> {
  const names = new Set<string>();
  for (const kind of moverKinds) {
    for await (const entry of store.list(`${kind}/`, { delimiter: "/" }, signal)) {
      if ("prefix" in entry) names.add(entry.prefix.slice(0, -1));
    }
  }
  return { isThere: (name) => names.has(name), hasSnapshot: () => undefined };
}

/** Everything about one backup, without its archive; undefined when it is gone. */
export async function surveyBackup(
  store: Store,
  name: string,
  known: KnownRepositories,
  nowMs: number,
  signal: AbortSignal,
): Promise<{ readonly facts: BackupFacts; readonly report: BackupReport } | undefined> {
  let folder: Folder | undefined;
  for await (const one of folders(store.list(`backups/${name}/`, {}, signal), "backups/")) folder = one;
  if (!folder) return undefined;
  const facts = await readBackup(folder, { store }, signal);
  return { facts, report: judge(facts, known, nowMs) };
}

async function* named(store: Store, signal: AbortSignal): AsyncGenerator<string> {
  for await (const name of backupNames(store, signal)) if (isBackupName(name)) yield name;
}

async function metadataOf(store: Store, name: string, signal: AbortSignal): Promise<Read<StoredBackup>> {
  const stored = await attempt(() => storedMetadata(store, name, signal), signal);
  if (stored.is !== "read") return stored;
  if (stored.value === undefined) return { is: "absent" };
  const { value } = stored;
  return attempt(async () => readStoredBackup(value, backupKey(name, "metadata"), name), signal);
}
