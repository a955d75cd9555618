import type { Restore } from "../../api/index.ts";
import type { Observation, Ref, State } from "../../progress/index.ts";
import type { ItemProgress } from "./progress.ts";
import type { RunProgress, Stage } from "./run.ts";

const stages: readonly Stage[] = ["archive", "items", "volumes", "hooks", "finalise"];
/** Shares of a restore while no earlier run tells better. */
const weights: Readonly<Record<Stage, number>> = { archive: 1, items: 8, volumes: 20, hooks: 2, finalise: 1 };
const titles: Readonly<Record<Stage, string>> = {
  archive: "reading the archive",
  items: "restoring objects",
  volumes: "restoring volumes",
  hooks: "running hooks",
  finalise: "storing the results",
};

/** A restore as an operation: its stages as children, the types as children of the items. */
export function observation(restore: Restore, progress: RunProgress | undefined): Observation {
  const { apiVersion, kind, metadata } = restore;
  const { name, namespace, uid } = metadata;
  const ref: Ref = { apiVersion, kind, name, ...(namespace && { namespace }), ...(uid && { uid }) };
  const { startTimestamp, completionTimestamp, failureReason, warnings, errors } = restore.status ?? {};
  return {
    id: `restore/${namespace}/${name}`,
    ref,
    kind: "restore",
    title: `restore ${name}`,
    state: stateOf(restore),
    rule: "steps",
    ...(startTimestamp && { startedAt: Date.parse(startTimestamp) }),
    ...(completionTimestamp && { finishedAt: Date.parse(completionTimestamp) }),
    ...(failureReason && { message: failureReason }),
    warnings: progress?.warnings ?? warnings ?? 0,
    errors: progress?.errors ?? errors ?? 0,
    ...(progress && { children: stagesOf(ref, progress) }),
  };
}

/** The state that a restore's phase means. */
function stateOf(restore: Restore): State {
  const { phase, failureReason } = restore.status ?? {};
  switch (phase ?? "New") {
    case "New":
      return "pending";
    case "Completed":
      return "completed";
    case "PartiallyFailed":
      return "partially-failed";
    case "FailedValidation":
      return "failed";
    case "Failed":
      return failureReason?.startsWith("canceled") === true ? "canceled" : "failed";
    default:
      return "running";
  }
}

/** What the custom resource shows: everything done is only said by the phase that says so. */
export function shownProgress({ totalItems, itemsRestored }: ItemProgress): ItemProgress {
  return { totalItems, itemsRestored: Math.min(itemsRestored, Math.max(0, totalItems - 1)) };
}

function stagesOf(ref: Ref, progress: RunProgress): Observation[] {
  const now = stages.indexOf(progress.stage);
  return stages
    .filter((stage) => shows(stage, progress))
    .map((stage) => {
      const at = stages.indexOf(stage);
      const state: State = at < now ? "completed" : at === now ? "running" : "pending";
      const common = { id: stage, ref, kind: stage, title: titles[stage], weight: weights[stage], state };
      return { ...common, ...details(stage, ref, progress) };
    });
}

/** Volumes and hooks are shown when there are any. */
function shows(stage: Stage, progress: RunProgress): boolean {
  if (stage === "volumes")
    return (progress.volumes?.volumes ?? 0) > 0 || (progress.snapshots?.length ?? 0) > 0;
  return stage === "hooks" ? progress.hooks !== undefined && progress.hooks.total > 0 : true;
}

function details(stage: Stage, ref: Ref, progress: RunProgress): Partial<Observation> {
  switch (stage) {
    case "archive":
      return { progress: { unit: "bytes", ...progress.archive } };
    case "items":
      return itemDetails(ref, progress);
    case "volumes":
      return volumeDetails(ref, progress);
    case "hooks":
      return hookDetails(progress);
    case "finalise":
      return progress.stage === "finalise" && progress.waitingFor !== undefined
        ? { waitingFor: { reason: "volume", message: progress.waitingFor } }
        : {};
  }
}

/** Copies of pod volumes are told as one number; volumes out of snapshots one by one, beside them. */
function volumeDetails(ref: Ref, { volumes, snapshots = [], stage }: RunProgress): Partial<Observation> {
  const copies = volumes && {
    unit: "bytes" as const,
    done: volumes.bytesDone,
    ...(volumes.totalBytes !== undefined && { total: volumes.totalBytes }),
  };
  if (snapshots.length === 0) return copies ? { progress: copies } : {};
  const children = snapshots.map(
    ({ id, title, state, bytesDone, bytesTotal, message }): Observation => ({
      id,
      ref,
      kind: "volume",
      title,
      state,
      ...((bytesDone !== undefined || bytesTotal !== undefined) && {
        progress: {
          unit: "bytes",
          done: bytesDone ?? 0,
          ...(bytesTotal !== undefined && { total: bytesTotal }),
        },
      }),
      ...(message !== undefined && { message }),
    }),
  );
  const rest: Observation[] =
    volumes && volumes.volumes > 0
      ? [
          {
            id: "copies",
            ref,
            kind: "volume",
            title: "volumes of pods",
            state: volumes.volumesDone < volumes.volumes ? "running" : "completed",
            ...(copies && { progress: copies }),
          },
        ]
      : [];
  return {
    // A volume is filled before the objects that use it are restored.
    ...(stage === "items" && { state: "running" as const }),
    rule: "mean",
    children: [...children, ...rest],
  };
}

function hookDetails({ hooks, waitingFor }: RunProgress): Partial<Observation> {
  if (hooks === undefined) return {};
  const { done, total } = hooks;
  return {
    progress: { unit: "steps", done, total },
    ...(waitingFor !== undefined && { waitingFor: { reason: "hook", message: waitingFor } }),
  };
}

function itemDetails(ref: Ref, progress: RunProgress): Partial<Observation> {
  const { items, types, present, waitingFor } = progress;
  if (items === undefined) return {};
  const last = types.length - 1;
  const busy = progress.stage === "items";
  const children = types.map(({ groupResource, total, done }, at): Observation => {
    const state = busy && at === last && done < total ? "running" : "completed";
    return {
      id: groupResource,
      ref,
      kind: "type",
      title: groupResource,
      state,
      progress: { unit: "items", done, total },
    };
  });
  const listed = types.reduce((sum, { total }) => sum + total, 0);
  const started = types.reduce((sum, { done }) => sum + done, 0);
  const left = Math.max(0, items.totalItems - listed);
  // What no type has begun yet, and what namespaces and companions add, so that the children make up the whole.
  const others: Observation = {
    id: "others",
    ref,
    kind: "type",
    title: "other objects",
    state: busy ? "running" : "completed",
    progress: {
      unit: "items",
      done: Math.min(left, Math.max(0, items.itemsRestored - started)),
      total: left,
    },
  };
  return {
    rule: "items",
    children: left > 0 ? [...children, others] : children,
    ...(present !== undefined && { message: present }),
    ...(busy && waitingFor !== undefined && { waitingFor: { reason: "cluster", message: waitingFor } }),
  };
}
