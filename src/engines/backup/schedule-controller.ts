import { type Backup, kinds, type Schedule, veleroNames } from "../../api/index.ts";
import { labelValue, type Outcome, resourceOf } from "../../kube/index.ts";
import { timestamp } from "./admission.ts";
import type { BackupDeps } from "./deps.ts";
import { eachObject } from "./each-object.ts";
import { isUnfinished, planSchedule, scheduledBackup } from "./schedule-plan.ts";
import { ignoreExisting, ignoreNotFound } from "./tolerate.ts";

const schedules = resourceOf(kinds.Schedule);
const backups = resourceOf(kinds.Backup);
const minuteMs = 60_000;

/** Makes backups when their schedules say so, until the signal fires. */
export function startScheduleController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  return eachObject<Schedule>(
    deps,
    kinds.Schedule,
    (schedule, _all, inner) => look(deps, schedule, inner),
    signal,
  );
}

async function look(deps: BackupDeps, heard: Schedule, signal: AbortSignal): Promise<Outcome> {
  const { client, clock, namespace } = deps;
  const { name } = heard.metadata;
  // What was heard may be older than our own last write, and a backup must not be made twice.
  const schedule = await client.get<Schedule>(schedules, name, { namespace }, signal).catch(ignoreNotFound);
  if (!schedule) return undefined;
  const labelSelector = `${veleroNames.scheduleName}=${labelValue(name)}`;
  const mine = await client.list<Backup>(backups, { namespace, labelSelector }, signal);
  const step = planSchedule(schedule, mine.some(isUnfinished), clock.now());
  const patch = (body: unknown) =>
    client.patch(schedules, name, { type: "merge", body }, { namespace }, signal);
  if (step.do === "refuse") {
    const told = schedule.status?.phase === "FailedValidation" ? schedule.status.validationErrors : undefined;
    if (JSON.stringify(told) === JSON.stringify(step.why)) return undefined;
    await patch({ status: { phase: "FailedValidation", validationErrors: step.why } });
    return undefined;
  }
  if (schedule.status?.phase !== "Enabled") {
    await patch({ status: { phase: "Enabled", validationErrors: null } });
    return { againAfterMs: 0 };
  }
  switch (step.do) {
    case "wait":
      return {
        againAfterMs: Math.min(
          minuteMs,
          Math.max(0, (step.untilMs ?? Number.POSITIVE_INFINITY) - clock.now()),
        ),
      };
    case "skip":
      await patch({ spec: { skipImmediately: false }, status: { lastSkipped: timestamp(clock.now()) } });
      return { againAfterMs: minuteMs };
    case "rewind":
      deps.log("warning", `schedule "${name}" ran at a time that is yet to come: it goes on from now`);
      await patch({ status: { lastBackup: null, lastSkipped: timestamp(clock.now()) } });
      return { againAfterMs: 0 };
    case "submit": {
      const last = clock.now();
      await client.create(backups, scheduledBackup(schedule, step.backup), {}, signal).catch(ignoreExisting); // a look that died after the create comes again within the second
      await patch({ status: { lastBackup: timestamp(last) } });
      return { againAfterMs: minuteMs };
    }
  }
}
