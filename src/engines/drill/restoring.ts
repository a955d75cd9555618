import {
  type Backup,
  type BackupStorageLocation,
  cancelAnnotation,
  type DataDownload,
  isRecord,
  type PodVolumeBackup,
  type PodVolumeRestore,
  parseGoDurationMs,
  type Restore,
  readStoredPodVolumeBackups,
  veleroNames,
} from "../../api/index.ts";
import { isRunEnded, readRoot } from "../../kinds/index.ts";
import { builtIn, labelValue, type Outcome } from "../../kube/index.ts";
import { backupKey, restoreKey, type Store, storedJson, storedList } from "../../store/index.ts";
import { type Failure, itemFailures, runFailure, type StoredErrors, unstored } from "./blame.ts";
import type { Desk, DrillStatus, StepsSeen } from "./desk.ts";
import { ignoreNotFound, resources } from "./resources.ts";
import { toCleanUp } from "./to-clean-up.ts";
import { type ClaimFacts, type VolumeVerdict, volumeVerdicts } from "./volumes.ts";

const limits = { packedBytes: 4 * 1024 ** 2, bytes: 32 * 1024 ** 2, values: 200_000, depth: 8 };
const pollMs = 1_000;
const fourHoursMs = 4 * 3_600_000;
/** At most so many checks are kept in a status, the failed ones first; the counts are exact. */
const keptChecks = 200;

/** Follows the Restore to its end, and then looks what came back. */
export async function restoring(desk: Desk, signal: AbortSignal): Promise<Outcome> {
  const { client, namespace, clock } = desk.deps;
  const { restoreName = "", result = {} } = desk.status;
  const restore = await client
    .get<Restore>(resources.restores, restoreName, { namespace }, signal)
    .catch(ignoreNotFound);
  if (!restore || restore.metadata.deletionTimestamp) {
    const message = `restore "${restoreName}" was deleted while it ran`;
    return toCleanUp(desk, "restore", [{ part: "drill", reason: "RestoreGone", message }]);
  }
  const labelSelector = `${veleroNames.restoreName}=${labelValue(restoreName)}`;
  const copies = await client.list<PodVolumeRestore>(
    resources.podVolumeRestores,
    { namespace, labelSelector },
    signal,
  );
  const downloads = await client.list<DataDownload>(
    resources.dataDownloads,
    { namespace, labelSelector },
    signal,
  );
  // Items of a list come without their type.
  const volumes = [
    ...copies.map((one) => ({ ...one, kind: "PodVolumeRestore" as const })),
    ...downloads.map((one) => ({ ...one, kind: "DataDownload" as const })),
  ];
  const seen = readRoot(restore, volumes);
  if (!isRunEnded(restore.status)) {
    desk.tell({ restore: seen });
    if (result.objectsSeconds === undefined && hasAllObjects(restore)) {
      const from = startOf(restore);
      if (from !== undefined)
        await desk.put({ result: { ...result, objectsSeconds: seconds(from, clock.now()) } });
    }
    return overdue(desk, restore, signal);
  }
  return judge(desk, { restore, copies, downloads, seen }, signal);
}

interface Ended {
  readonly restore: Restore;
  readonly copies: readonly PodVolumeRestore[];
  readonly downloads: readonly DataDownload[];
  readonly seen: ReturnType<typeof readRoot>;
}

async function judge(
  desk: Desk,
  { restore, copies, downloads, seen }: Ended,
  signal: AbortSignal,
): Promise<Outcome> {
  const { clock } = desk.deps;
  const failed = runFailure(restore);
  const { state = "failed" } = seen;
  const restored = { ...seen, finishedAt: seen.finishedAt ?? clock.now() };
  if (failed) {
    const ended = { ...restored, state, message: failed.message, errors: 1 };
    return toCleanUp(desk, "restore", [failed], {}, { restore: ended });
  }
  const store = await openStore(desk, signal);
  const verdicts = volumeVerdicts({
    ...(await stored(desk, store, signal)),
    restores: copies,
    downloads,
    target: (source) => desk.status.namespaces?.find((one) => one.source === source)?.target,
  });
  const volumes = verdicts.flatMap(({ failure }) => failure ?? []);
  const errors = await readErrors(store, restore.metadata.name, signal);
  const failures = [
    ...volumes,
    ...itemFailures(errors, volumes),
    ...unexplained(restore, volumes, errors),
    ...unstored(await backupOf(desk, signal)),
  ];
  const changes = measured(desk, restore, verdicts);
  const now = clock.now();
  const steps: StepsSeen = {
    restore: restored,
    volumes: {
      state: volumes.length > 0 ? "failed" : verdicts.length > 0 ? "completed" : "skipped",
      startedAt: now,
      finishedAt: now,
      errors: volumes.length,
      ...(volumes[0] && { message: volumes[0].message }),
    },
  };
  // A pod whose volume did not come back cannot become ready: that would be blamed on the wrong part.
  if (failures.length > 0) return toCleanUp(desk, undefined, failures, changes, steps);
  await desk.put(
    { ...changes, phase: "Checking" },
    { ...steps, ready: { state: "running", startedAt: now } },
  );
  return { againAfterMs: 0 };
}

function backupOf({ deps, status }: Desk, signal: AbortSignal): Promise<Backup> {
  const { client, namespace } = deps;
  return client.get<Backup>(resources.backups, status.backupName ?? "", { namespace }, signal);
}

