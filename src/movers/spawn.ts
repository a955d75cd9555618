import { spawn } from "node:child_process";
import { AppError } from "../errors.ts";
import { lines } from "./lines.ts";

/** A program to run. Nothing secret belongs into `args`. */
export interface Run {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What the program reads from its standard input: the place for secrets. */
  readonly input?: string;
  readonly onOut?: (line: string) => void;
  readonly onErr?: (line: string) => void;
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

/**
 * Runs a program to its end and hands its lines over one by one.
 *
 * It leads a process group of its own: when the signal fires the whole group gets SIGINT (restic removes its lock then), and after the
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
  stdin.on("error", () => undefined); // a program that ends without reading says why itself
  stdin.end(what.input ?? "");
  const killGroup = (name: "SIGINT" | "SIGKILL") => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The group is gone already.
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    killGroup("SIGINT");
    timer = setTimeout(() => killGroup("SIGKILL"), graceMs);
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  const tail = new Tail();
  const exited = exit(child, what.program).finally(() => {
    clearTimeout(timer);
    if (signal?.aborted) killGroup("SIGKILL"); // what the leader left behind when it obeyed SIGINT
    // A grandchild that keeps the pipes open must not keep us: it belongs to the group and goes with it.
    timer = setTimeout(() => {
      killGroup("SIGKILL");
      out.destroy();
      err.destroy();
    }, graceMs);
  });
  try {
    const [end] = await Promise.all([
      exited,
      each(out, (line) => what.onOut?.(line)),
      each(err, (line) => {
        tail.add(line);
        what.onErr?.(line);
      }),
    ]);
    signal?.throwIfAborted();
    return { ...end, errTail: tail.text() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
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
    for await (const line of lines(stream)) take(line);
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
