import type { BackupStorageLocation, Drill } from "../../api/index.ts";
import type { Cache, Client, Clock, Log } from "../../kube/index.ts";
import type { Reporter } from "../../report/index.ts";
import type { Store } from "../../store/index.ts";

/** Runs a command in a container. */
export type RunInPod = (
  place: { readonly namespace: string; readonly pod: string; readonly container: string },
  command: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
) => Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;

/** What the controller of this room is given by the operator. */
export interface DrillDeps {
  readonly client: Client;
  /** What is watched, once for the whole process. */
  readonly cache: Cache;
  /** The namespace of the server's own objects. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes what is seen of a drill: the one author of its progress. */
  readonly report: Reporter;
  /** Opens the store of a location, its secrets read. */
  readonly openStore: (location: BackupStorageLocation, signal: AbortSignal) => Promise<Store>;
  /** The first time of a schedule after a moment; a text is the reason why it has none. */
  readonly nextTime: (schedule: string, afterMs: number) => number | string | undefined;
  /** Whoever may restore acts in the scratch namespaces; or why nobody may. */
  readonly actorOf: (drill: Drill) => Client | { readonly fault: string };
  /** Runs commands with the rights of a client. */
  readonly runInPodAs: (client: Pick<Client, "exec">) => RunInPod;
}
