import { type Backup, type BackupStorageLocation, type Drill, formatTime } from "../../api/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import type { Outcome } from "../../kube/index.ts";
import { backupKey, storedJson } from "../../store/index.ts";
import type { Failure } from "./blame.ts";
import { type Contents, contentsOf } from "./contents.ts";
import type { Desk } from "./desk.ts";
import { finish } from "./finish.ts";
import { drillNames, restoreNameOf, scratchName } from "./names.ts";
import { resources } from "./resources.ts";
import { chooseBackup, specFaults } from "./validate.ts";

/** Resource lists of large backups; an object takes about forty bytes. */
const limits = { packedBytes: 64 * 1024 ** 2, bytes: 256 * 1024 ** 2, values: 4_000_000, depth: 8 };

/** Checks a new drill, chooses its backup and decides where it goes; nothing is made yet. */
export async function begin(desk: Desk, signal: AbortSignal): Promise<Outcome> {
  const { client, namespace, clock } = desk.deps;
  const spec = desk.drill.spec ?? {};
  const startTimestamp = formatTime(clock.now());
  const faults = specFaults(spec);
  if (faults.length > 0) {
    const message = faults.join("; ");
    await desk.end({
      phase: "FailedValidation",
      message,
      startTimestamp,
      completionTimestamp: startTimestamp,
    });
    return undefined;
  }
  const choice = chooseBackup(spec, {
    backups: await client.list<Backup>(resources.backups, { namespace }, signal),
    locations: await client.list<BackupStorageLocation>(resources.locations, { namespace }, signal),
  });
  if ("fault" in choice) {
    const { part, fault: message } = choice;
    return finish(
      desk,
      { startTimestamp, failures: [{ part, reason: "NothingToRestore", message }] },
      signal,
    );
  }
  const { backup, location } = choice;
  const facts = {
    startTimestamp,
    backupName: backup.metadata.name,
    backupTimestamp: backup.status?.startTimestamp ?? null,
  };
  const contents = await readContents(desk, backup, location, signal);
  if ("part" in contents) return finish(desk, { ...facts, failures: [contents] }, signal);
  await hold(desk.drill, desk, signal);
  await desk.put(
    {
      ...facts,
      phase: "Preparing",
      restoreName: restoreNameOf(desk.drill),
      namespaces: contents.namespaces.map((source) => ({ source, target: scratchName(source, desk.uid) })),
      result: { items: contents.items, ...age(facts.backupTimestamp, clock.now()) },
    },
    { prepare: { state: "running", startedAt: clock.now() } },
  );
  return { againAfterMs: 0 };
}

/** From here on the drill does not go before what it made is gone. */
async function hold({ metadata }: Drill, { deps }: Desk, signal: AbortSignal): Promise<void> {
  const finalizers = metadata.finalizers ?? [];
  if (finalizers.includes(drillNames.finalizer)) return;
  const body = { metadata: { uid: metadata.uid, finalizers: [...finalizers, drillNames.finalizer] } };
  const place = { namespace: deps.namespace };
  await deps.client.patch(resources.drills, metadata.name, { type: "merge", body }, place, signal);
}

function age(backupTimestamp: string | null, nowMs: number): { readonly rpoSeconds?: number } {
  const at = Date.parse(backupTimestamp ?? "");
  return Number.isNaN(at) ? {} : { rpoSeconds: Math.max(0, Math.round((nowMs - at) / 1000)) };
}

/** What is in the backup, or why that cannot be said. */
async function readContents(
  { deps, drill }: Desk,
  backup: Backup,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<Contents | Failure> {
  const { name } = backup.metadata;
  const key = backupKey(name, "resourceList");
  const object = `backup ${name}`;
  try {
    const store = await deps.openStore(location, signal);
    if ((await store.head(key, signal)) === undefined) {
      return { part: "backup", reason: "MissingFile", object, message: `"${key}" is not in ${store.place}` };
    }
    const list = await storedJson(store, key, { limits, packed: true }, signal);
    const contents = contentsOf(list, drill.spec?.includedNamespaces);
    if (contents.namespaces.length > 0) return contents;
    const message = "the backup holds no objects of the namespaces that are to be rehearsed";
    return { part: "backup", reason: "Empty", object, message };
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    const isDamaged = error.code === "STORED_INVALID" || error.code === "STORE_MISSING";
    return isDamaged
      ? { part: "backup", reason: "DamagedFile", object, message: messageOf(error) }
      : {
          part: "location",
          reason: "Unreachable",
          object: `location ${location.metadata.name}`,
          message: messageOf(error),
        };
  }
}
