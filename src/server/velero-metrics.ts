import {
  type Backup,
  type BackupRepository,
  type BackupStorageLocation,
  type DeleteBackupRequest,
  type Drill,
  type KubeObject,
  parseTimeMs,
  type Restore,
  type Schedule,
  veleroNames,
} from "../api/index.ts";
import type { Operation } from "../progress/index.ts";
import { drillText } from "./drills.ts";
import { family, Histogram, type Sample, Series } from "./exposition.ts";
import { veleroFamilies as families } from "./families.ts";
import type { MoreMetrics } from "./metrics.ts";
import { NodeMetrics, type VolumeCopy } from "./node-metrics.ts";
import { type Protected, protectionText } from "./protection.ts";

/** What changes in the namespace of a server, by kind. */
export type Watched =
  | Backup
  | Restore
  | Schedule
  | BackupStorageLocation
  | BackupRepository
  | DeleteBackupRequest
  | Drill
  | VolumeCopy;

/** What the metrics need to know of schedules. */
export interface VeleroMetricsOptions {
  /** Milliseconds between the next two times of a schedule. */
  readonly intervalMs: (schedule: Schedule, nowMs: number) => number | undefined;
}

const waiting = new Set(["New", "Queued", "ReadyToStart"]);
const ended = new Set(["Completed", "PartiallyFailed", "Failed", "FailedValidation"]);

/**
 * Upstream's metrics, from changes of objects: what was over when this process began is not counted again. Series of a schedule are there from
 * its first sight, with zeros, and go with it; everything else is bounded by the objects that there are.
 */
export class VeleroMetrics implements MoreMetrics {
  readonly #options: VeleroMetricsOptions;
  readonly #backups = new Map<string, Backup>();
  readonly #schedules = new Map<string, Schedule>();
  readonly #restores = new Set<string>();
  readonly #drills = new Map<string, Drill>();
  readonly #nodes = new NodeMetrics();
  readonly #series = bySeries();
  readonly #durations = new Histogram(families.backupDurations);
  readonly #maintenance = new Histogram(families.maintenanceDurations);
  /** The schedules of backups that are being deleted, by request: the backup may be gone before its request. */
  readonly #deleting = new Map<string, string>();
  #isFed = false;

  constructor(options: VeleroMetricsOptions) {
    this.#options = options;
    this.#open("");
  }

