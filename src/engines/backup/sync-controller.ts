import { type Backup, type BackupStorageLocation, kinds } from "../../api/index.ts";
import { type Outcome, resourceOf } from "../../kube/index.ts";
import { backupNames } from "../../store/index.ts";
import { timestamp } from "./admission.ts";
import type { BackupDeps } from "./deps.ts";
import { eachObject } from "./each-object.ts";
import { Imports } from "./imports.ts";
import { syncPeriod } from "./location-words.ts";
import { Missing, type Search } from "./missing.ts";

const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);
/** How many backups of a location cannot be imported, for whoever looks at it; the operator's log says why. */
const refusedAnnotation = "headway.dev/refused-backups";

/** Brings backups that lie in a bucket into the cluster, and forgets those that are gone, until the signal fires. */
export function startSyncController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  const last = new Map<string, number>();
  const imports = new Imports(deps);
  const missing = new Missing(deps);
  return eachObject<BackupStorageLocation>(
    deps,
    kinds.BackupStorageLocation,
    async (location, all, inner): Promise<Outcome> => {
      const { name } = location.metadata;
      const { ms: periodMs } = syncPeriod(location);
      for (const known of last.keys()) {
        if (all.some(({ metadata }) => metadata.name === known)) continue;
        last.delete(known);
        missing.reset(known);
      }
      if (location.status?.phase !== "Available") missing.reset(name);
      if (periodMs === 0 || location.status?.phase !== "Available") return undefined;
      const begunMs = deps.clock.monotonic();
      const left = (last.get(name) ?? Number.NEGATIVE_INFINITY) + periodMs - begunMs;
      if (left > 0) return { againAfterMs: left };
      last.set(name, begunMs);
      await syncLocation(deps, { location, begunMs, periodMs }, { imports, missing }, inner);
      return { againAfterMs: periodMs };
    },
    signal,
  );
}

async function syncLocation(
  deps: BackupDeps,
  search: Pick<Search, "location" | "begunMs" | "periodMs">,
  { imports, missing }: { readonly imports: Imports; readonly missing: Missing },
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace } = deps;
  const { location } = search;
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
  const refused = imports.refusedOf(name);
  const annotations = {
    ...(await missing.forget({ ...search, here: here.values(), stored }, signal)),
    [refusedAnnotation]: refused === 0 ? null : String(refused),
  };
  const body = { metadata: { annotations }, status: { lastSyncedTime: timestamp(deps.clock.now()) } };
  await client.patch(locations, name, { type: "merge", body }, { namespace }, signal);
}
