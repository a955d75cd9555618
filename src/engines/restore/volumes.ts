import type { PodVolumeBackup, PodVolumeRestore, Restore } from "../../api/index.ts";
import type { Item } from "./archive/item-json.ts";

/** One pod that is about to be restored, and the volume backups that belong to it. */
export interface PodWithVolumes {
  readonly restore: Restore;
  /** The pod as it goes to the cluster: already in its target namespace. */
  readonly pod: Item;
  /** Where the pod lived when it was backed up; volume backups are matched by this and the pod's name. */
  readonly sourceNamespace: string;
  /** Volume backups of this pod with a snapshot, one a volume. */
  readonly backups: readonly PodVolumeBackup[];
}

/** How one volume ended. */
interface VolumeResult {
  /** The target namespace and name of the pod. */
  readonly namespace: string;
  readonly pod: string;
  readonly volume: string;
  /** Absent when it ended well. */
  readonly error?: string;
}

/**
 * What a restore needs of pod-volume restores; implemented by the pod-volume engine and wired by the operator.
 *
 * A call may come twice for the same pod, after a restart: what this restore has started already is found again.
 */
export interface PodVolumeRestores {
  /** The pod with the init container that waits for its volumes; called before the pod is created. */
  prepare(pod: PodWithVolumes, signal: AbortSignal): Promise<Item>;
  /** Starts the restore of the volumes of a pod that was just created; `podUid` is the new pod's. */
  start(pod: PodWithVolumes, podUid: string, signal: AbortSignal): Promise<void>;
  /** Tells of every started volume whenever one changes, from now until the signal fires. */
  watch(
    restore: Restore,
    told: (copies: readonly PodVolumeRestore[]) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Waits until every started volume has ended, well or not; `told` gets all of them whenever one changes. */
  wait(
    restore: Restore,
    told: (copies: readonly PodVolumeRestore[]) => void,
    signal: AbortSignal,
  ): Promise<readonly VolumeResult[]>;
  /** Asks the running ones to stop. */
  cancel(restore: Restore, signal: AbortSignal): Promise<void>;
}
