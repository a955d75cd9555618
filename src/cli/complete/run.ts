import { find, flagOf } from "../arrange.ts";
import { type Command, clusterFlags, type Input } from "../command.ts";
import type { Io } from "../io.ts";
import { nextWords } from "./candidates.ts";

/** Prints what may come next, a word a line with what it is behind a tab, for a shell. */
export async function complete(root: Command, input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const current = input.args.at(-1) ?? "";
  const { fixed, names } = nextWords(root, input.args);
  const flags = clusterOf(root, input.args);
  const more = names
    ? await (await import("./names.ts")).namesFor(names, { args: [], flags }, io, signal)
    : [];
  for (const { word, about } of [...fixed, ...more]) {
    if (word.startsWith(current)) io.out(`${word}\t${about}\n`);
  }
}

/** The flags in the words that say which cluster is meant. */
export function clusterOf(root: Command, words: readonly string[]): Input["flags"] {
  const { before, rest } = find(root, words.slice(0, -1));
  const all = [...before.flatMap(([, given]) => given), ...rest];
  const found: Record<string, string> = {};
  all.forEach((word, i) => {
    const flag = flagOf(clusterFlags, word);
    const value = /^--[^=]+=(.*)$/.exec(word)?.[1] ?? all[i + 1];
    if (flag && value !== undefined) found[flag.name] = value;
  });
  return found;
}
