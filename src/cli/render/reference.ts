import { type Argument, type Command, everywhere, type Flag } from "../command.ts";

/** docs/cli.md: every command that can be run, with its arguments, flags, exit codes and examples. */
export function reference(root: Command): string {
  const head = [
    "# Commands",
    "",
    "Made from the command table by `npm run gen`. Data goes to standard output, words to standard error.",
    "",
    "Flags of every command, and those that name the cluster, may also stand in front: `headway -n velero backup get`.",
    `Every command takes ${everywhere.map((flag) => `\`--${flag.name}\``).join(", ")} and \`--help\`. Exit codes: 0 done, 1 the work failed,`,
    "2 wrong use, 3 the cluster cannot be reached, 130 and 143 ended by Ctrl-C and SIGTERM; others are named below.",
    "",
  ];
  return `${[...head, ...sections(root, ""), ...sameSection(root)].join("\n").trimEnd()}\n`;
}

/** Commands whose words may also come in another order, in one table. */
function sameSection({ name, commands = [] }: Command): string[] {
  const rows = commands.flatMap((verb) =>
    (verb.commands ?? []).flatMap((command) =>
      command.sameAs === undefined
        ? []
        : [`| \`${name} ${verb.name} ${command.name}\` | \`${name} ${command.sameAs}\` |`],
    ),
  );
  if (rows.length === 0) return [];
  return [
    "## The verb in front",
    "",
    "As with kubectl, also as `VERB NOUN/NAME`.",
    "",
    "| the same | as |",
    "|---|---|",
    ...rows,
    "",
  ];
}

function sections(command: Command, above: string): string[] {
  const path = `${above} ${command.name}`.trim();
  if (command.sameAs !== undefined || command.isHidden) return [];
  const own = command.run ? section(command, path) : [];
  return [...own, ...(command.commands ?? []).flatMap((child) => sections(child, path))];
}

function section(command: Command, path: string): string[] {
  const words = (command.args ?? []).map(argumentWord);
  const lines = [`## ${path}`, "", `\`${[path, ...words, "[flags]"].join(" ")}\``, ""];
  lines.push(sentence(command.description ?? command.summary), "");
  const rows = [
    ...(command.args ?? []).map((arg) => row(arg.name, arg.description)),
    ...(command.flags ?? []).map((flag) => row(flagWord(flag), flag.description)),
  ];
  if (rows.length > 0) lines.push("| | |", "|---|---|", ...rows, "");
  for (const [code, meaning] of Object.entries(command.exits ?? {}))
    lines.push(`Exit code ${code}: ${meaning}.`, "");
  if (command.examples?.length) lines.push("```", ...command.examples, "```", "");
  return lines;
}

function argumentWord(arg: Argument): string {
  const name = arg.repeat ? `${arg.name}...` : arg.name;
  return arg.required ? name : `[${name}]`;
}

function flagWord(flag: Flag): string {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const value = flag.value === undefined ? "" : flag.alone ? ` [${flag.value}]` : ` ${flag.value}`;
  return `${short}--${flag.name}${value}`;
}

function row(name: string, description: string): string {
  return `| \`${name}\` | ${description.replaceAll("|", "\\|")} |`;
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
