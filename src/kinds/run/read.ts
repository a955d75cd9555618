import { type Backup, itemsOf, type Restore } from "../../api/index.ts";
import { isTerminal, type Observation, type State, type WaitingFor } from "../../progress/index.ts";
import { idOf, messageOf, refOf, timesOf } from "../reading.ts";
import { readVolume, type VolumeObject } from "../volume/read.ts";
import { runPhaseOf, runStateOf } from "./phase.ts";
import { stepOf, volumesStep } from "./steps.ts";

/** A backup as it is told by its own status and by the objects of its volumes. */
export function readBackup(backup: Backup, volumes: readonly VolumeObject[], cluster?: string): Observation {
  return readRun(backup, volumes, cluster);
}

/** A restore, likewise. */
export function readRestore(
  restore: Restore,
  volumes: readonly VolumeObject[],
  cluster?: string,
): Observation {
  return readRun(restore, volumes, cluster);
}

/**
 * Items, then volumes, then the tail: upstream reads N of N while volumes and uploads still run, so the items are
 * one step of several and never the whole.
 */
function readRun(
  run: Backup | Restore,
  volumes: readonly VolumeObject[],
  cluster: string | undefined,
): Observation {
  const { status } = run;
  const phase = runPhaseOf(status);
  const state = runStateOf(status);
  const ref = refOf(run, cluster);
  const stage = stages[phase] ?? 0;
  const copies = volumes.map((volume) => readVolume(volume, cluster));
  const isCopying = copies.some((copy) => !isTerminal(copy.state ?? "pending"));
  const isRefused = phase === "FailedValidation";
  const isBlamed = state === "partially-failed" && !copies.some(({ state: is }) => is === "failed");
  const items = isRefused ? "skipped" : isBlamed ? state : stageState(0, stage, state);
  const step = (name: "items" | "finish", rest: Partial<Observation>) =>
    stepOf(run.kind, name, ref, rest, status?.progress?.totalItems);
  const children = [
    step("items", {
      state: items,
      // Errors that no volume had are those of the items.
      ...(isBlamed && { errors: status?.errors ?? 0 }),
      // The items are the first step: they began with the run. A step that has ended does not say when.
      ...(items === "running" && timesOf(status?.startTimestamp, undefined)),
      ...(status?.progress && { progress: { unit: "items", ...itemsOf(status.progress) } }),
      // Older servers store no further item while a pod's volumes are copied, newer ones wait at N of N: neither is a stall.
      ...(items === "running" && isCopying && { waitingFor: volumesUnderWay }),
    }),
    ...(copies.length > 0 ? [volumesStep(run.kind, ref, copies)] : []),
    step("finish", { state: isRefused ? "skipped" : stageState(2, stage, state) }),
  ];
  const waitingFor = runWaits(run, phase);
  return {
    id: idOf(run),
    ref,
    kind: run.kind.toLowerCase(),
    title: `${run.kind} ${run.metadata.name}`,
    state,
    rule: "steps",
    ...timesOf(status?.startTimestamp, status?.completionTimestamp),
    ...messageOf(status?.failureReason, status?.validationErrors?.join("; ")),
    warnings: status?.warnings ?? 0,
    errors: status?.errors ?? 0,
    ...(waitingFor && { waitingFor }),
    children,
  };
}

const stages: Readonly<Record<string, number>> = {
  New: -1,
  Queued: -1,
  ReadyToStart: -1,
  InProgress: 0,
  WaitingForPluginOperations: 1,
  WaitingForPluginOperationsPartiallyFailed: 1,
  Finalizing: 2,
  FinalizingPartiallyFailed: 2,
};

function stageState(step: number, stage: number, whole: State): State {
  if (whole === "completed" || whole === "partially-failed") return "completed";
  // Nobody says where a run failed: its last step cannot have begun well.
  if (whole === "failed" || whole === "canceled") return step === 0 ? whole : "skipped";
  if (step === stage) return "running";
  return step < stage ? "completed" : "pending";
}

function runWaits(run: Backup | Restore, phase: string): WaitingFor | undefined {
  if (phase === "Queued") {
    const place =
      "queuePosition" in (run.status ?? {}) ? (run.status as Backup["status"])?.queuePosition : undefined;
    return { reason: "queue", message: place ? `its turn, place ${place} in the queue` : "its turn" };
  }
  return phase === "New" || phase === "ReadyToStart"
    ? { reason: "server", message: "a server to take it" }
    : undefined;
}

const volumesUnderWay: WaitingFor = { reason: "volumes", message: "the volumes of its pods" };
