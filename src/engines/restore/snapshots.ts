import type { Backup, Restore, VolumePluginRestore } from "../../api/index.ts";
import type { Item } from "./archive/item-json.ts";
import type { Json } from "./json.ts";

/**
 * Volumes that are made out of snapshots, for the length of one restore's run: what this engine needs of the one that
 * knows the plugins.
 */
export interface SnapshotRestores {
  /** Whether the backup has a snapshot of this volume. */
  has(volume: string): boolean;
  /**
   * Makes a volume out of its snapshot and returns the PersistentVolume that stands for it, when its data are there: a
   * pod must not see half of them. A volume that an earlier run of this restore made is found again. Throws when it
   * cannot be made. `as` is the name that the volume will have in the cluster: its own where that is free.
   */
  make(volume: Item, as: string, signal: AbortSignal): Promise<Item>;
  /** The VolumePluginRestores that were begun, as they are now. */
  objects(): readonly VolumePluginRestore[];
  /** Ends the plugins; called once, however the run ends. */
  close(): Promise<void>;
}

/** What an implementation is told about the run. */
interface SnapshotRestoresContext {
  readonly restore: Restore;
  readonly backup: Backup;
  /** The native snapshots of the backup as they are stored; read field by field. */
  readonly snapshots: readonly Json[];
  /** Called when numbers moved. */
  readonly moved: () => void;
  /** Something that the one who reads the restore's results should know. */
  readonly warn: (message: string) => void;
}

/** Opens the snapshots of one run. */
export type OpenSnapshotRestores = (
  context: SnapshotRestoresContext,
  signal: AbortSignal,
) => Promise<SnapshotRestores>;
