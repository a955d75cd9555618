import { type Backup, parseTimeMs, type Schedule, veleroNames } from "../api/index.ts";
import type { Operation } from "../progress/index.ts";
import { family, type Sample } from "./exposition.ts";
import { protectionFamilies as families } from "./families.ts";

/** A schedule with the time between its next two backups, where that can be said. */
export interface Protected {
  readonly schedule: Schedule;
  readonly intervalMs: number | undefined;
}

/** So many namespaces are told, the newest first. */
const mostNamespaces = 1_000;

/** How well schedules and namespaces are protected. */
export function protectionText(
  schedules: readonly Protected[],
  backups: readonly Backup[],
  operations: readonly Operation[],
  nowMs: number,
): string {
  return [
    family(families.withoutSuccess, agesOf(schedules, backups, nowMs)),
    family(families.lastOfNamespace, namespacesOf(backups)),
    family(families.windowRatio, windowsOf(schedules, backups, operations, nowMs)),
  ].join("");
}

/** A schedule that never made a good backup is as old as its last one would be: that is the case that alerts must not miss. */
function agesOf(schedules: readonly Protected[], backups: readonly Backup[], nowMs: number): Sample[] {
  const last = new Map<string, number>();
  for (const backup of backups) {
    const [name, at] = [scheduleOf(backup), completedAt(backup)];
    if (name !== undefined && at !== undefined) last.set(name, Math.max(last.get(name) ?? 0, at));
  }
  return schedules.flatMap(({ schedule: { metadata, spec } }) => {
    const since = last.get(metadata.name) ?? parseTimeMs(metadata.creationTimestamp);
    if (spec?.paused === true || since === undefined) return [];
    return [{ labels: { schedule: metadata.name }, value: Math.max(0, (nowMs - since) / 1000) }];
  });
}

function namespacesOf(backups: readonly Backup[]): Sample[] {
  const last = new Map<string, number>();
  for (const backup of backups) {
    const at = completedAt(backup);
    if (at === undefined) continue;
    const included = backup.spec?.includedNamespaces ?? [];
    // A pattern is no namespace, and its matches of that day are not known any more.
    const names =
      included.length === 0 ? ["*"] : included.filter((name) => name === "*" || !name.includes("*"));
    for (const name of names) last.set(name, Math.max(last.get(name) ?? 0, at));
  }
  return [...last]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, mostNamespaces)
    .map(([namespace, at]) => ({ labels: { namespace }, value: at / 1000 }));
}

/** Above 1 the next backup is due before the running one can have ended, even at the quick end of what is told. */
function windowsOf(
  schedules: readonly Protected[],
  backups: readonly Backup[],
  operations: readonly Operation[],
  nowMs: number,
): Sample[] {
  const intervals = new Map(
    schedules.map(({ schedule, intervalMs }) => [schedule.metadata.name, intervalMs]),
  );
  const ofBackups = new Map(backups.map((backup) => [keyOf(backup.metadata), scheduleOf(backup)]));
  const ratios = new Map<string, number>();
  for (const { ref, state, startedAt, eta } of operations) {
    if (state !== "running" || ref.kind !== "Backup" || startedAt === undefined) continue;
    const name = ofBackups.get(keyOf(ref)) ?? "";
    const intervalMs = intervals.get(name);
    if (intervalMs === undefined) continue;
    const leastLeft = eta && !("unknown" in eta) ? eta.low * 1000 : 0;
    ratios.set(name, Math.max(ratios.get(name) ?? 0, (nowMs - startedAt + leastLeft) / intervalMs));
  }
  return [...ratios].map(([schedule, value]) => ({ labels: { schedule }, value }));
}

function completedAt({ status }: Backup): number | undefined {
  return status?.phase === "Completed" ? parseTimeMs(status.completionTimestamp) : undefined;
}

function scheduleOf({ metadata }: Backup): string | undefined {
  return metadata.labels?.[veleroNames.scheduleName];
}

function keyOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace ?? ""}/${name}`;
}
