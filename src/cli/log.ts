import type { Io } from "./io.ts";

/** Says what a long-running command has to say: one JSON line a message on standard error. */
export function jsonLog(io: Pick<Io, "err">) {
  return (level: "info" | "warning" | "error", message: string, fields?: Readonly<Record<string, unknown>>) =>
    io.err(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...plain(fields) })}\n`);
}

/** JSON shows nothing of an error unless its message is taken out. */
function plain(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? value.message : value]),
  );
}
