import type { BackupStorageLocation } from "../api/index.ts";
import type { BackupDefaults, Log, RunInPod } from "../engines/backup/index.ts";
import type { Client, Clock, StatusWriter } from "../kube/index.ts";
import type { Observation } from "../progress/index.ts";
import type { Store } from "../store/index.ts";

/** What every engine may use; each takes the part it needs. */
export interface OperatorDeps {
  readonly client: Client;
  /** The namespace of the server's own objects. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The one writer of status fields. */
  readonly status: StatusWriter;
  /** Shows an operation to whoever watches. */
  readonly report: (seen: Observation) => void;
  /** Opens the store of a location, its secrets read. */
  readonly openStore: (location: BackupStorageLocation, signal: AbortSignal) => Promise<Store>;
  readonly runInPod: RunInPod;
  /** Where big files are spooled. */
  readonly tempDir: string;
  /** A link of our own to a file of a location whose store gives none. */
  readonly localUrl: (location: string, key: string, ttlSeconds: number) => string | undefined;
  /** What to call ourselves in a ServerStatusRequest. */
  readonly serverVersion: string;
  readonly plugins: readonly { readonly name: string; readonly kind: string }[];
  readonly backupDefaults: BackupDefaults;
  readonly concurrentBackups: number;
}

/** One controller, or a family of them, as `--controllers` names it. */
export interface Registration {
  readonly name: string;
  /** Works until the signal fires. */
  start(deps: OperatorDeps, signal: AbortSignal): Promise<void>;
}
