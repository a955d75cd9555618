import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { runWatch } from "./run.ts";

/** The commands that show why it failed. */
const explain = {
  backup: ["describe", "logs"],
  restore: ["describe", "logs"],
  migration: ["describe"],
  actionset: ["describe"],
} as const;

/** Shows how far work that was just requested is until it has ended: a tree on a terminal, lines on standard error elsewhere. The exit code tells how it ended. */
export async function waitForEnd(
  work: { readonly kind: keyof typeof explain; readonly namespace: string; readonly name: string },
  input: Input,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
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
    const commands = explain[kind].map((verb) => `\`headway ${kind} ${verb} ${name}\``);
    io.err(`to see why, run ${commands.join(" or ")}\n`);
  }
  return exitCode;
}
