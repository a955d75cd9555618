import type { Backup, VolumePluginBackup } from "../../api/index.ts";
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

/** What became of the wish for a snapshot: a failed one fails the volume's item, a skipped one says why there is none. */
type Taken = "taken" | "failed" | { readonly skipped: string };

/**
 * Snapshots of volumes for the length of one backup run; implemented by the engine that knows the plugins.
 *
 * After a restart of the operator the same backup is run again: an implementation finds the snapshots of the backup that
 * exist already and takes none of them twice.
 */
export interface Snapshots {
  /** Takes a snapshot of a PersistentVolume, if one of the backup's locations can. Bytes may go on moving afterwards. */
  take(volume: Readonly<Record<string, unknown>>, found: VolumeFindings, signal: AbortSignal): Promise<Taken>;
  /** Waits until the bytes of all snapshots have ended moving; failures go to `found.errors`. */
  finish(found: VolumeFindings, signal: AbortSignal): Promise<void>;
  /** All snapshots of this backup, for the stored list. */
  list(): readonly StoredSnapshot[];
  /** The VolumePluginBackups of this backup as they are now, to show and to store. */
  objects(): readonly VolumePluginBackup[];
  /** The backup ends before its time: what was taken for it alone is removed again. */
  cancel(): Promise<void>;
}

/** What an implementation is told about the run. */
interface SnapshotsContext {
  readonly backup: Backup;
  /** Called when numbers moved, so that the backup's own progress is written. */
  readonly moved: () => void;
}

/** Opens the snapshots of one run. */
export type OpenSnapshots = (context: SnapshotsContext, signal: AbortSignal) => Promise<Snapshots>;
