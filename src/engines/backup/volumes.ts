import type { Backup, PodVolumeBackup, VolumeFacts } from "../../api/index.ts";
import type { VolumeAction } from "./policies.ts";
import type { LeftClaim } from "./protection.ts";
import type { Findings } from "./results.ts";

/** A pod as the API server has it; only what choosing its volumes needs is named. */
export interface PodItem {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly spec?: {
    readonly nodeName?: string;
    readonly volumes?: readonly Readonly<Record<string, unknown> & { readonly name: string }>[];
    readonly containers?: readonly Readonly<Record<string, unknown> & { readonly name: string }>[];
    readonly initContainers?: readonly Readonly<Record<string, unknown> & { readonly name: string }>[];
  };
  readonly status?: { readonly phase?: string };
}

/** Where an implementation puts what it could not do. */
export interface VolumeFindings {
  readonly warnings: Pick<Findings, "add">;
  readonly errors: Pick<Findings, "add">;
}

/** What became of the volumes of a pod that are claims; the other volumes concern the pod alone. */
interface StartedVolumes {
  /** Claims (`namespace/name`) whose files are copied. */
  readonly copied: readonly string[];
  readonly left: readonly LeftClaim[];
}

/**
 * Pod volumes for the length of one backup run: what this engine needs of the one that copies volumes.
 *
 * One is opened for each run with `openPodVolumes`. After a restart of the operator the same backup is run again: an
 * implementation finds the PodVolumeBackups of the backup that exist already and keeps those that are done.
 */
export interface PodVolumes {
  /** The volumes of a pod that will be copied, as far as the pod alone tells; asked before anything is copied. */
  plan(pod: PodItem): readonly { readonly volume: string; readonly bytes?: number | undefined }[];
  /** Makes ready, beside everything else, what the planned volumes will need. What goes wrong is told at their turn. */
  prepare?(signal: AbortSignal): void;
  /** Decides about a pod's volumes and starts the copies. */
  start(pod: PodItem, found: VolumeFindings, signal: AbortSignal): Promise<StartedVolumes>;
  /** Waits until the copies of this pod have ended, well or not. */
  settled(pod: { readonly namespace: string; readonly name: string }, signal: AbortSignal): Promise<void>;
  /** Waits for all that was started (bounded by the backup's volume timeout); failures go to `found.errors`. */
  finish(found: VolumeFindings, signal: AbortSignal): Promise<void>;
  /** Every PodVolumeBackup of this backup as it is now, to show and to store. */
  list(): readonly PodVolumeBackup[];
  /** Asks what still runs to stop, and waits until it has. */
  cancel(): Promise<void>;
}

/** What an implementation is told about the run. */
interface PodVolumesContext {
  readonly backup: Backup;
  /** What the backup's policies say about a volume; undefined when they are silent. */
  readonly policy: (facts: VolumeFacts) => VolumeAction | undefined;
  /** Whether claims are part of the backup; if not, their volumes are not copied unless a pod names them. */
  readonly takesClaims: boolean;
  /** Called when numbers moved, so that the backup's own progress is written. */
  readonly moved: () => void;
  /** Told what is done for the volumes of a pod before they are copied, where it takes a while. */
  readonly doing?: ((what: string) => void) | undefined;
}

/** Opens the pod volumes of one run. */
export type OpenPodVolumes = (context: PodVolumesContext, signal: AbortSignal) => Promise<PodVolumes>;
