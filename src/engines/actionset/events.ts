import type { ActionSet, Blueprint } from "../../api/index.ts";
import type { EventRecorder } from "../../kube/index.ts";

/** Events about one ActionSet, with upstream's reasons. */
export class Announce {
  readonly #events: Pick<EventRecorder, "record">;
  readonly #set: ActionSet;

  constructor(events: Pick<EventRecorder, "record">, set: ActionSet) {
    this.#events = events;
    this.#set = set;
  }

  normal(reason: string, message: string): void {
    this.#events.record(this.#set, { type: "Normal", reason, message });
  }

  warning(reason: string, message: string): void {
    this.#events.record(this.#set, { type: "Warning", reason, message });
  }

  /** An action failed: told on the ActionSet and on the Blueprint, as upstream does. */
  failed(
    action: { readonly spec: { readonly name?: string }; readonly blueprint: Blueprint },
    message: string,
  ): void {
    const note = {
      type: "Warning",
      reason: `ActionSetFailed Action: ${action.spec.name ?? ""}`,
      message,
    } as const;
    this.#events.record(this.#set, note);
    this.#events.record(
      { ...action.blueprint, apiVersion: "cr.kanister.io/v1alpha1", kind: "Blueprint" },
      note,
    );
  }
}