  /** A change, as an informer tells it: `before` is absent for what is seen the first time, `now` for what is gone. */
  change(now: Watched | undefined, before: Watched | undefined): void {
    this.#isFed = true;
    const object = now ?? before;
    switch (object?.kind) {
      case "Backup":
        return this.#backup(now as Backup | undefined, before as Backup | undefined, object);
      case "Restore":
        return this.#restore(now as Restore | undefined, before as Restore | undefined, object);
      case "Schedule":
        return this.#schedule(object, now !== undefined);
      case "BackupStorageLocation":
        return this.#location(object, now !== undefined);
      case "BackupRepository":
        return this.#repository(now as BackupRepository | undefined, before as BackupRepository | undefined);
      case "DeleteBackupRequest":
        return this.#deletion(
          now as DeleteBackupRequest | undefined,
          before as DeleteBackupRequest | undefined,
        );
      case "Drill":
        return now ? void this.#drills.set(keyOf(object), object) : void this.#drills.delete(keyOf(object));
      case undefined:
        return;
      default:
        return this.#nodes.change(now as VolumeCopy | undefined, before as VolumeCopy | undefined);
    }
  }

  /** The archive of a backup is whole. */
  archived(backup: Pick<Backup, "metadata">, bytes: number): void {
    this.#series.archives.set(scheduleOf(backup), bytes);
  }

  /** Nothing before the first change: another replica leads, and tells. */
  text(operations: readonly Operation[], nowMs: number): string {
    if (!this.#isFed) return "";
    const { backups, restores } = this.#series;
    backups.set({}, this.#backups.size);
    restores.set({}, this.#restores.size);
    const schedules = this.#protected(nowMs);
    return [
      protectionText(schedules, [...this.#backups.values()], operations, nowMs),
      drillText(this.#drills.values()),
      ...Object.values(this.#series).map((series) => series.text()),
      family(families.lastSuccess, lastSuccesses(this.#backups.values())),
      family(families.interval, intervalsOf(schedules)),
      this.#durations.text(),
      this.#maintenance.text(),
      csiText(this.#backups.values(), ["", ...this.#schedules.keys()]),
      this.#nodes.text(),
    ].join("");
  }

  #protected(nowMs: number): Protected[] {
    return [...this.#schedules.values()].map((schedule) => ({
      schedule,
      intervalMs: this.#options.intervalMs(schedule, nowMs),
    }));
  }

  #open(schedule: string): void {
    for (const name of fromZero) this.#series[name].add({ schedule }, 0);
    this.#series.lastStatus.set({ schedule }, 1);
  }

  #backup(now: Backup | undefined, before: Backup | undefined, object: Backup): void {
    const key = keyOf(object);
    if (!now) return void this.#backups.delete(key);
    this.#backups.set(key, now);
    const [phase, was] = [now.status?.phase || "New", before?.status?.phase || "New"];
    if (!before || phase === was) return;
    const labels = scheduleOf(now);
    const { attempts } = this.#series;
    const isBegun = !waiting.has(phase) && phase !== "FailedValidation";
    if (waiting.has(was) && isBegun) attempts.add(labels);
    if (ended.has(phase) && !ended.has(was)) this.#ended(now, phase, labels);
  }

  #ended({ status }: Backup, phase: string, labels: { readonly schedule: string }): void {
    const series = this.#series;
    const ends = { Completed: "successes", PartiallyFailed: "partials", Failed: "failures" } as const;
    const end = phase in ends ? ends[phase as keyof typeof ends] : "invalid";
    series[end].add(labels);
    series.lastStatus.set(labels, phase === "Completed" ? 1 : 0);
    if (end === "invalid") return;
    const seconds = secondsBetween(status?.startTimestamp, status?.completionTimestamp);
    if (seconds !== undefined) this.#durations.observe(labels, Math.floor(seconds));
    series.items.set(labels, status?.progress?.totalItems ?? 0);
    series.itemErrors.set(labels, status?.errors ?? 0);
    if ((status?.warnings ?? 0) > 0) series.warned.add(labels);
    const [begun = 0, done = 0] = [status?.volumeSnapshotsAttempted, status?.volumeSnapshotsCompleted];
    series.snapshotAttempts.add(labels, begun);
    series.snapshotSuccesses.add(labels, done);
    series.snapshotFailures.add(labels, Math.max(0, begun - done));
  }

  #restore(now: Restore | undefined, before: Restore | undefined, object: Restore): void {
    if (!now) return void this.#restores.delete(keyOf(object));
    this.#restores.add(keyOf(object));
    const [phase, was] = [now.status?.phase || "New", before?.status?.phase || "New"];
    if (!before || phase === was) return;
    const labels = { schedule: now.spec?.scheduleName ?? "" };
    const series = this.#series;
    if (was === "New") series.restoreAttempts.add(labels);
    if (phase === "Completed") series.restoreSuccesses.add(labels);
    if (phase === "PartiallyFailed") series.restorePartials.add(labels);
    if (phase === "Failed") series.restoreFailures.add(labels);
    if (phase === "FailedValidation") series.restoreInvalid.add(labels);
  }

  #schedule(schedule: Schedule, isThere: boolean): void {
    const { name } = schedule.metadata;
    if (isThere) {
      if (!this.#schedules.has(name)) this.#open(name);
      this.#schedules.set(name, schedule);
      return;
    }
    this.#schedules.delete(name);
    for (const series of [...Object.values(this.#series), this.#durations]) series.forget("schedule", name);
  }

  #location({ metadata: { name }, status }: BackupStorageLocation, isThere: boolean): void {
    const { locations } = this.#series;
    const label = "backup_location_name";
    if (!isThere || status?.phase === undefined) locations.forget(label, name);
    else locations.set({ [label]: name }, status.phase === "Available" ? 1 : 0);
  }

  #repository(now: BackupRepository | undefined, before: BackupRepository | undefined): void {
    const label = "repository_name";
    const { maintenanceSuccesses, maintenanceFailures } = this.#series;
    if (!now) {
      for (const one of [maintenanceSuccesses, maintenanceFailures, this.#maintenance]) {
        one.forget(label, before?.metadata.name ?? "");
      }
      return;
    }
    const labels = { [label]: now.metadata.name };
    for (const one of [maintenanceSuccesses, maintenanceFailures]) one.add(labels, 0);
    if (!before) return;
    const known = new Set(
      (before.status?.recentMaintenance ?? []).map(({ startTimestamp }) => startTimestamp),
    );
    for (const { result, startTimestamp, completeTimestamp } of now.status?.recentMaintenance ?? []) {
      if (known.has(startTimestamp)) continue;
      (result === "Succeeded" ? maintenanceSuccesses : maintenanceFailures).add(labels);
      const seconds = secondsBetween(startTimestamp, completeTimestamp);
      if (seconds !== undefined) this.#maintenance.observe(labels, seconds);
    }
  }

  #deletion(now: DeleteBackupRequest | undefined, before: DeleteBackupRequest | undefined): void {
    if (!now) return void (before && this.#deleting.delete(keyOf(before)));
    const key = keyOf(now);
    const backup = this.#backups.get(`${now.metadata.namespace ?? ""}/${now.spec?.backupName}`);
    if (backup) this.#deleting.set(key, scheduleOf(backup).schedule);
    const [phase, was] = [now.status?.phase, before?.status?.phase];
    if (!before || phase === was) return;
    const labels = { schedule: this.#deleting.get(key) ?? "" };
    const { deletionAttempts, deletionSuccesses, deletionFailures } = this.#series;
    const isBegun = was === "InProgress";
    if (phase === "InProgress" || (phase === "Processed" && !isBegun)) deletionAttempts.add(labels);
    if (phase !== "Processed") return;
    const isBad = (now.status?.errors ?? []).length > 0;
    (isBad ? deletionFailures : deletionSuccesses).add(labels);
  }
}

/** The numbers that every schedule has from its first sight. */
const fromZero = [
  "attempts",
  "successes",
  "partials",
  "failures",
  "invalid",
  "warned",
  "deletionAttempts",
  "deletionSuccesses",
  "deletionFailures",
  "restoreAttempts",
  "restoreSuccesses",
  "restorePartials",
  "restoreFailures",
  "restoreInvalid",
  "snapshotAttempts",
  "snapshotSuccesses",
  "snapshotFailures",
] as const;

function bySeries() {
  const of = <K extends keyof typeof families>(...names: readonly K[]) =>
    Object.fromEntries(names.map((name) => [name, new Series(families[name])])) as Record<K, Series>;
  return of(
    ...fromZero,
    "backups",
    "restores",
    "items",
    "itemErrors",
    "lastStatus",
    "locations",
    "maintenanceSuccesses",
    "maintenanceFailures",
    "archives",
  );
}

/** The newest end of a completed backup, in seconds, by schedule. */
function lastSuccesses(backups: Iterable<Backup>): Sample[] {
  const last = new Map<string, number>();
  for (const backup of backups) {
    const { status } = backup;
    const ended = parseTimeMs(status?.completionTimestamp);
    if (status?.phase !== "Completed" || ended === undefined) continue;
    const { schedule } = scheduleOf(backup);
    last.set(schedule, Math.max(last.get(schedule) ?? 0, ended / 1000));
  }
  return [...last].map(([schedule, value]) => ({ labels: { schedule }, value }));
}

function intervalsOf(schedules: readonly Protected[]): Sample[] {
  return schedules.flatMap(({ schedule, intervalMs }) =>
    intervalMs === undefined
      ? []
      : [{ labels: { schedule: schedule.metadata.name }, value: intervalMs / 1000 }],
  );
}

/** Series of so many backups are told; upstream tells all that there ever were. */
const mostBackups = 200;

function csiText(backups: Iterable<Backup>, schedules: readonly string[]): string {
  const [attempts, successes, failures] = [
    families.csiAttempts,
    families.csiSuccesses,
    families.csiFailures,
  ].map((of) => new Series(of));
  // Upstream begins with zeros of no backup, so that rates of the first one are seen.
  for (const schedule of schedules)
    for (const one of [attempts, successes, failures]) one?.set({ schedule, backupName: "" }, 0);
  const snapped = [...backups].filter(({ status }) => (status?.csiVolumeSnapshotsAttempted ?? 0) > 0);
  const startOf = ({ status }: Backup) => parseTimeMs(status?.startTimestamp) ?? 0;
  const newest = snapped.toSorted((a, b) => startOf(b) - startOf(a)).slice(0, mostBackups);
  for (const backup of newest) {
    const { metadata, status } = backup;
    const labels = { ...scheduleOf(backup), backupName: metadata.name };
    const [begun = 0, done = 0] = [status?.csiVolumeSnapshotsAttempted, status?.csiVolumeSnapshotsCompleted];
    attempts?.set(labels, begun);
    if (!ended.has(status?.phase ?? "")) continue;
    successes?.set(labels, done);
    failures?.set(labels, Math.max(0, begun - done));
  }
  return [attempts, successes, failures].map((series) => series?.text() ?? "").join("");
}

function scheduleOf({ metadata }: Pick<Backup, "metadata">): { readonly schedule: string } {
  return { schedule: metadata.labels?.[veleroNames.scheduleName] ?? "" };
}

function keyOf({ metadata: { namespace = "", name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** Seconds between two times of a status, where both are there. */
function secondsBetween(from: string | null | undefined, to: string | null | undefined): number | undefined {
  const [begun, ended] = [parseTimeMs(from), parseTimeMs(to)];
  return begun === undefined || ended === undefined || ended < begun ? undefined : (ended - begun) / 1000;
}
