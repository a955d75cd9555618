import type { Backup, ItemRules, PodVolumeBackup, Restore } from "../../api/index.ts";
import type { RestoreTold } from "../../kinds/index.ts";
import type { Clock } from "../../kube/index.ts";
import type { Store } from "../../store/index.ts";
import type { RunInPod } from "./hook-runner.ts";
import type { OpenRestoreActions } from "./item-actions.ts";
import type { OpenRestoreOperations } from "./item-operations.ts";
import type { Json } from "./json.ts";
import type { Priorities } from "./priorities.ts";
import type { ItemProgress } from "./progress.ts";
import type { RunLog } from "./run-log.ts";
import type { Cluster } from "./served.ts";
import type { OpenSnapshotRestores } from "./snapshots.ts";
import type { PodVolumeRestores } from "./volumes.ts";

/** What a run needs. */
export interface RunOptions {
  /** Admitted: validated, phase InProgress. */
  readonly restore: Restore;
  readonly backup: Backup;
  readonly cluster: Cluster;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: RunLog;
  /** Items of one type worked on at a time. */
  readonly parallel: number;
  /** An earlier process had begun this restore. */
  readonly resumed: boolean;
  readonly priorities?: Priorities;
  readonly resourceTimeoutMs: number;
  readonly terminatingTimeoutMs: number;
  readonly podVolumeBackups: readonly PodVolumeBackup[];
  readonly volumes: PodVolumeRestores | undefined;
  readonly openSnapshots?: OpenSnapshotRestores | undefined;
  readonly openOperations?: readonly OpenRestoreOperations[] | undefined;
  readonly openActions?: OpenRestoreActions | undefined;
  readonly runInPod: RunInPod | undefined;
  /** How long hooks without a limit of their own wait for their pod. */
  readonly hookTimeoutMs: number;
  /** ConfigMaps of the server's namespace that change items: by what they are for. */
  readonly settings: {
    readonly storageClasses?: Json;
    readonly images?: Json;
    readonly modifiers?: string;
    readonly rules?: ItemRules;
  };
  /** The total is known; the first item is created when this returns. */
  readonly counted: () => Promise<void>;
  /** Numbers are those of this run; what an earlier process reached is kept by whoever folds them. */
  readonly onProgress: (told: RestoreTold, facts: Readonly<Record<string, unknown>>) => void;
}

/** How a restore ended; its warnings and errors are in its log. */
export interface RunEnd {
  readonly progress: ItemProgress;
  readonly hooks: { readonly total: number; readonly failed: number };
  /** The counters of its operations on single items. */
  readonly operations: Readonly<Record<string, number>>;
}
