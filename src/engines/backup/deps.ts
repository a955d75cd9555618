import type { Backup, BackupStorageLocation } from "../../api/index.ts";
import type { Cache, Client, Clock, Log } from "../../kube/index.ts";
import type { LiveLogs, Reporter } from "../../report/index.ts";
import type { OpenHow, Store } from "../../store/index.ts";
import type { BackupDefaults } from "./admission.ts";
import type { ClaimSnapshots } from "./claim-snapshots.ts";
import type { OpenItemActions } from "./item-actions.ts";
import type { OpenItemOperations } from "./item-operations.ts";
import type { RunInPod } from "./pod-items.ts";
import type { OpenSnapshots } from "./snapshots.ts";
import type { OpenPodVolumes } from "./volumes.ts";

/** What the controllers of this room are given by the operator. */
export interface BackupDeps {
  readonly client: Client;
  /** What is watched, once for the whole process. */
  readonly cache: Cache;
  /** The namespace of the server's own objects. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes what is seen of a backup: the one author of its progress. */
  readonly report: Reporter;
  /** Where lines of logs are told as they are written, for those who follow them. */
  readonly liveLogs?: LiveLogs | undefined;
  /** Told how large the archive of a backup is. */
  readonly onArchive?: ((backup: Backup, bytes: number) => void) | undefined;
  /** Opens the store of a location, its secrets read; refuses one that is not the store that the location had (`OpenHow`). */
  readonly openStore: (location: BackupStorageLocation, signal: AbortSignal, how?: OpenHow) => Promise<Store>;
  readonly openPodVolumes: OpenPodVolumes;
  readonly openSnapshots?: OpenSnapshots | undefined;
  /** Snapshots of claims by CSI drivers; absent, there are none. */
  readonly openClaimSnapshots?: OpenItemOperations<ClaimSnapshots> | undefined;
  /** What else works on items beside their being stored. */
  readonly openOperations?: readonly OpenItemOperations[] | undefined;
  /** Actions of plugins on items; absent, there are none. */
  readonly openItemActions?: OpenItemActions | undefined;
  readonly runInPod: RunInPod;
  readonly tempDir: string;
  readonly defaults: BackupDefaults;
  /** A link of our own to a file of a location whose store gives none. */
  readonly localUrl: (location: string, key: string, ttlSeconds: number) => string | undefined;
  /** Removes what other engines keep for a backup (snapshots, repository data); returns what went wrong. */
  readonly beforeDelete?:
    | readonly ((backup: Backup, store: Store, signal: AbortSignal) => Promise<readonly string[]>)[]
    | undefined;
  readonly serverVersion: string;
  readonly listPlugins: (
    signal: AbortSignal,
  ) => Promise<readonly { readonly name: string; readonly kind: string }[]>;
  /** Backups that may run at a time. */
  readonly concurrentBackups: number;
}
