import type { EventNote, EventRecorder } from "../kube/index.ts";
import { adviceOf, headline, isTerminal, type Operation, stalledPart, summary } from "../progress/index.ts";
import type { Frame, Observer } from "./observer.ts";

interface Known {
  readonly uid: string | undefined;
  readonly state: Operation["state"];
  readonly cause: string | undefined;
}

/** What an announcer needs. */
export interface AnnouncerOptions {
  readonly observer: Pick<Observer, "subscribe" | "object" | "isAuthor" | "isOpen">;
  readonly events: Pick<EventRecorder, "record">;
  readonly now: () => number;
}

/** Says in Kubernetes Events that an operation starts, stands still, moves again or ends. Bounded by the operations. */
export function announce({ observer, events, now }: AnnouncerOptions, signal: AbortSignal): void {
  const known = new Map<string, Known>();
  const leave = observer.subscribe(({ id, operation }: Frame) => {
    if (!operation) return void known.delete(id);
    const before = known.get(id);
    const { uid } = operation.ref;
    const cause = stalledPart(operation)?.stall?.cause;
    // Said once it is certain who says it; the change is still one then.
    if (before?.uid === uid && observer.isOpen(id)) return;
    known.set(id, { uid, state: operation.state, cause });
    const object = observer.object(id);
    // The process that saw it begin has announced it already, or the operator that writes it does.
    if (!object || !before || before.uid !== uid || !observer.isAuthor(id)) return;
    for (const note of eventsFor(before, operation, now())) events.record(object, note);
  });
  signal.addEventListener("abort", leave, { once: true });
}

/** The events that a change is worth. */
export function eventsFor(
  before: { readonly state: Operation["state"]; readonly cause: string | undefined },
  now: Operation,
  nowMs: number,
): readonly EventNote[] {
  const found: EventNote[] = [];
  if (before.state === "pending" && now.state !== "pending") {
    found.push({ type: "Normal", reason: "Started", message: `${now.title} has started` });
  }
  const part = stalledPart(now);
  if (part?.stall && part.stall.cause !== before.cause) {
    const advice = adviceOf(now);
    const message = `${headline(now, nowMs)}${advice === undefined ? "" : `. ${advice}`}`;
    found.push({ type: "Warning", reason: "Stalled", message });
  }
  if (!part && before.cause !== undefined && now.state === "running") {
    found.push({ type: "Normal", reason: "Moving", message: `${now.title} moves again` });
  }
  if (!isTerminal(before.state) && isTerminal(now.state)) found.push(endOf(now));
  return found;
}

function endOf(operation: Operation): EventNote {
  const { state } = operation;
  return {
    type: state === "completed" || state === "skipped" ? "Normal" : "Warning",
    reason: reasons[state] ?? "Ended",
    message: summary(operation),
  };
}

const reasons: Readonly<Record<string, string>> = {
  completed: "Completed",
  "partially-failed": "PartiallyFailed",
  failed: "Failed",
  canceled: "Canceled",
  skipped: "Skipped",
};
