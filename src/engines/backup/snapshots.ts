import type { Backup } from "../../api/index.ts";
import type { VolumeFindings } from "./volumes.ts";

/** One native snapshot as the store keeps it; keys are upstream's. */
export interface StoredSnapshot {
  readonly spec: {
    readonly backupName: string;
    readonly backupUID: string;
    readonly location: string;
    readonly persistentVolumeName: string;
    readonly providerVolumeID: string;
    readonly volumeType: string;
    readonly volumeAZ?: string;
    readonly volumeIOPS?: number;
  };
  readonly status: { readonly providerSnapshotID?: string; readonly phase: "New" | "Completed" | "Failed" };
}

/** Snapshots of volumes for the length of one backup run; implemented by the engine that knows the plugins. */
export interface Snapshots {
  /** Takes a snapshot of a PersistentVolume, if one of the backup's locations can; false fails the item. */
  take(
    volume: Readonly<Record<string, unknown>>,
    found: VolumeFindings,
    signal: AbortSignal,
  ): Promise<boolean>;
  /** All snapshots of this backup, for the stored list. */
  list(): readonly StoredSnapshot[];
}

/** Opens the snapshots of one run. */
export type OpenSnapshots = (context: { readonly backup: Backup }, signal: AbortSignal) => Promise<Snapshots>;
