import {
  Argument as CommanderArgument,
  Command as CommanderCommand,
  CommanderError,
  Option,
} from "commander";
import { AppError } from "../errors.ts";
import { arrange, find } from "./arrange.ts";
import { type Argument, type Command, everywhere, type Flag, type Input } from "./command.ts";
import type { Io } from "./io.ts";

/** What the command line asks for; undefined when it only asked for help. */
export interface Parsed {
  readonly command: Command;
  readonly input: Input;
}

/** Reads argv against the table. Help goes to `io`; wrong use is thrown as an AppError. */
export async function parse(root: Command, argv: readonly string[], io: Io): Promise<Parsed | undefined> {
  let parsed: Parsed | undefined;
  const program = build(root, io, (command, input) => {
    parsed = { command, input };
  });
  try {
    await program.parseAsync(arrange(root, argv), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    if (error.code === "commander.help") {
      if (argv.length > 0) throw new AppError("USAGE", whichCommand(root, argv), { retry: false });
      program.outputHelp();
      return undefined;
    }
    throw new AppError("USAGE", error.message.replace(/^error: /, ""), { cause: error, retry: false });
  }
  return parsed;
}

/** Names the commands below the one that was given alone. */
function whichCommand(root: Command, argv: readonly string[]): string {
  const { command, path: words } = find(root, argv);
  const path = [root.name, ...words].join(" ");
  const names = (command.commands ?? []).map(({ name }) => name).join(", ");
  return `which command of \`${path}\`? ${names}; \`${path} --help\` tells more`;
}

type Found = (command: Command, input: Input) => void;

function build(spec: Command, io: Io, found: Found): CommanderCommand {
  const command = new CommanderCommand(spec.name)
    .description(spec.description ?? spec.summary)
    .summary(spec.summary)
    .aliases(spec.aliases ?? [])
    .exitOverride()
    .configureOutput({ writeOut: (t) => io.out(t), writeErr: () => {}, outputError: () => {} })
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .configureHelp({
      subcommandTerm: (child) => [child.name(), ...child.registeredArguments.map(word)].join(" "),
    })
    .showSuggestionAfterError(true);
  if (spec.group !== undefined) command.helpGroup(`${spec.group}:`);
  for (const arg of spec.args ?? []) command.addArgument(argumentOf(arg));
  for (const flag of [...(spec.flags ?? []), ...everywhere]) command.addOption(optionOf(flag));
  for (const child of spec.commands ?? [])
    command.addCommand(build(child, io, found), { hidden: child.isHidden === true });
  command.addHelpText("after", () => afterHelp(spec));
  if (spec.run) {
    command.action(() =>
      found(spec, { args: command.args, flags: flagsOf(spec, command.optsWithGlobals()) }),
    );
  } else {
    command.usage("[flags] COMMAND");
  }
  return command;
}

function word(arg: CommanderArgument): string {
  const name = arg.variadic ? `${arg.name()}...` : arg.name();
  return arg.required ? name : `[${name}]`;
}

function argumentOf(arg: Argument): CommanderArgument {
  const name = arg.repeat ? `${arg.name}...` : arg.name;
  return new CommanderArgument(arg.required ? `<${name}>` : `[${name}]`, arg.description);
}

function optionOf(flag: Flag): Option {
  const value = flag.value === undefined ? "" : flag.alone ? ` [${flag.value}]` : ` <${flag.value}>`;
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const option = new Option(`${short}--${flag.name}${value}`, flag.description);
  if (flag.choices) option.choices(flag.choices);
  if (flag.default !== undefined) option.default(flag.default);
  if (flag.required) option.makeOptionMandatory();
  // commander offers one parser per option: this one splits on commas, so choices of lists are checked here
  if (flag.repeat) option.argParser((text, previous) => collect(flag, text, previous));
  return option;
}

function collect(flag: Flag, text: string, previous: unknown): readonly string[] {
  const words = text.split(",").filter((word) => word !== "");
  const odd = words.find((word) => flag.choices && !flag.choices.includes(word));
  if (odd !== undefined) {
    throw new AppError("USAGE", `--${flag.name} takes ${flag.choices?.join(", ")}, not "${odd}"`, {
      retry: false,
    });
  }
  return [...(Array.isArray(previous) ? previous : []), ...words];
}

/** commander turns `--a-b` into `aB` and `--no-color` into `color: false`; the table's own names come back here. */
function flagsOf(spec: Command, options: Record<string, unknown>): Input["flags"] {
  const flags: Record<string, string | boolean | readonly string[]> = {};
  for (const flag of [...(spec.flags ?? []), ...everywhere]) {
    const negated = flag.name.startsWith("no-");
    const value = options[camel(negated ? flag.name.slice(3) : flag.name)];
    if (negated) flags[flag.name] = value === false;
    else if (typeof value === "string" || typeof value === "boolean" || Array.isArray(value))
      flags[flag.name] = value;
  }
  return flags;
}

function camel(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

const commonExits: Record<number, string> = {
  0: "done",
  1: "the work failed",
  2: "wrong use",
  3: "the cluster cannot be reached",
};

function afterHelp(spec: Command): string {
  const lines: string[] = [];
  if (spec.examples?.length) lines.push("", "Examples:", ...spec.examples.map((line) => `  ${line}`));
  if (spec.run) {
    lines.push("", "Exit codes:");
    const exits = Object.entries({ ...commonExits, ...spec.exits });
    for (const [code, meaning] of exits) lines.push(`  ${code}  ${meaning}`);
  }
  return lines.join("\n");
}
