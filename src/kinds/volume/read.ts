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
import type { Observation, WaitingFor } from "../../progress/index.ts";
import { idOf, messageOf, refOf, timesOf } from "../reading.ts";
import { type VolumePhase, volumePhaseOf, volumeStateOf } from "./phase.ts";
import { readStall } from "./stall-note.ts";

/** One volume that is copied, whoever copies it. */
export type VolumeObject =
  | PodVolumeBackup
  | PodVolumeRestore
  | DataUpload
  | DataDownload
  | VolumePluginBackup
  | VolumePluginRestore;

/** One volume: bytes as its object tells them. */
export function readVolume(volume: VolumeObject, cluster?: string): Observation {
  const { status } = volume;
  const bytes = bytesOf(status?.progress);
  const isMeasured = bytes.total !== undefined || bytes.done > 0;
  const waitingFor = waitOf(volume);
  const cause = readStall(volume)?.cause;
  return {
    id: idOf(volume),
    ref: refOf(volume, cluster),
    kind: volume.kind.toLowerCase(),
    title: volumeTitle(volume),
    state: volumeStateOf(status),
    ...(isMeasured && { progress: { unit: "bytes", ...bytes } }),
    ...timesOf(status?.startTimestamp, status?.completionTimestamp),
    ...messageOf(status?.message),
    ...(waitingFor && { waitingFor }),
    // Always said, so that a cause that is gone does not stay.
    signals: { causes: cause === undefined ? [] : [cause] },
  };
}

/** What a copy that has not begun waits for. */
function waitOf(volume: VolumeObject): WaitingFor | undefined {
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
