import type { Backup } from "../../api/index.ts";
import type { Observation, Ref, State } from "../../progress/index.ts";
import type { RunProgress, Stage } from "./run.ts";

const stages: readonly Stage[] = ["collect", "items", "volumes", "upload"];
/** Shares of a backup while no earlier run tells better. Volumes, where there are any, are most of the work. */
const weights: Readonly<Record<Stage, number>> = { collect: 1, items: 6, volumes: 20, upload: 2 };
const titles: Readonly<Record<Stage, string>> = {
  collect: "counting objects",
  items: "storing objects",
  volumes: "copying volumes",
  upload: "writing to the storage location",
};

/** A backup as an operation: its stages as children. Without progress only its phase is told. */
export function observation(
  backup: Backup,
  progress: RunProgress | undefined,
  itemsDone: number,
): Observation {
  const ref = refOf(backup);
  const { startTimestamp, completionTimestamp, failureReason, warnings, errors } = backup.status ?? {};
  return {
    id: `backup/${ref.namespace}/${ref.name}`,
    ref,
    kind: "backup",
    title: `backup ${ref.name}`,
    state: stateOf(backup),
    rule: "steps",
    ...(startTimestamp && { startedAt: Date.parse(startTimestamp) }),
    ...(completionTimestamp && { finishedAt: Date.parse(completionTimestamp) }),
    ...(failureReason && { message: failureReason }),
    warnings: progress?.warnings ?? warnings ?? 0,
    errors: progress?.errors ?? errors ?? 0,
    ...(progress && { children: stagesOf(ref, progress, itemsDone) }),
  };
}

/** The state that a backup's phase means. */
function stateOf(backup: Backup): State {
  const { phase, failureReason } = backup.status ?? {};
  switch (phase ?? "New") {
    case "New":
    case "Queued":
    case "ReadyToStart":
      return "pending";
    case "Completed":
      return "completed";
    case "PartiallyFailed":
      return "partially-failed";
    case "FailedValidation":
      return "failed";
    case "Failed":
      return failureReason?.startsWith("canceled") ? "canceled" : "failed";
    default:
      return "running";
  }
}

function stagesOf(ref: Ref, progress: RunProgress, itemsDone: number): Observation[] {
  const now = stages.indexOf(progress.stage);
  return stages
    .filter((stage) => stage !== "volumes" || progress.volumes.length > 0)
    .map((stage) => {
      const at = stages.indexOf(stage);
      const state: State = at < now ? "completed" : at === now ? "running" : "pending";
      return {
        id: stage,
        ref,
        kind: stage,
        title: titles[stage],
        weight: weights[stage],
        state,
        ...details(stage, ref, progress, itemsDone),
      };
    });
}

function details(stage: Stage, ref: Ref, progress: RunProgress, itemsDone: number): Partial<Observation> {
  switch (stage) {
    case "collect":
      return {};
    case "items": {
      const { total } = progress.items;
      return {
        progress: {
          unit: "items",
          done: itemsDone,
          ...(total !== undefined && { total: Math.max(total, itemsDone) }),
        },
        ...(progress.present && { message: progress.present }),
        ...(progress.waitingFor && { waitingFor: { reason: "hook", message: progress.waitingFor } }),
      };
    }
    case "volumes":
      return {
        // A volume may be copied while items are still being stored.
        ...(progress.stage === "items" && { state: "running" as const }),
        rule: "mean",
        children: progress.volumes.map(({ id, title, state, bytesDone, bytesTotal, message }) => ({
          id,
          ref,
          kind: "volume",
          title,
          state,
          // One of which nothing was said is not at 0 %: it is unknown.
          ...((bytesDone !== undefined || bytesTotal !== undefined) && {
            progress: {
              unit: "bytes" as const,
              done: bytesDone ?? 0,
              ...(bytesTotal !== undefined && { total: bytesTotal }),
            },
          }),
          ...(message !== undefined && { message }),
        })),
      };
    case "upload":
      return progress.upload ? { progress: { unit: "bytes", ...progress.upload } } : {};
  }
}

function refOf({ apiVersion, kind, metadata }: Backup): Ref {
  const { name, namespace, uid } = metadata;
  return { apiVersion, kind, name, ...(namespace && { namespace }), ...(uid && { uid }) };
}
