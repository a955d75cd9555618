import { type Backup, type BackupStorageLocation, kinds, veleroNames } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { labelValue, resourceOf } from "../../kube/index.ts";
import {
  backupNames,
  findMarker,
  hasMarker,
  knownMarker,
  markerAnnotation,
  markerNote,
  replaced,
  type Store,
  validateLocation,
  writeMarker,
} from "../../store/index.ts";
import type { BackupDeps } from "./deps.ts";
import { type MarkerFacts, mayMakeBucket, planMarker } from "./location-plan.ts";
import { adoptAnnotation } from "./location-words.ts";

const backups = resourceOf(kinds.Backup);

/** What checking a location came to. */
export interface CheckResult {
  /** What the cluster should remember; null removes. */
  readonly annotations: Readonly<Record<string, string | null>>;
  /** What is not as it should be, though the location can be used. */
  readonly remark?: string;
}

/** Whether the store of a location is there, is the one it was, and holds nothing strange. Throws the reason when not. */
export async function checkLocation(
  deps: BackupDeps,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { name, annotations } = location.metadata;
  const known = knownMarker(location);
  const start = {
    location: name,
    known,
    backups: known ? 0 : await endedBackups(deps, name, signal),
    isReadOnly: location.spec?.accessMode === "ReadOnly",
    isAdopted: annotations?.[adoptAnnotation] === "true",
  };
  const store = await open(deps, location, mayMakeBucket({ ...start, place: "" }), signal);
  await validateLocation(store, signal);
  const isThere = known !== undefined && (await hasMarker(store, known.id, signal));
  // Two more listings are for those that are not known yet, not for every look.
  const more = isThere
    ? { found: known.id, holdsBackups: true }
    : { found: await findMarker(store, signal), holdsBackups: await holdsBackups(store, signal) };
  return settle(location, store, { ...start, ...more, isThere, place: store.place }, signal);
}

async function settle(
  location: BackupStorageLocation,
  store: Store,
  facts: MarkerFacts,
  signal: AbortSignal,
): Promise<CheckResult> {
  const step = planMarker(facts);
  const done = facts.isAdopted ? { [adoptAnnotation]: null } : {};
  switch (step.do) {
    case "keep":
      return { annotations: done };
    case "remember":
      return { annotations: { ...done, [markerAnnotation]: markerNote(location, step.id) } };
    case "pass":
      // Nothing tells this store from another one the next time: the word of whoever adopted it stays.
      return { annotations: {} };
    case "refuse":
      throw new AppError("STORE_REPLACED", wordsOf(step.why, facts));
    case "mark":
      return mark(location, store, done, signal);
  }
}

/** A store that takes no marker is used all the same, as upstream does; it is only not told from others. */
async function mark(
  location: BackupStorageLocation,
  store: Store,
  done: CheckResult["annotations"],
  signal: AbortSignal,
): Promise<CheckResult> {
  try {
    const id = await writeMarker(store, signal);
    return { annotations: { ...done, [markerAnnotation]: markerNote(location, id) } };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    signal.throwIfAborted();
    const remark = `the store cannot be marked, so another one in its place would not be noticed: ${error.message}`;
    return { annotations: {}, remark };
  }
}

function wordsOf(why: "replaced" | "empty", { location, place, known, backups: count }: MarkerFacts): string {
  if (why === "replaced") return replaced(location, place, known?.id ?? "");
  return `${place} holds no backups, but ${count} of this cluster are in location "${location}": it is not mounted, or another store. Bring the right one back, or take this one with: headway location adopt ${location}`;
}

/** The store as it is; where it is not there, and never was, its bucket is made. */
async function open(
  deps: BackupDeps,
  location: BackupStorageLocation,
  mayMake: boolean,
  signal: AbortSignal,
): Promise<Store> {
  try {
    return await deps.openStore(location, signal, "unchecked");
  } catch (error) {
    if (!mayMake || !(error instanceof AppError) || error.code !== "STORE_MISSING") throw error;
    return deps.openStore(location, signal, "new");
  }
}

async function holdsBackups(store: Store, signal: AbortSignal): Promise<boolean> {
  for await (const _name of backupNames(store, signal)) return true;
  return false;
}

async function endedBackups(
  { client, namespace }: BackupDeps,
  location: string,
  signal: AbortSignal,
): Promise<number> {
  const labelSelector = `${veleroNames.storageLocation}=${labelValue(location)}`;
  const found = await client.list<Backup>(backups, { namespace, labelSelector }, signal);
  return found.filter(({ status }) => status?.phase === "Completed" || status?.phase === "PartiallyFailed")
    .length;
}
