import type {
  BackupItemAction,
  DeleteItemAction,
  ItemBlockAction,
  RestoreItemAction,
} from "./actions/contract.ts";

/** A PersistentVolume as the API server has it. */
export type PersistentVolume = Readonly<Record<string, unknown>>;

/** What a plugin says of one snapshot, or of one volume that is filled. */
export interface PluginProgress {
  readonly phase: "InProgress" | "Completed" | "Failed";
  /** Absent while it is not known. */
  readonly totalBytes?: number;
  readonly bytesDone?: number;
  /** What went wrong, or a remark. */
  readonly message?: string;
}

/** What a snapshot is asked for with. */
export interface SnapshotRequest {
  readonly volumeID: string;
  /** "" when the volume has no zone. */
  readonly volumeAZ: string;
  /** The backup's labels, and `velero.io/backup`, `velero.io/pv` and `headway.dev/backup-uid`. */
  readonly tags: Readonly<Record<string, string>>;
}

/** What a volume is asked for with. */
export interface VolumeRequest {
  readonly snapshotID: string;
  readonly volumeType: string;
  readonly volumeAZ: string;
  /** Absent when the volume had no such figure. */
  readonly iops?: number;
}

/**
 * A volume snapshotter. `init` comes first and once; the others may be called several at a time. A method that cannot do
 * what it is asked throws. The signal fires when the answer is no longer wanted.
 */
export interface VolumeSnapshotter {
  init(config: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>;
  /** The id under which this plugin knows the volume; "" when it is not one of its own. */
  getVolumeID(volume: PersistentVolume, signal: AbortSignal): Promise<string>;
  /** The same volume with another id. */
  setVolumeID(volume: PersistentVolume, volumeID: string, signal: AbortSignal): Promise<PersistentVolume>;
  getVolumeInfo(
    volume: { readonly volumeID: string; readonly volumeAZ: string },
    signal: AbortSignal,
  ): Promise<{ readonly type: string; readonly iops?: number }>;
  /** Fixes the moment and returns the snapshot's id; its bytes may go on moving afterwards. */
  createSnapshot(request: SnapshotRequest, signal: AbortSignal): Promise<string>;
  /** Begins to make a volume and returns its id; its bytes may go on moving afterwards. */
  createVolumeFromSnapshot(request: VolumeRequest, signal: AbortSignal): Promise<string>;
  deleteSnapshot(snapshotID: string, signal: AbortSignal): Promise<void>;
  /** How far a snapshot is. Optional: without it, and without objects of the plugin's own, only the phase is shown. */
  progress?(snapshotID: string, signal: AbortSignal): Promise<PluginProgress>;
  /** How far a volume that is made out of a snapshot is. Optional in the same way. */
  restoreProgress?(volumeID: string, signal: AbortSignal): Promise<PluginProgress>;
  /**
   * The id of a snapshot that was asked for with this volume and these tags; "" when there is none. Optional: with it, a
   * snapshot whose id was lost because the operator was killed during `createSnapshot` is found again.
   */
  findSnapshot?(request: SnapshotRequest, signal: AbortSignal): Promise<string>;
}

/** What a plugin may know of the program that loads it. */
export interface PluginContext {
  /** The plugin's name, such as `example.com/disks`. */
  readonly name: string;
  /** The namespace of the server's own objects. */
  readonly namespace: string;
  /** The file that names the cluster; absent inside a cluster. */
  readonly kubeconfig?: string;
  log(level: "info" | "warning" | "error", message: string): void;
}

/** Makes one instance of a plugin; there is one for each snapshot location and run. */
export type SnapshotterFactory = (context: PluginContext) => VolumeSnapshotter | Promise<VolumeSnapshotter>;

/** What a plugin module exports as `backupItemActions`: factories by the action's full name, such as `example.com/stamp`. */
export type BackupItemActions = Factories<BackupItemAction>;
/** The same as `restoreItemActions`. */
export type RestoreItemActions = Factories<RestoreItemAction>;
/** The same as `deleteItemActions`. */
export type DeleteItemActions = Factories<DeleteItemAction>;
/** The same as `itemBlockActions`. */
export type ItemBlockActions = Factories<ItemBlockAction>;

type Factories<T> = Readonly<Record<string, (context: PluginContext) => T | Promise<T>>>;

/** What a plugin module exports as `snapshotters`: factories by the plugin's full name, such as `example.com/disks`. */
export type Snapshotters = Readonly<Record<string, SnapshotterFactory>>;
