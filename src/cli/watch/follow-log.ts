import type { LogPosition } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { followLog } from "../../observe/index.ts";
import { openCluster } from "../cluster.ts";
import type { Input } from "../command.ts";
import { interruptCode } from "../interrupt.ts";
import type { Io } from "../io.ts";
import { runWatch } from "./run.ts";

/** How long the last lines may take after the end. */
const lastLinesMs = 5_000;

/** How following a log ended: interrupted, or with these lines printed. */
type Followed = { readonly code: number } | { readonly printed: LogPosition };

/**
 * Prints the log of work that is under way as it is written, and tells on standard error how far the work is, until that has ended. Where
 * nobody tells the lines (upstream's server stores them at the end only) it waits for the end.
 */
export async function followToEnd(
  kind: "backup" | "restore",
  input: Input,
  io: Io,
  signal: AbortSignal,
): Promise<Followed> {
  const [name = ""] = input.args;
  const { client, namespace } = await openCluster(input, io);
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const wanted = { kind: kind === "backup" ? "BackupLog" : "RestoreLog", name } as const;
  const lines = followLog({ client, namespace }, wanted, toOutput(kind, name, io), either).catch(
    (error: unknown): LogPosition => {
      if (!either.aborted) io.err(`headway: the log cannot be followed: ${messageOf(error)}\n`);
      return { run: "", lines: 0 };
    },
  );
  let timer: NodeJS.Timeout | undefined;
  try {
    const words = { args: [`${kind}/${namespace}/${name}`], flags: { ...input.flags, namespace } };
    // The log is the data here: how far it is goes where words go, also on a terminal.
    await runWatch(words, { ...io, terminal: undefined }, signal, "lines");
    if (signal.aborted) return { code: interruptCode(signal) };
    timer = setTimeout(() => stop.abort(), lastLinesMs);
    return { printed: await lines };
  } finally {
    clearTimeout(timer);
    stop.abort();
    await lines;
    client.close();
  }
}

/** The text of a log without its first lines, which were printed before. */
export async function* after(
  { lines }: LogPosition,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  let left = lines;
  for await (const chunk of chunks) {
    let at = 0;
    for (; left > 0; left -= 1) {
      const end = chunk.indexOf(0x0a, at);
      if (end < 0) break;
      at = end + 1;
    }
    if (left === 0) yield Buffer.from(chunk.subarray(at)).toString();
  }
}

function toOutput(kind: "backup" | "restore", name: string, io: Io) {
  return {
    line: (line: string) => io.out(line),
    missed: (count: number) =>
      io.err(
        `headway: ${count} lines came too quickly to be followed; \`headway ${kind} logs ${name}\` has them at the end\n`,
      ),
    anew: () => io.err(`headway: the ${kind} was begun anew, and so is its log\n`),
  };
}
