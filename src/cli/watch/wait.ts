import { storedJson } from "../../observe/index.ts";
import { openCluster } from "../cluster.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { firstErrors, resultFiles } from "./first-errors.ts";
import { runWatch } from "./run.ts";

/** The commands that show why it failed. */
const explain = {
  backup: ["describe", "logs"],
  restore: ["describe", "logs"],
  migration: ["describe"],
  actionset: ["describe"],
  drill: ["describe", "report"],
} as const;

/** What was asked for. */
interface Work {
  readonly kind: keyof typeof explain;
  readonly namespace: string;
  readonly name: string;
}

/** How long the server may take to hand out the errors; the commands that are named afterwards have more patience. */
const errorsMs = 10_000;

/** Shows how far work that was just requested is until it has ended: a tree on a terminal, lines on standard error elsewhere. The exit code tells how it ended. */
export async function waitForEnd(work: Work, input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const { kind, namespace, name } = work;
  io.err(`waiting for it to end; ctrl-c stops the waiting, not the ${kind}\n`);
  const exitCode = await runWatch(
    {
      args: [`${kind}/${namespace}/${name}`],
      flags: { ...input.flags, output: undefined, namespace, wait: true },
    },
    io,
    signal,
    "lines",
  );
  if (exitCode === 1) {
    for (const line of await whatWentWrong(work, input, io, signal)) io.err(`  ${line}\n`);
    const commands = explain[kind].map((verb) => `\`headway ${kind} ${verb} ${name}\``);
    io.err(`to see why, run ${commands.join(" or ")}\n`);
  }
  return exitCode;
}

/** The errors that were stored with it; none when there are none or they cannot be had. */
async function whatWentWrong(
  { kind, name, namespace }: Work,
  input: Input,
  io: Io,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const file = resultFiles[kind];
  if (file === undefined) return [];
  const { client } = await openCluster(input, io);
  const quiet = { err: () => undefined }; // the commands that are named next say why not
  try {
    const wanted = { kind: file, name, timeoutMs: errorsMs };
    return firstErrors(await storedJson({ client, namespace }, wanted, quiet, signal));
  } finally {
    client.close();
  }
}
