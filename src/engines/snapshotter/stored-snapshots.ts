import type { Backup } from "../../api/index.ts";
import type { Placed } from "./snapshot-object.ts";

/** What is needed of a native snapshot in a backup's stored list. */
export interface StoredSnapshot {
  readonly volume: string;
  readonly location: string;
  readonly snapshotID: string;
  readonly volumeType: string;
  readonly volumeAZ?: string;
  readonly volumeIOPS?: number;
}

/** One snapshot as a backup's list keeps it; keys are upstream's. */
export function storedSnapshot(
  { metadata: { name, uid = "" } }: Backup,
  volume: string,
  { location, volumeID, volumeType, volumeAZ, volumeIOPS }: Placed,
  status: { readonly providerSnapshotID?: string; readonly phase: "New" | "Completed" | "Failed" },
) {
  const spec = {
    backupName: name,
    backupUID: uid,
    location,
    persistentVolumeName: volume,
    providerVolumeID: volumeID,
    volumeType,
    ...(volumeAZ !== undefined && { volumeAZ }),
    ...(volumeIOPS !== undefined && { volumeIOPS }),
  };
  return { spec, status };
}

/** The usable snapshots of a stored list by the name of their volume; whatever else is in it is passed over. */
export function storedSnapshots(list: readonly unknown[]): ReadonlyMap<string, StoredSnapshot> {
  const found = new Map<string, StoredSnapshot>();
  for (const one of list) {
    const [spec, status] = [field(one, "spec"), field(one, "status")];
    const volume = text(field(spec, "persistentVolumeName"));
    const snapshotID = text(field(status, "providerSnapshotID"));
    if (volume === "" || snapshotID === "" || field(status, "phase") !== "Completed") continue;
    const volumeAZ = text(field(spec, "volumeAZ"));
    const iops = field(spec, "volumeIOPS");
    found.set(volume, {
      volume,
      snapshotID,
      location: text(field(spec, "location")),
      volumeType: text(field(spec, "volumeType")),
      ...(volumeAZ !== "" && { volumeAZ }),
      ...(typeof iops === "number" && Number.isSafeInteger(iops) && { volumeIOPS: iops }),
    });
  }
  return found;
}

/** A snapshot by the location that has it. */
export interface SnapshotId {
  readonly location: string;
  readonly id: string;
}

/** Every snapshot id of a stored list, usable or not, with its location: what is to be removed with the backup. */
export function snapshotIds(list: readonly unknown[]): readonly SnapshotId[] {
  return list.flatMap((one) => {
    const id = text(field(field(one, "status"), "providerSnapshotID"));
    return id === "" ? [] : [{ location: text(field(field(one, "spec"), "location")), id }];
  });
}

function field(object: unknown, name: string): unknown {
  return typeof object === "object" && object !== null && Object.hasOwn(object, name)
    ? (object as Record<string, unknown>)[name]
    : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
