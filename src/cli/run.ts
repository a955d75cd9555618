import { guardProcess, type Host, type ProcessGuard } from "../../packages/wire/index.ts";
import { AppError } from "../errors.ts";
import { type Command, text } from "./command.ts";
import { interruptCode } from "./interrupt.ts";
import { type Io, processIo } from "./io.ts";
import { jsonLog } from "./log.ts";
import { parse } from "./parse.ts";
import { exitOf, plainWords } from "./plain-words.ts";
import { root } from "./table.ts";

/** What a command line runs in. */
export interface Surroundings {
  /** The process, which a command that lasts watches over. */
  readonly host?: Host;
  /** Told which command it is before it begins. */
  readonly began?: (command: Command) => void;
}

/** Runs one command line and returns its exit code. */
export async function run(
  argv: readonly string[],
  signal: AbortSignal,
  io: Io = processIo(),
  { host, began }: Surroundings = {},
): Promise<number> {
  let guard: ProcessGuard | undefined;
  let namespace: string | undefined;
  try {
    const parsed = await parse(root, argv, io);
    if (!parsed) return 0;
    began?.(parsed.command);
    namespace = text(parsed.input, "namespace");
    const plain = parsed.input.flags["no-color"] === true;
    if (parsed.command.lasting && host) guard = guardProcess(host, jsonLog(io), signal);
    const until = guard?.signal ?? signal;
    const code = await parsed.command.run?.(parsed.input, plain ? { ...io, color: false } : io, until);
    return guard?.failed() ? 1 : (code ?? 0);
  } catch (error) {
    // Being told to stop is not a failure: nothing to say, and the exit code of a program that was interrupted.
    if (signal.aborted && !(error instanceof AppError)) return interruptCode(signal);
    io.err(`headway: ${plainWords(error, namespace ?? io.env["VELERO_NAMESPACE"] ?? "velero")}\n`);
    return exitOf(error);
  } finally {
    guard?.close();
  }
}
