import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { type LineOptions, lines } from "../../packages/wire/index.ts";
import { AppError } from "../errors.ts";
import type { Witness } from "./mover.ts";
import { lookAt, type OnLook } from "./vitals.ts";

/** A program to run. Nothing secret belongs into `args`. */
export interface Run {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What the program reads from its standard input: the place for secrets, or data as it comes. */
  readonly input?: string | AsyncIterable<Uint8Array>;
  readonly onOut?: (line: string) => void;
  /** Takes standard output as it comes, one piece after the other, instead of `onOut`. */
  readonly onData?: (chunk: Uint8Array) => Promise<void>;
  readonly onErr?: (line: string) => void;
  readonly witness?: Witness;
  /** Hears once a second what the process does, where the system tells it. */
  readonly onLook?: OnLook | undefined;
  /** How long it may take to tidy up after the signal, and its pipes to close after its end (default 5 s). */
  readonly graceMs?: number;
}

/** How it ended. */
export interface Ended {
  readonly exitCode: number | undefined;
  readonly killedBy: string | undefined;
  /** The last lines of standard error, bounded by `tailChars`. */
  readonly errTail: string;
}

const tailChars = 8_192;
/** Longer lines are cut: a line of progress has a few hundred characters. */
const output: LineOptions = { limitBytes: 256 * 1024, returns: "draw" };

/**
 * Runs a program to its end and hands its lines over one by one.
 *
 * It leads a process group of its own: when the signal fires the whole group gets SIGINT (a mover removes its lock then), and after the
 * grace SIGKILL, so that no grandchild goes on writing. Rejects with the signal's reason in that case.
 */
export async function run(what: Run, signal?: AbortSignal): Promise<Ended> {
  signal?.throwIfAborted();
  const { graceMs = 5_000 } = what;
  const child = spawn(what.program, what.args, {
    detached: true,
    env: what.env,
    stdio: ["pipe", "pipe", "pipe"],
    ...(what.cwd !== undefined && { cwd: what.cwd }),
  });
  const { stdin, stdout: out, stderr: err } = child;
  if (child.pid !== undefined) what.witness?.started(child.pid);
  stdin.on("error", () => undefined); // a program that ends without reading says why itself
  const fed = feed(stdin, what.input ?? "");
  const killGroup = (name: "SIGINT" | "SIGKILL") => signalGroup(child.pid, name);
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    killGroup("SIGINT");
    timer = setTimeout(() => killGroup("SIGKILL"), graceMs);
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  const tail = new Tail();
  const printed = { bytes: 0 };
  const looking = what.onLook && child.pid !== undefined && watchProcess(child.pid, printed, what.onLook);
  const exited = exit(child, what.program).finally(() => {
    clearTimeout(timer);
    stdin.destroy(); // whoever still feeds it is told
    if (signal?.aborted) killGroup("SIGKILL"); // what the leader left behind when it obeyed SIGINT
    // A grandchild that keeps the pipes open must not keep us: it belongs to the group and goes with it.
    timer = setTimeout(() => {
      killGroup("SIGKILL");
      out.destroy();
      err.destroy();
    }, graceMs);
  });
  try {
    // Without all of its input or output, what it makes must not be taken for whole.
    const failed = async (error: unknown): Promise<never> => {
      killGroup("SIGKILL");
      await exited.catch(() => undefined); // the first failure is told
      throw error;
    };
    const hear = (line: string) => {
      tail.add(line);
      what.witness?.line(line);
      what.onErr?.(line);
    };
    const said = spoken(counted(out, printed), what).catch(failed);
    const [end] = await Promise.all([exited, said, each(counted(err, printed), hear), fed.catch(failed)]);
    signal?.throwIfAborted();
    return { ...end, errTail: tail.text() };
  } finally {
    clearTimeout(timer);
    if (looking) looking();
    signal?.removeEventListener("abort", onAbort);
  }
}

function signalGroup(pid: number | undefined, name: "SIGINT" | "SIGKILL"): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // The group is gone already.
  }
}

/** Writes the input. A program that ends before it has read all of it is not waited for; a source that fails is told. */
async function feed(stdin: Writable, input: string | AsyncIterable<Uint8Array>): Promise<void> {
  if (typeof input === "string") return void stdin.end(input);
  let goOn: () => void = () => undefined;
  for (const event of ["drain", "close", "error"]) stdin.on(event, () => goOn());
  for await (const chunk of input) {
    if (stdin.destroyed) return;
    if (stdin.write(chunk)) continue;
    await new Promise<void>((resolve) => {
      goOn = resolve;
      if (stdin.destroyed) resolve();
    });
  }
  stdin.end();
}

/** Hands standard output over: piece by piece where somebody wants it so, else line by line. */
async function spoken(stream: AsyncIterable<Uint8Array>, { witness, onOut, onData }: Run): Promise<void> {
  if (onData) {
    for await (const chunk of stream) await onData(chunk);
    return;
  }
  await each(stream, (line) => {
    witness?.line(line);
    onOut?.(line);
  });
}

/** The stream as it is, and how much of it has come. */
async function* counted(
  stream: AsyncIterable<Uint8Array>,
  printed: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    printed.bytes += chunk.length;
    yield chunk;
  }
}

const lookMs = 1_000;

/** Looks at the process again and again; what it printed is not counted as written. Returns what ends it. */
function watchProcess(pid: number, printed: { readonly bytes: number }, onLook: OnLook): () => void {
  let isBusy = false;
  let isOver = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    void lookAt(pid).then((look) => {
      isBusy = false;
      if (look && !isOver)
        onLook({ ...look, writtenBytes: Math.max(0, look.writtenBytes - printed.bytes) }, pid);
    });
  }, lookMs);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

/** Runs a program and returns its standard output, which may not be longer than the limit. */
export async function capture(
  what: Run,
  signal?: AbortSignal,
  limitChars = 16 * 1024 * 1024,
): Promise<Ended & { out: string }> {
  let out = "";
  let dropped = false;
  const end = await run(
    {
      ...what,
      onOut(line) {
        if (out.length + line.length > limitChars) dropped = true;
        else out += `${line}\n`;
        what.onOut?.(line);
      },
    },
    signal,
  );
  if (dropped) {
    const asked = `${what.program} ${what.args[0] ?? ""}`;
    throw new AppError("MOVER_OUTPUT", `"${asked}" printed more than ${limitChars} characters`, {
      retry: false,
    });
  }
  return { ...end, out };
}

async function each(stream: AsyncIterable<Uint8Array>, take: (line: string) => void): Promise<void> {
  try {
    for await (const line of lines(stream, output)) take(line);
  } catch (error) {
    // Destroyed after the program's end (see run): what was said until then has been taken.
    if (!(error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE"))
      throw error;
  }
}

function exit(
  child: ReturnType<typeof spawn>,
  program: string,
): Promise<Pick<Ended, "exitCode" | "killedBy">> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => {
      reject(new AppError("MOVER_MISSING", `cannot run "${program}": ${cause.message}`, { cause }));
    });
    child.once("exit", (code, name) => resolve({ exitCode: code ?? undefined, killedBy: name ?? undefined }));
  });
}

/** The newest lines, up to a number of characters. */
class Tail {
  #lines: string[] = [];
  #chars = 0;

  add(line: string): void {
    const kept = line.slice(0, tailChars);
    this.#lines.push(kept);
    this.#chars += kept.length + 1;
    while (this.#chars > tailChars && this.#lines.length > 1)
      this.#chars -= (this.#lines.shift() ?? "").length + 1;
  }

  text(): string {
    return this.#lines.join("\n");
  }
}
