import { find, flagOf } from "../arrange.ts";
import { type Command, clusterFlags, everywhere, type Flag } from "../command.ts";

/** A word that may come next, and what it is. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** Things of the cluster whose names may come next. */
export interface Wanted {
  /** A noun of the command table, or `namespace`, `context`, `operation`. */
  readonly noun: string;
  /** Stands in front of each name: what was typed of a list, or `--flag=`. */
  readonly prefix: string;
}

/** What may come next. */
export interface Next {
  readonly fixed: readonly Candidate[];
  readonly names?: Wanted;
}

const nothing: Next = { fixed: [] };

/** Flags that take names, and of what. */
const named: Readonly<Record<string, string>> = {
  blueprint: "blueprint",
  context: "context",
  "exclude-namespaces": "namespace",
  "from-backup": "backup",
  "from-schedule": "schedule",
  "include-namespaces": "namespace",
  namespace: "namespace",
  namespaces: "namespace",
  plan: "plan",
  profile: "profile",
  storage: "storage",
  "storage-location": "location",
  "volume-snapshot-locations": "snapshot-location",
};
/** Of a plan. */
const ends: readonly string[] = ["from", "to"];
/** Their arguments are names that are not there yet. */
const makes: readonly string[] = ["create", "install", "validate", "render"];

/** What may come after the words before the cursor; the last one is what was typed of the next. */
export function nextWords(root: Command, words: readonly string[]): Next {
  const current = words.at(-1) ?? "";
  const { command, path, before, rest } = find(root, words.slice(0, -1));
  const flags = command.commands
    ? [...clusterFlags, ...everywhere]
    : [...(command.flags ?? []), ...everywhere];
  if (rest.includes("--")) return argumentNames(command, path);
  const last = rest.at(-1) ?? before.at(-1)?.[1].at(-1) ?? "";
  const asking = last.startsWith("-") ? flagOf(flags, last) : undefined;
  if (asking?.value !== undefined && asking.alone === undefined && !last.includes("=")) {
    return valuesOf(asking, path, "", current);
  }
  const assigned = /^(--[^=]+=)(.*)$/.exec(current);
  if (assigned) {
    const [, prefix = "", value = ""] = assigned;
    const flag = flagOf(flags, prefix);
    return flag ? valuesOf(flag, path, prefix, value) : nothing;
  }
  if (current.startsWith("-")) return { fixed: flags.map(flagWord).concat(help) };
  if (command.commands)
    return { fixed: command.commands.filter(({ isHidden }) => !isHidden).map(commandWord) };
  return argumentNames(command, path);
}

const help: Candidate = { word: "--help", about: "show this help" };

function flagWord({ name, description }: Flag): Candidate {
  return { word: `--${name}`, about: description };
}

function commandWord({ name, summary }: Command): Candidate {
  return { word: name, about: summary };
}

/** The values of a flag; of one that takes a list, behind what is there already. */
function valuesOf(flag: Flag, path: readonly string[], before: string, typed: string): Next {
  const comma = flag.repeat ? typed.lastIndexOf(",") + 1 : 0;
  const prefix = before + typed.slice(0, comma);
  const fixed = (flag.choices ?? []).map((choice) => ({
    word: `${prefix}${choice}`,
    about: flag.description,
  }));
  const noun = path.includes("plan") && ends.includes(flag.name) ? "cluster" : named[flag.name];
  return noun === undefined ? { fixed } : { fixed, names: { noun, prefix } };
}

/** Names for arguments: of the noun that the command is about. */
function argumentNames(command: Command, path: readonly string[]): Next {
  const [first = "", second = ""] = path;
  if (command.choices) return { fixed: command.choices.map((word) => ({ word, about: "" })) };
  if (!command.args?.length) return nothing;
  if (first === "watch") return { fixed: [], names: { noun: "operation", prefix: "" } };
  const [noun, verb] = command.sameAs === undefined ? [first, second] : [second, first];
  return makes.includes(verb) || path.length < 2 ? nothing : { fixed: [], names: { noun, prefix: "" } };
}
