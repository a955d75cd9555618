import { type Backup, parseGoDurationMs, type Schedule, veleroNames } from "../../api/index.ts";
import { isRunEnded } from "../../kinds/index.ts";
import { specFaults, timestamp } from "./admission.ts";
import { nextTime, parseCron } from "./cron.ts";

/** How far the clocks of two machines may differ without one of them being wrong. */
const skewMs = 60_000;

/** What to do about a schedule now. */
export type ScheduleStep =
  | { readonly do: "refuse"; readonly why: readonly string[] }
  | { readonly do: "submit"; readonly backup: string }
  /** It was due before it was made or unpaused, and asks not to catch up. */
  | { readonly do: "skip" }
  /** Its last time lies ahead: the clock was set back, and what it wrote before would keep the schedule silent until then. */
  | { readonly do: "rewind" }
  | { readonly do: "wait"; readonly untilMs?: number };

/** Decides about a schedule. `unfinished` says whether a backup of it still runs or waits. */
export function planSchedule(schedule: Schedule, unfinished: boolean, nowMs: number): ScheduleStep {
  const cron = parseCron(schedule.spec?.schedule ?? "", parseGoDurationMs);
  const faults = [
    ...(typeof cron === "string" ? [cron] : []),
    ...specFaults(schedule.spec?.template ?? {}).map((fault) => `template: ${fault}`),
  ];
  if (typeof cron === "string" || faults.length > 0) return { do: "refuse", why: faults };
  if (schedule.spec?.paused) return { do: "wait" };
  if (schedule.spec?.skipImmediately) return { do: "skip" };
  const last = lastMs(schedule);
  if (last > nowMs + skewMs) return { do: "rewind" };
  const due = nextTime(cron, last);
  if (due === undefined) return { do: "wait" };
  if (nowMs < due) return { do: "wait", untilMs: due };
  if (unfinished) return { do: "wait", untilMs: nowMs + 60_000 };
  return { do: "submit", backup: backupNameOf(schedule.metadata.name, nowMs) };
}

/** The next moments after `nowMs` at which a schedule is due, at most `count`; none when it cannot be read. */
export function upcoming({ spec }: Schedule, nowMs: number, count: number): readonly number[] {
  const cron = parseCron(spec?.schedule ?? "", parseGoDurationMs);
  const times: number[] = [];
  while (typeof cron !== "string" && times.length < count) {
    const next = nextTime(cron, times.at(-1) ?? nowMs);
    if (next === undefined) break;
    times.push(next);
  }
  return times;
}

/** Milliseconds between the next two times of a schedule; undefined when it has none. */
export function intervalMs(schedule: Schedule, nowMs: number): number | undefined {
  const [first, second] = upcoming(schedule, nowMs, 2);
  return first === undefined || second === undefined ? undefined : second - first;
}

/** `nightly-20261115030000`. */
export function backupNameOf(schedule: string, nowMs: number): string {
  return `${schedule}-${timestamp(nowMs).replace(/\D/g, "")}`;
}

/** Whether a backup of the schedule has not ended yet. */
export function isUnfinished(backup: Backup): boolean {
  return !isRunEnded(backup.status);
}

/** The backup that a schedule makes now. */
export function scheduledBackup(schedule: Schedule, name: string): Readonly<Record<string, unknown>> {
  const { metadata, spec } = schedule;
  const { metadata: template, ...rest } = spec?.template ?? {};
  const labels =
    template?.labels && Object.keys(template.labels).length > 0 ? template.labels : metadata.labels;
  const { "kubectl.kubernetes.io/last-applied-configuration": _applied, ...annotations } =
    metadata.annotations ?? {};
  return {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: { ...labels, [veleroNames.scheduleName]: metadata.name },
      annotations,
      ...(spec?.useOwnerReferencesInBackup && {
        ownerReferences: [
          {
            apiVersion: "velero.io/v1",
            kind: "Schedule",
            name: metadata.name,
            uid: metadata.uid,
            controller: true,
          },
        ],
      }),
    },
    spec: rest,
  };
}

/** The backup that a schedule makes when somebody asks for one now. */
export function backupNow(schedule: Schedule, nowMs: number): Readonly<Record<string, unknown>> {
  return scheduledBackup(schedule, backupNameOf(schedule.metadata.name, nowMs));
}

/** Of what it did last; before it did anything, its creation. */
function lastMs({ status, metadata }: Schedule): number {
  const done = [status?.lastBackup, status?.lastSkipped].filter((text) => Boolean(text));
  const times = done.length > 0 ? done : [metadata.creationTimestamp];
  return Math.max(0, ...times.map((text) => (text ? Date.parse(text) : 0)));
}
