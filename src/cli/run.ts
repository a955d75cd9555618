import { AppError, exitCodeOf } from "../errors.ts";
import { guardProcess, type Host, type ProcessGuard } from "../wire/index.ts";
import { type Io, processIo } from "./io.ts";
import { jsonLog } from "./log.ts";
import { parse } from "./parse.ts";
import { root } from "./table.ts";

/** Runs one command line and returns its exit code. */
export async function run(
  argv: readonly string[],
  signal: AbortSignal,
  io: Io = processIo(),
  host?: Host,
): Promise<number> {
  let guard: ProcessGuard | undefined;
  try {
    const parsed = await parse(root, argv, io);
    if (!parsed) return 0;
    const plain = parsed.input.flags["no-color"] === true;
    if (parsed.command.lasting && host) guard = guardProcess(host, jsonLog(io), signal);
    const until = guard?.signal ?? signal;
    const code = await parsed.command.run?.(parsed.input, plain ? { ...io, color: false } : io, until);
    return guard?.failed() ? 1 : (code ?? 0);
  } catch (error) {
    // Being told to stop is not a failure: nothing to say, and the exit code of a program that was interrupted.
    if (signal.aborted && !(error instanceof AppError)) return 130;
    io.err(`headway: ${words(error)}\n`);
    return exitCodeOf(error);
  } finally {
    guard?.close();
  }
}

const notInstalled =
  '; has Headway been installed on this cluster? "headway install --apply" brings its kinds';

/** The server does not even know the path: an object that is missing is told with a Status. */
function isKindUnknown(error: AppError): boolean {
  const { status } = error as { readonly status?: { readonly code?: number; readonly reason?: string } };
  return error.code === "KUBE_API" && status?.code === 404 && status.reason === "";
}

/** A person gets one message; a bug also shows where it happened. */
function words(error: unknown): string {
  if (error instanceof AppError) return `${error.message}${isKindUnknown(error) ? notInstalled : ""}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
