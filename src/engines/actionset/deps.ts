import type { PercentFormat } from "../../kinds/index.ts";
import type { Cache, Client, Clock, Log } from "../../kube/index.ts";
import type { Reporter } from "../../report/index.ts";
import type { ActionOptions } from "./functions/call.ts";

/** What the controller of this room is given by the operator. */
export interface ActionSetDeps {
  readonly client: Client;
  /** What is watched, once for the whole process. */
  readonly cache: Cache;
  /** The namespace of ActionSets and Blueprints. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The one author of what the status says. */
  readonly report: Pick<Reporter, "tell" | "end" | "settled" | "forget">;
  readonly actions: ActionOptions & {
    readonly percent: PercentFormat;
    /** ActionSets that may run at a time. */
    readonly concurrent: number;
  };
}
