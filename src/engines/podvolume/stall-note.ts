/** Causes that an agent can see: words of `progress/stall.ts`. */
export type AgentStall = "mover-silent" | "lock-held" | "store-unreachable" | "mover-gone";

/** The annotation's text. */
export function stallNote(cause: AgentStall, sinceMs: number): string {
  return JSON.stringify({ cause, since: sinceMs });
}
