import type { KubeObject, MigCondition } from "../../api/index.ts";
import type { EventRecorder } from "../../kube/index.ts";

/** Tells of each condition that is new or says something new, as an event about its object; upstream tells all, at every look. */
export function tellConditions(
  events: Pick<EventRecorder, "record">,
  object: KubeObject,
  before: readonly MigCondition[] | undefined,
  now: readonly MigCondition[] | undefined,
): void {
  const known = new Set((before ?? []).map(textOf));
  for (const condition of now ?? []) {
    if (condition.status !== "True" || known.has(textOf(condition))) continue;
    const isBad = ["Critical", "Error", "Warn"].includes(condition.category ?? "");
    const { type, message = "" } = condition;
    events.record(object, { type: isBad ? "Warning" : "Normal", reason: type, message: message || type });
  }
}

function textOf({ type, status, reason, message }: MigCondition): string {
  return JSON.stringify([type, status, reason, message]);
}
