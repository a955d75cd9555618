import type { BackupStorageLocation } from "../../api/index.ts";
import type { Cache, Client, Clock, Log } from "../../kube/index.ts";
import type { LiveLogs, Reporter } from "../../report/index.ts";
import type { Store } from "../../store/index.ts";
import type { RestoreRights } from "./actor.ts";
import type { RunInPod } from "./hook-runner.ts";
import type { OpenRestoreActions } from "./item-actions.ts";
import type { OpenRestoreOperations } from "./item-operations.ts";
import type { Priorities } from "./priorities.ts";
import type { OpenSnapshotRestores } from "./snapshots.ts";
import type { PodVolumeRestores } from "./volumes.ts";

/** What the controller of this room is given by the operator. */
export interface RestoreDeps {
  readonly client: Client;
  /** What is watched, once for the whole process. */
  readonly cache: Cache;
  /** The namespace of the server's own objects. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes what is seen of a restore: the one author of its progress. */
  readonly report: Reporter;
  /** Where lines of logs are told as they are written, for those who follow them. */
  readonly liveLogs?: LiveLogs | undefined;
  /** Opens the store of a location, its secrets read. */
  readonly openStore: (location: BackupStorageLocation, signal: AbortSignal) => Promise<Store>;
  /** Absent: the content of pod volumes is not restored, and each such pod gets a warning. */
  readonly podVolumes?: PodVolumeRestores | undefined;
  /** Absent: volumes are not made out of snapshots, and each one that should be is an error. */
  readonly openSnapshotRestores?: OpenSnapshotRestores | undefined;
  /** What else works on items: CSI snapshots, data movement. */
  readonly openRestoreOperations?: readonly OpenRestoreOperations[] | undefined;
  /** Actions of plugins on items; absent, there are none. */
  readonly openRestoreActions?: OpenRestoreActions | undefined;
  /** Runs hooks with the rights of whoever does the restore. Absent: hooks that run commands fail, and say so. */
  readonly runInPodAs?: ((client: Pick<Client, "exec">) => RunInPod) | undefined;
  /** With whose rights; with the operator's own when absent. */
  readonly restoreRights?: RestoreRights | undefined;
  /** Items of one type worked on at a time. */
  readonly parallel?: number | undefined;
  readonly priorities?: Priorities | undefined;
  readonly resourceTimeoutMs?: number | undefined;
  readonly terminatingTimeoutMs?: number | undefined;
}
