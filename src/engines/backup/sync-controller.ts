import { type Backup, type BackupStorageLocation, kinds, parseGoDurationMs } from "../../api/index.ts";
import { labelValue, type Outcome, resourceOf } from "../../kube/index.ts";
import { backupNames } from "../../store/index.ts";
import { timestamp } from "./admission.ts";
import type { BackupDeps } from "./deps.ts";
import { eachObject } from "./each-object.ts";
import { Imports } from "./imports.ts";
import { isOrphan } from "./sync-plan.ts";
import { ignoreNotFound } from "./tolerate.ts";

const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);
const minuteMs = 60_000;
/** How many backups of a location cannot be imported, for whoever looks at it; the operator's log says why. */
const refusedAnnotation = "headway.dev/refused-backups";

/** Brings backups that lie in a bucket into the cluster, and forgets those that are gone, until the signal fires. */
export function startSyncController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  const last = new Map<string, number>();
  const imports = new Imports(deps);
  return eachObject<BackupStorageLocation>(
    deps,
    kinds.BackupStorageLocation,
    async (location, _all, inner): Promise<Outcome> => {
      const { name } = location.metadata;
      const periodMs = parseGoDurationMs(location.spec?.backupSyncPeriod ?? "") ?? minuteMs;
      if (periodMs <= 0 || location.status?.phase !== "Available") return undefined;
      const before = last.get(name) ?? Number.NEGATIVE_INFINITY;
      const left = before + periodMs - deps.clock.now();
      if (left > 0) return { againAfterMs: left };
      last.set(name, deps.clock.now());
      await syncLocation(deps, location, imports, inner);
      return { againAfterMs: periodMs };
    },
    signal,
  );
}

async function syncLocation(
  deps: BackupDeps,
  location: BackupStorageLocation,
  imports: Imports,
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace } = deps;
  const { name } = location.metadata;
  const store = await deps.openStore(location, signal);
  const here = new Map(
    (await client.list<Backup>(backups, { namespace }, signal)).map((b) => [b.metadata.name, b]),
  );
  const stored = new Set<string>();
  imports.begin(name);
  for await (const backup of backupNames(store, signal)) {
    const found = { store, location: name, backup, known: here.get(backup) };
    if (await imports.bring(found, signal)) stored.add(backup);
  }
  for (const backup of here.values()) {
    if (!isOrphan(backup, labelValue(name), stored)) continue;
    const { uid } = backup.metadata;
    await client.delete(backups, backup.metadata.name, { namespace, uid }, signal).catch(ignoreNotFound);
  }
  const refused = imports.refusedOf(name);
  const annotations = { [refusedAnnotation]: refused === 0 ? null : String(refused) };
  const body = { metadata: { annotations }, status: { lastSyncedTime: timestamp(deps.clock.now()) } };
  await client.patch(locations, name, { type: "merge", body }, { namespace }, signal);
}
