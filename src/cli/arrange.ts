import { type Command, clusterFlags, everywhere, type Flag } from "./command.ts";

/** Flags that may stand in front of the command, as they may with kubectl. */
const anywhere: readonly Flag[] = [...clusterFlags, ...everywhere];

/** The command that words name, from the top of the table. */
export interface Found {
  readonly command: Command;
  /** The names that lead to it. */
  readonly path: readonly string[];
  /** Flags that stood between them, with their values. */
  readonly before: readonly (readonly [flag: Flag, words: readonly string[]])[];
  /** What is left: its arguments and flags. */
  readonly rest: readonly string[];
}

/** Follows words down the table: names of commands, and between them flags that every command has. */
export function find(root: Command, argv: readonly string[]): Found {
  let command = root;
  const path: string[] = [];
  const before: [Flag, string[]][] = [];
  let rest = [...argv];
  while (command.commands && rest.length > 0) {
    const [word = "", ...others] = rest;
    const flag = flagOf(anywhere, word);
    if (flag) {
      const isSplit = flag.value !== undefined && !hasValue(word);
      before.push([flag, rest.slice(0, isSplit ? 2 : 1)]);
      rest = rest.slice(isSplit ? 2 : 1);
      continue;
    }
    if (command === root && isVersion(word)) return { command, path: ["version"], before, rest: others };
    const [next, more] = childOf(command, word);
    if (!next) break;
    [command, rest] = [next, [...more, ...others]];
    path.push(next.name);
  }
  return { command, path, before, rest };
}

/**
 * The words as the parser takes them: flags in front go behind the command, if it has them, and flags that stand alone get the value which
 * they then have, since the parser would take the next word, whatever it is.
 */
export function arrange(root: Command, argv: readonly string[]): string[] {
  const { command, path, before, rest } = find(root, argv);
  const own = [...(command.flags ?? []), ...everywhere];
  const moved = before.flatMap(([flag, words]) => (own.some(({ name }) => name === flag.name) ? words : []));
  return [...path, ...moved, ...withValues(command, rest)];
}

/** The flag that a word is, with or without a value in it. */
export function flagOf(flags: readonly Flag[], word: string): Flag | undefined {
  const name = /^--([^=]+)/.exec(word)?.[1];
  if (name !== undefined) return flags.find((flag) => flag.name === name);
  const short = /^-([A-Za-z])/.exec(word)?.[1];
  return short === undefined ? undefined : flags.find((flag) => flag.short === short);
}

function hasValue(word: string): boolean {
  return word.startsWith("--") ? word.includes("=") : word.length > 2;
}

/** As other programs are asked for it. */
function isVersion(word: string): boolean {
  return word === "--version" || word === "-v";
}

/** The command of that name; below a verb `backup/x` is `backup x`, as kubectl takes it. */
function childOf(command: Command, word: string): readonly [Command | undefined, readonly string[]] {
  const [name = "", ...more] = command.takesSlash ? word.split(/\/(.*)/, 2) : [word];
  const next = command.commands?.find((child) => child.name === name || child.aliases?.includes(name));
  return [next, more];
}

function withValues({ flags = [] }: Command, words: readonly string[]): string[] {
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  return words.map((word, i) => {
    const flag = i < end ? flags.find(({ name, alone }) => alone && word === `--${name}`) : undefined;
    return !flag || flag.choices?.includes(words[i + 1] ?? "") ? word : `${word}=${flag.alone}`;
  });
}
