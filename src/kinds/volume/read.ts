import {
  bytesOf,
  type DataDownload,
  type DataUpload,
  originalVolumeAnnotation,
  type PodVolumeBackup,
  type PodVolumeRestore,
  type VolumePluginBackup,
  type VolumePluginRestore,
} from "../../api/index.ts";
import type { Observation, Sample, WaitingFor } from "../../progress/index.ts";
import { idOf, messageOf, refOf, timesOf } from "../reading.ts";
import { readCarried } from "./carried-note.ts";
import { readExpected } from "./expected-note.ts";
import { withSteps } from "./movement-steps.ts";
import { isVolumeEnded, type VolumePhase, volumePhaseOf, volumeStateOf } from "./phase.ts";
import { readBusy, readStall } from "./stall-note.ts";
import { readStep } from "./step-note.ts";

/** One volume that is copied, whoever copies it. */
export type VolumeObject =
  | PodVolumeBackup
  | PodVolumeRestore
  | DataUpload
  | DataDownload
  | VolumePluginBackup
  | VolumePluginRestore;

/** One volume: bytes as its object tells them, and the steps of a movement where they are noted. */
export function readVolume(volume: VolumeObject, cluster?: string): Observation {
  const whole = readCopy(volume, cluster);
  return volume.kind === "DataUpload" || volume.kind === "DataDownload" ? withSteps(volume, whole) : whole;
}

/** One volume without its steps, as its status can hold it. */
export function readCopy(volume: VolumeObject, cluster?: string): Observation {
  const { status } = volume;
  const progress = sampleOf(volume);
  const waitingFor = waitOf(volume);
  const cause = readStall(volume)?.cause;
  const busyAt = readBusy(volume);
  const carriedBytes = readCarried(volume);
  return {
    id: idOf(volume),
    ref: refOf(volume, cluster),
    kind: volume.kind.toLowerCase(),
    title: volumeTitle(volume),
    state: volumeStateOf(status),
    ...(progress && { progress }),
    ...timesOf(status?.startTimestamp, status?.completionTimestamp),
    ...messageOf(status?.message),
    ...(waitingFor && { waitingFor }),
    // Always said, so that a cause that is gone does not stay.
    signals: {
      causes: cause === undefined ? [] : [cause],
      ...(busyAt !== undefined && { busyAt }),
      ...(carriedBytes !== undefined && { carriedBytes }),
    },
  };
}

/** The bytes of a copy. Before its turn has come a restore knows its size, and a backup what it expects. */
function sampleOf(volume: VolumeObject): Sample | undefined {
  const bytes = bytesOf(volume.status?.progress);
  const said = { unit: "bytes" as const, ...bytes };
  if (bytes.total !== undefined) return said;
  const size = sizeOf(volume);
  if (size) return { ...said, total: Math.max(size, bytes.done) };
  const expected = readExpected(volume);
  if (expected) return { ...said, total: Math.max(expected, bytes.done), estimated: true };
  return bytes.done > 0 ? said : undefined;
}

function sizeOf(volume: VolumeObject): number | undefined {
  const isRestore = volume.kind === "PodVolumeRestore" || volume.kind === "DataDownload";
  return isRestore ? volume.spec?.snapshotSize : undefined;
}

/** What a copy that has not begun waits for, or what it is at when its bytes are there. */
function waitOf(volume: VolumeObject): WaitingFor | undefined {
  if (isVolumeEnded(volume.status)) return undefined;
  const note = readStep(volume);
  if (note) return { reason: note.step, message: note.message };
  switch (volumePhaseOf(volume.status) as VolumePhase) {
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

/** A volume as a person knows it: by its pod or its claim, not by the name of the object that copies it. */
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
      return `${originalVolumeOf(volume)} (${volume.spec?.plugin ?? ""})`;
  }
}

/** The volume that is brought back, where our own engine says which; upstream's objects name the snapshot only. */
function originalVolumeOf({ metadata, spec }: VolumePluginRestore): string {
  return metadata.annotations?.[originalVolumeAnnotation] ?? spec?.snapshotID ?? "";
}
