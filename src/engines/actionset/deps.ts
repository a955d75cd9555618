import type { Client, Clock, StatusWriter } from "../../kube/index.ts";
import type { Reporter } from "../../report/index.ts";
import type { ActionOptions } from "./functions/call.ts";
import type { PercentFormat } from "./percent.ts";

/** Says something to whoever runs the operator. */
type Log = (
  level: "info" | "warning" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** What the controller of this room is given by the operator. */
export interface ActionSetDeps {
  readonly client: Client;
  /** The namespace of ActionSets and Blueprints. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly status: StatusWriter;
  /** Shows an operation to whoever watches. */
  readonly report: Pick<Reporter, "tell">;
  readonly actions: ActionOptions & {
    readonly percent: PercentFormat;
    /** ActionSets that may run at a time. */
    readonly concurrent: number;
  };
}
