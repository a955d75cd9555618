import { isTerminal, type Operation, type WaitingFor } from "./operation.ts";

/**
 * What holds an operation up: its own wait, or that of its parts when no part moves. A part that has not begun counts
 * only when none runs, since steps that come later always wait.
 */
export function waitOf(operation: Operation): WaitingFor | undefined {
  if (isTerminal(operation.state)) return undefined;
  if (operation.waitingFor) return operation.waitingFor;
  const running = operation.children.filter(({ state }) => state === "running");
  if (running.length === 0) {
    const next = operation.children.find(({ state }) => state === "pending");
    return next && waitOf(next);
  }
  const waits = running.map(waitOf);
  return waits.every((wait) => wait !== undefined) ? waits[0] : undefined;
}

/** `waiting for its turn`; a message that is a sentence of its own follows a colon. */
export function waitWords({ reason, object, message }: WaitingFor): string {
  if (message === undefined && object) return `waiting for ${object.kind} ${placeOf(object)}`;
  const text = message ?? reason;
  return /^\p{Lu}/u.test(text) ? `waiting: ${text}` : `waiting for ${text}`;
}

function placeOf({ namespace, name }: NonNullable<WaitingFor["object"]>): string {
  return namespace ? `${namespace}/${name}` : name;
}
