import { type Drill, formatTime, parseTimeMs } from "../../api/index.ts";
import { isDrillEnded } from "../../kinds/index.ts";
import type { Outcome } from "../../kube/index.ts";
import type { DrillDeps } from "./deps.ts";
import { drillNames, runNameOf } from "./names.ts";
import { ignoreExisting, ignoreNotFound, resources } from "./resources.ts";
import { specFaults } from "./validate.ts";

const minuteMs = 60_000;

/** What to do about a drill with times now. */
export type ScheduleStep =
  | { readonly do: "refuse"; readonly why: string }
  | { readonly do: "wait"; readonly untilMs: number | undefined }
  | { readonly do: "run"; readonly name: string; readonly nextMs: number | undefined };

/** Decides about a drill with times; one that runs is not joined by the next. */
export function planSchedule(
  drill: Drill,
  runs: readonly Drill[],
  nextTime: DrillDeps["nextTime"],
  nowMs: number,
): ScheduleStep {
  const { schedule: _schedule, ...once } = drill.spec ?? {};
  const cron = cronOf(drill);
  const last =
    parseTimeMs(drill.status?.lastRunTimestamp) ?? parseTimeMs(drill.metadata.creationTimestamp) ?? nowMs;
  // A clock that was set back must not keep it silent.
  const due = nextTime(cron, Math.min(last, nowMs));
  const faults = [...specFaults(once), ...(typeof due === "string" ? [`schedule: ${due}`] : [])];
  if (typeof due === "string" || faults.length > 0) return { do: "refuse", why: faults.join("; ") };
  if (drill.spec?.paused === true || due === undefined) return { do: "wait", untilMs: undefined };
  if (nowMs < due) return { do: "wait", untilMs: due };
  if (runs.some((run) => !isDrillEnded(run))) return { do: "wait", untilMs: nowMs + minuteMs };
  const next = nextTime(cron, nowMs);
  return {
    do: "run",
    name: runNameOf(drill.metadata.name, nowMs),
    nextMs: typeof next === "number" ? next : undefined,
  };
}

/** The times with their zone, as one text. */
export function cronOf({ spec }: Drill): string {
  const { schedule = "", timeZone = "" } = spec ?? {};
  return timeZone === "" || schedule.startsWith("@every") ? schedule : `CRON_TZ=${timeZone} ${schedule}`;
}

/** Runs beyond those that are kept: the oldest of those that ended. */
export function surplus(runs: readonly Drill[], keep: number): readonly Drill[] {
  const ended = runs.filter(isDrillEnded);
  const bornAt = ({ metadata }: Drill) => metadata.creationTimestamp ?? "";
  return ended.toSorted((a, b) => (bornAt(a) < bornAt(b) ? 1 : -1)).slice(keep);
}

/** Makes a run when its time has come, and takes old ones away. */
export async function lookSchedule(deps: DrillDeps, drill: Drill, signal: AbortSignal): Promise<Outcome> {
  const { client, namespace, clock } = deps;
  const { name } = drill.metadata;
  const labelSelector = `${drillNames.schedule}=${drill.metadata.uid ?? ""}`;
  const runs = await client.list<Drill>(resources.drills, { namespace, labelSelector }, signal);
  const patch = (status: object) =>
    client.patch(resources.drills, name, { type: "merge", body: { status } }, { namespace }, signal);
  const now = clock.now();
  const step = planSchedule(drill, runs, deps.nextTime, now);
  for (const { metadata } of surplus(runs, drill.spec?.keep ?? 10)) {
    await client
      .delete(resources.drills, metadata.name, { namespace, uid: metadata.uid }, signal)
      .catch(ignoreNotFound);
  }
  switch (step.do) {
    case "refuse": {
      const { phase, message } = drill.status ?? {};
      if (phase !== "FailedValidation" || message !== step.why)
        await patch({
          phase: "FailedValidation",
          message: step.why,
          conditions: conditions("False", "Refused", step.why),
        });
      return undefined;
    }
    case "wait": {
      const nextRunTimestamp = step.untilMs === undefined ? null : formatTime(step.untilMs);
      const isTold =
        drill.status?.phase === "Scheduled" && (drill.status.nextRunTimestamp ?? null) === nextRunTimestamp;
      const isBusy = runs.some((run) => !isDrillEnded(run));
      if (!isTold && !isBusy) {
        const message = drill.spec?.paused === true ? "paused" : null;
        await patch({
          phase: "Scheduled",
          message,
          nextRunTimestamp,
          conditions: conditions("True", "Scheduled", "waits for its next run"),
        });
      }
      return { againAfterMs: Math.min(minuteMs, Math.max(500, (step.untilMs ?? now + minuteMs) - now)) };
    }
    case "run": {
      await client.create(resources.drills, runOf(drill, step.name), {}, signal).catch(ignoreExisting);
      await patch({
        phase: "Scheduled",
        message: null,
        lastRunName: step.name,
        lastRunTimestamp: formatTime(now),
        nextRunTimestamp: step.nextMs === undefined ? null : formatTime(step.nextMs),
        conditions: conditions("True", "Scheduled", `made run "${step.name}"`),
      });
      return { againAfterMs: minuteMs };
    }
  }
}

function conditions(status: "True" | "False", reason: string, message: string): readonly object[] {
  return [{ type: "Ready", status, reason, message }];
}

/** One run of a drill with times. */
function runOf({ apiVersion, kind, metadata, spec }: Drill, name: string): object {
  const { schedule: _schedule, timeZone: _zone, paused: _paused, keep: _keep, ...once } = spec ?? {};
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: { ...metadata.labels, [drillNames.schedule]: metadata.uid },
      ownerReferences: [owner],
    },
    spec: once,
  };
}
