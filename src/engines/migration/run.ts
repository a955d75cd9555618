import type { KubeObject, MigHook, MigMigration, MigPlan, MigStorage } from "../../api/index.ts";
import type { MigDetail } from "../../kinds/index.ts";
import { type Cache, type Client, type Clock, type Log, labelValue } from "../../kube/index.ts";
import type { Flags, PhaseName } from "./itinerary.ts";
import { labels, partOf } from "./names.ts";
import type { Report } from "./pipeline.ts";
import { namespacesOf } from "./shapes.ts";

/** A cluster that a migration goes from or to. */
export interface Cluster {
  /** The MigCluster's name. */
  readonly name: string;
  readonly client: Client;
  /** The namespace of its backup server. */
  readonly namespace: string;
  /** When its token ends, epoch ms; absent for the host and for a token that does not tell. */
  readonly tokenEnds?: number;
}

/** What the controllers of this room are given by the operator. */
export interface MigrationDeps {
  readonly client: Client;
  /** What is watched, once for the whole process. */
  readonly cache: Cache;
  /** The namespace of the migration's own objects, and of the backup server unless a MigCluster says otherwise. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The image of stage pods where a cluster's own ConfigMap names none. */
  readonly stageImage: string;
  /** How often a wait is looked at; a second when absent. */
  readonly pollMs?: number | undefined;
}

/** What people may choose about a run beside its spec. */
export interface Settings {
  readonly rollback: boolean;
  readonly failOnPartial: boolean;
  readonly acceptMissing: boolean;
  readonly dropLabels: boolean;
}

/** A run, as far as its objects are found by it. */
export interface Ran {
  readonly migration: Pick<MigMigration, "metadata">;
  readonly uid: string;
}

/** Everything that a phase may look at. */
export interface Run {
  readonly migration: MigMigration;
  readonly uid: string;
  /** The runs that are undone when something is: this one, or for a roll-back the plan's earlier ones. */
  readonly undone: readonly Ran[];
  readonly plan: MigPlan;
  readonly storage: MigStorage | undefined;
  readonly hooks: readonly MigHook[];
  readonly source: Cluster;
  readonly destination: Cluster;
  readonly phase: PhaseName;
  readonly flags: Flags;
  readonly settings: Settings;
  /** Whether the node agents of the source are restarted after stage pods were made. */
  readonly restartAgents: boolean;
  readonly stageImage: string;
  /** Epoch ms. */
  readonly now: number;
  /** Epoch ms at which the phase was entered. */
  readonly since: number;
}

/** A warning that stays with the run. */
interface Warning {
  readonly type: string;
  readonly reason?: string;
  readonly message: string;
}

/** What a look at a phase came to. */
export type Outcome =
  | {
      readonly do: "advance";
      /** Not the next phase but this one. */
      readonly to?: PhaseName;
      readonly report?: Report;
      readonly warnings?: readonly Warning[];
      /** Marks of the run: set with a message, or taken away. */
      readonly marks?: Readonly<Record<string, string | undefined>>;
      readonly unhealthy?: NonNullable<MigMigration["status"]>["namespaces"];
    }
  | {
      readonly do: "wait";
      readonly report: Report;
      /** The short line for the Running condition; the words of the first detail when absent. */
      readonly progress?: string;
      readonly marks?: Readonly<Record<string, string | undefined>>;
    }
  | { readonly do: "fail"; readonly errors: readonly string[]; readonly report?: Report };

/** Does one phase, or as much of it as can be done now. May be called again at any time. */
export type Handler = (run: Run, signal: AbortSignal) => Promise<Outcome>;

/** Selects what the runs that are undone have made. */
export function selectUndone(run: Run, label: string): string {
  return `${label} in (${run.undone.map(({ uid }) => labelValue(uid)).join(",")})`;
}

/** The labels of what a run makes for itself. */
export function madeLabels(run: Run): Readonly<Record<string, string>> {
  return {
    [labels.partOf]: partOf,
    [labels.migration]: labelValue(run.uid),
    [labels.plan]: labelValue(run.plan.metadata.uid ?? ""),
  };
}

/** The phase is done. */
export const advance: Outcome = { do: "advance" };

/** A remark about an object that is waited for, or that something was done to. */
export function remark(
  kind: string,
  { metadata: { namespace, name } }: Pick<KubeObject, "metadata">,
  message: string,
): MigDetail {
  return { kind, ...(namespace !== undefined && { namespace }), name, message, remark: true };
}

/** Nothing is left of a list: done; otherwise it tells what is waited for. */
export function untilNone(details: readonly MigDetail[]): Outcome {
  return details.length === 0 ? advance : { do: "wait", report: { details } };
}

/** The namespaces of the plan on a cluster. */
export function planNamespaces(run: Run, cluster: Cluster): readonly string[] {
  const side = cluster === run.source ? "source" : "destination";
  return [...new Set(namespacesOf(run.plan).map((pair) => pair[side]))];
}
