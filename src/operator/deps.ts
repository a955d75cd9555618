import type { BackupStorageLocation } from "../api/index.ts";

import type { ActionSetDeps } from "../engines/actionset/index.ts";
import type {
  BackupDefaults,
  BackupDeps,
  OpenItemActions,
  OpenPodVolumes,
  OpenSnapshots,
  RunInPod,
} from "../engines/backup/index.ts";

import type { Repositories } from "../engines/podvolume/index.ts";

import type {
  OpenRestoreActions,
  OpenSnapshotRestores,
  PodVolumeRestores,
  Priorities,
  RestoreDeps,
  RestoreRights,
} from "../engines/restore/index.ts";

import type { Cache, Client, Clock, Log, StatusWriter } from "../kube/index.ts";
import type { LiveLogs, Reporter } from "../report/index.ts";
import type { OpenHow, Store } from "../store/index.ts";

/** What every engine may use; each takes the part it needs. */
export interface OperatorDeps {
  readonly client: Client;
  /** What is watched, once for the whole process. */
  readonly cache: Cache;
  /** The namespace of the server's own objects. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The one writer of status fields. */
  readonly status: StatusWriter;
  /** The one author of progress. */
  readonly report: Reporter;
  /** The newest lines of the logs that are written now. */
  readonly liveLogs: LiveLogs;
  /** Told how large the archive of a backup is. */
  readonly onArchive: NonNullable<BackupDeps["onArchive"]>;
  /** Opens the store of a location, its secrets read. */
  readonly openStore: (location: BackupStorageLocation, signal: AbortSignal, how?: OpenHow) => Promise<Store>;
  readonly runInPod: RunInPod;
  /** The same with the rights of another client. */
  readonly runInPodAs: (client: Pick<Client, "exec">) => RunInPod;
  /** With whose rights restores are done. */
  readonly restoreRights?: RestoreRights | undefined;
  /** Where big files are spooled. */
  readonly tempDir: string;
  /** A link of our own to a file of a location whose store gives none. */
  readonly localUrl: (location: string, key: string, ttlSeconds: number) => string | undefined;
  /** What to call ourselves in a ServerStatusRequest. */
  readonly serverVersion: string;
  readonly listPlugins: BackupDeps["listPlugins"];
  readonly backupDefaults: BackupDefaults;
  /** Volumes of backups and of restores, and the repositories of both. */
  readonly openPodVolumes: OpenPodVolumes;
  readonly podVolumes: PodVolumeRestores;
  readonly repositories: Repositories;
  /** Native snapshots of backups and of restores. */
  readonly openSnapshots: OpenSnapshots;
  readonly openSnapshotRestores: OpenSnapshotRestores;
  /** Snapshots by CSI drivers, and data moved out of them. */
  readonly openClaimSnapshots: BackupDeps["openClaimSnapshots"];
  readonly openRestoreOperations: RestoreDeps["openRestoreOperations"];
  /** What plugins do to the items of backups and of restores. */
  readonly openItemActions: OpenItemActions;
  readonly openRestoreActions: OpenRestoreActions;
  /** What removes a backup's parts outside its own folder. */
  readonly beforeDelete: NonNullable<BackupDeps["beforeDelete"]>;
  readonly concurrentBackups: number;
  /** The image of pods that hold volumes during a migration. */
  readonly stageImage: string;
  /** How the pods of actions are made, and how far they are is written. */
  readonly actions: ActionSetDeps["actions"];
  /** The order of types in restores; the engine's own when absent. */
  readonly priorities?: Priorities | undefined;
}

/** One controller, or a family of them, as `--controllers` names it. */
export interface Registration {
  readonly name: string;
  /** Works until the signal fires. */
  start(deps: OperatorDeps, signal: AbortSignal): Promise<void>;
}
