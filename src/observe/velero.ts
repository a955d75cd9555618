import {
  type Backup,
  bytesOf,
  type DataDownload,
  type DataUpload,
  itemsOf,
  type PodVolumeBackup,
  type PodVolumeRestore,
  type Restore,
  stallAnnotation,
  type VolumePluginBackup,
  type VolumePluginRestore,
  veleroPhaseOf,
} from "../api/index.ts";
import {
  isTerminal,
  type Observation,
  type StallCause,
  type State,
  stallCauses,
  type WaitingFor,
} from "../progress/index.ts";
import { idOf, messageOf, refOf, timesOf } from "./reading.ts";

/** One volume that is copied, whoever copies it. */
export type VolumeObject =
  | PodVolumeBackup
  | PodVolumeRestore
  | DataUpload
  | DataDownload
  | VolumePluginBackup
  | VolumePluginRestore;

/** A backup as it is told by its own status and by the objects of its volumes. */
export function observeBackup(
  backup: Backup,
  volumes: readonly VolumeObject[],
  cluster?: string,
): Observation {
  return observeRun(backup, { kind: "backup", noun: "Backup", verb: "items backed up" }, volumes, cluster);
}

/** A restore, likewise. */
export function observeRestore(
  restore: Restore,
  volumes: readonly VolumeObject[],
  cluster?: string,
): Observation {
  return observeRun(restore, { kind: "restore", noun: "Restore", verb: "items restored" }, volumes, cluster);
}

interface Words {
  readonly kind: string;
  readonly noun: string;
  readonly verb: string;
}

/**
 * Items, then volumes, then the tail: upstream reads N of N while volumes and uploads still run, so the items are
 * one step of several and never the whole.
 */
function observeRun(
  run: Backup | Restore,
  words: Words,
  volumes: readonly VolumeObject[],
  cluster: string | undefined,
): Observation {
  const { status } = run;
  const phase = veleroPhaseOf(status);
  const state = runState(phase, status?.failureReason);
  const ref = refOf(run, cluster);
  const stage = stages[phase] ?? 0;
  const copies = volumes.map((volume) => observeVolume(volume, cluster));
  const isCopying = copies.some((copy) => !isTerminal(copy.state ?? "pending"));
  const items = stageState(0, stage, state);
  const children: Observation[] = [
    {
      id: "items",
      ref,
      kind: "items",
      title: words.verb,
      state: items,
      // The items are the first step: they began with the run. A step that has ended does not say when.
      ...(items === "running" && timesOf(status?.startTimestamp, undefined)),
      ...(status?.progress && { progress: { unit: "items", ...itemsOf(status.progress) } }),
      // Older servers store no further item while a pod's volumes are copied, newer ones wait at N of N: neither is a stall.
      ...(items === "running" && isCopying && { waitingFor: volumesUnderWay }),
    },
  ];
  if (copies.length > 0) children.push(volumeGroup(copies, ref));
  children.push({ id: "finish", ref, kind: "tail", title: "finishing", state: stageState(2, stage, state) });
  const waitingFor = runWaits(run, phase);
  return {
    id: idOf(run),
    ref,
    kind: words.kind,
    title: `${words.noun} ${run.metadata.name}`,
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
  if (whole === "failed" || whole === "canceled") return whole;
  if (step === stage) return "running";
  return step < stage ? "completed" : "pending";
}

function runState(phase: string, reason: string | undefined): State {
  switch (phase) {
    case "New":
    case "Queued":
    case "ReadyToStart":
      return "pending";
    case "Completed":
    case "Deleting":
      return "completed";
    case "PartiallyFailed":
      return "partially-failed";
    case "Failed":
      return /^cancell?ed\b/i.test(reason ?? "") ? "canceled" : "failed";
    case "FailedValidation":
      return "failed";
    default:
      return "running";
  }
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

function volumeGroup(copies: readonly Observation[], ref: Observation["ref"]): Observation {
  const starts = copies.flatMap(({ startedAt }) => startedAt ?? []);
  return {
    id: "volumes",
    ref,
    kind: "volumes",
    title: "volumes",
    rule: "sum",
    ...(starts.length > 0 && { startedAt: Math.min(...starts) }),
    children: copies,
  };
}

/** One volume: bytes as its object tells them. */
export function observeVolume(volume: VolumeObject, cluster?: string): Observation {
  const { status } = volume;
  const phase = veleroPhaseOf(status);
  const bytes = bytesOf(status?.progress);
  const said = bytes.total !== undefined || bytes.done > 0;
  const waitingFor = volumeWaits(phase, volume);
  const cause = stallOf(volume);
  return {
    id: idOf(volume),
    ref: refOf(volume, cluster),
    kind: volume.kind.toLowerCase(),
    title: volumeTitle(volume),
    state: volumeState(phase),
    ...(said && { progress: { unit: "bytes", ...bytes } }),
    ...timesOf(status?.startTimestamp, status?.completionTimestamp),
    ...messageOf(status?.message),
    ...(waitingFor && { waitingFor }),
    // Always said, so that a cause that is gone does not stay.
    signals: { causes: cause === undefined ? [] : [cause] },
  };
}

/** What the volume's agent knows of a copy that stands still; upstream's agents never say it. */
function stallOf({ metadata }: VolumeObject): StallCause | undefined {
  const note = metadata.annotations?.[stallAnnotation];
  if (note === undefined) return undefined;
  try {
    const { cause } = JSON.parse(note) as { readonly cause?: string }; // compared with the closed list in the next line
    return stallCauses.find((known) => known === cause);
  } catch {
    return undefined; // not written by an agent of ours
  }
}

function volumeState(phase: string): State {
  switch (phase) {
    case "New":
    case "Accepted":
    case "Prepared":
      return "pending";
    case "Completed":
      return "completed";
    case "Failed":
      return "failed";
    case "Canceled":
      return "canceled";
    default:
      return "running";
  }
}

function volumeWaits(phase: string, volume: VolumeObject): WaitingFor | undefined {
  switch (phase) {
    case "New":
      if (volume.kind === "VolumePluginBackup" || volume.kind === "VolumePluginRestore")
        return { reason: "plugin", message: `plugin ${volume.spec?.plugin ?? ""} to begin` };
      return { reason: "agent", message: `a node agent to take it${nodeOf(volume)}` };
    case "Accepted":
      return { reason: "pod", message: "its data mover pod" };
    case "Prepared":
      return { reason: "slot", message: `a free slot${nodeOf(volume)}` };
    default:
      return undefined;
  }
}

function nodeOf(volume: VolumeObject): string {
  const node = volume.kind === "PodVolumeBackup" ? volume.spec?.node : undefined;
  return node ? ` on node ${node}` : "";
}

function volumeTitle(volume: VolumeObject): string {
  switch (volume.kind) {
    case "PodVolumeBackup":
    case "PodVolumeRestore":
      return `${volume.spec?.pod.namespace ?? ""}/${volume.spec?.pod.name ?? ""}: ${volume.spec?.volume ?? ""}`;
    case "DataUpload":
      return `${volume.spec?.sourceNamespace ?? ""}/${volume.spec?.sourcePVC ?? ""}`;
    case "DataDownload":
      return `${volume.spec?.targetVolume?.namespace ?? ""}/${volume.spec?.targetVolume?.pvc ?? ""}`;
    case "VolumePluginBackup":
      return `${volume.spec?.volume ?? ""} (${volume.spec?.plugin ?? ""})`;
    case "VolumePluginRestore":
      return `${volume.spec?.snapshotID ?? ""} (${volume.spec?.plugin ?? ""})`;
  }
}