/** Errors that neither a volume nor the results tell must not be lost. */
function unexplained(
  { metadata, status }: Restore,
  volumes: readonly Failure[],
  errors: StoredErrors,
): Failure[] {
  const count = status?.errors ?? 0;
  const isTold = volumes.length > 0 || Object.keys(errors).length > 0;
  if (isTold || (count === 0 && status?.phase === "Completed")) return [];
  const message = `the restore ended as ${status?.phase ?? ""} with ${count} errors`;
  return [{ part: "backup", reason: "ObjectNotRestored", object: `restore ${metadata.name}`, message }];
}

function measured({ status, deps }: Desk, restore: Restore, verdicts: readonly VolumeVerdict[]): DrillStatus {
  const { result = {} } = status;
  const [from, to] = [
    startOf(restore),
    Date.parse(restore.status?.completionTimestamp ?? "") || deps.clock.now(),
  ];
  const whole = from === undefined ? 0 : seconds(from, to);
  const objectsSeconds = Math.min(whole, result.objectsSeconds ?? whole);
  const sum = (pick: (one: VolumeVerdict) => number | undefined) =>
    verdicts.reduce((all, one) => all + (pick(one) ?? 0), 0);
  const { totalItems, itemsRestored } = restore.status?.progress ?? {};
  const checks = verdicts
    .toSorted((a, b) => Number(a.proved) - Number(b.proved))
    .slice(0, keptChecks)
    .map(({ namespace, name, proved, message }) => ({
      name,
      kind: "volume" as const,
      namespace,
      result: proved ? ("Passed" as const) : ("Failed" as const),
      message: message.slice(0, 500),
    }));
  return {
    checks,
    result: {
      ...result,
      objectsSeconds,
      volumesSeconds: round(whole - objectsSeconds),
      ...(totalItems !== undefined && { items: totalItems }),
      ...(itemsRestored !== undefined && { itemsRestored }),
      volumes: verdicts.length,
      volumesProved: verdicts.filter(({ proved }) => proved).length,
      bytes: sum(({ bytes }) => bytes),
      bytesRestored: sum(({ restored }) => restored),
    },
  };
}

async function overdue(
  { deps, drill, status }: Desk,
  restore: Restore,
  signal: AbortSignal,
): Promise<Outcome> {
  const limitMs = parseGoDurationMs(drill.spec?.restoreTimeout ?? "") ?? fourHoursMs;
  const since = Date.parse(status.startTimestamp ?? "");
  if (deps.clock.now() - since < limitMs || restore.metadata.annotations?.[cancelAnnotation] === "true") {
    return { againAfterMs: pollMs };
  }
  const body = { metadata: { annotations: { [cancelAnnotation]: "true" } } };
  const place = { namespace: deps.namespace };
  await deps.client.patch(resources.restores, restore.metadata.name, { type: "merge", body }, place, signal);
  return { againAfterMs: pollMs };
}

async function openStore({ deps, status }: Desk, signal: AbortSignal): Promise<Store> {
  const { client, namespace } = deps;
  const backup = await client.get<Backup>(resources.backups, status.backupName ?? "", { namespace }, signal);
  const place = backup.spec?.storageLocation ?? "";
  const location = await client.get<BackupStorageLocation>(resources.locations, place, { namespace }, signal);
  return deps.openStore(location, signal);
}

/** What the backup says of its volumes, and the claims of the copy. */
async function stored({ deps, drill, status }: Desk, store: Store, signal: AbortSignal) {
  const { client, namespace } = deps;
  const name = status.backupName ?? "";
  const labelSelector = `${veleroNames.backupName}=${labelValue(name)}`;
  const live = await client.list<PodVolumeBackup>(
    resources.podVolumeBackups,
    { namespace, labelSelector },
    signal,
  );
  const kept = live.length > 0 ? [] : await storedList(store, name, "podVolumeBackups", signal);
  const backups =
    live.length > 0 ? live : readStoredPodVolumeBackups(kept, backupKey(name, "podVolumeBackups"));
  const infos = await storedList(store, name, "volumeInfo", signal);
  const actor = deps.actorOf(drill);
  const claims: ClaimFacts[] = [];
  if (infos.length > 0 && !("fault" in actor)) {
    for (const { target } of status.namespaces ?? []) {
      claims.push(...(await actor.list(builtIn.claims, { namespace: target }, signal)));
    }
  }
  return { backups, infos, claims };
}

/** The errors that the restore stored; a file that is not there has none to tell. */
async function readErrors(store: Store, restore: string, signal: AbortSignal): Promise<StoredErrors> {
  const key = restoreKey(restore, "results");
  if ((await store.head(key, signal)) === undefined) return {};
  const value = await storedJson(store, key, { limits, packed: true }, signal);
  const errors = isRecord(value) && isRecord(value["errors"]) ? value["errors"] : {};
  const texts = (list: unknown) => (Array.isArray(list) ? list.filter((one) => typeof one === "string") : []);
  const spaces = isRecord(errors["namespaces"]) ? errors["namespaces"] : {};
  const [velero, cluster] = [texts(errors["velero"]), texts(errors["cluster"])];
  return {
    ...(velero.length > 0 && { velero }),
    ...(cluster.length > 0 && { cluster }),
    ...(Object.keys(spaces).length > 0 && {
      namespaces: Object.fromEntries(Object.entries(spaces).map(([name, list]) => [name, texts(list)])),
    }),
  };
}

function hasAllObjects({ status }: Restore): boolean {
  const { totalItems = 0, itemsRestored = 0 } = status?.progress ?? {};
  return totalItems > 0 && itemsRestored >= totalItems;
}

function startOf({ status }: Restore): number | undefined {
  const at = Date.parse(status?.startTimestamp ?? "");
  return Number.isNaN(at) ? undefined : at;
}

function seconds(fromMs: number, toMs: number): number {
  return round(Math.max(0, toMs - fromMs) / 1000);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
