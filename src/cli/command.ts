import type { Io } from "./io.ts";

/** One flag of a command; the same table feeds the parser, the help, the completion and docs/cli.md. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** The placeholder of its value; absent for a switch. */
  readonly value?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** What it says when it stands alone; a value of its own then comes after `=`, or is one of the choices. */
  readonly alone?: string;
  /** May be given several times, or with commas. */
  readonly repeat?: boolean;
  readonly required?: boolean;
}

/** One positional argument. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  readonly repeat?: boolean;
}

/** What a command was given, already checked against its table. */
export interface Input {
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/**
 * One row of the command table.
 *
 * Files in `commands/` import only types and this vocabulary; what does the work is imported inside `run`,
 * so that `headway version` does not pay for a Kubernetes client.
 */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly aliases?: readonly string[];
  /** The command that is the same one, with its words in another order. */
  readonly sameAs?: string;
  /** Whether `NOUN/NAME` is taken for `NOUN NAME`. */
  readonly takesSlash?: boolean;
  /** Not for people: it is in no help and in no list. */
  readonly isHidden?: boolean;
  /** The heading that it stands under in the help of the command above. */
  readonly group?: string;
  readonly args?: readonly Argument[];
  /** What its argument may be, for completion. */
  readonly choices?: readonly string[];
  readonly flags?: readonly Flag[];
  readonly commands?: readonly Command[];
  /** Exit codes beyond those that every command has. */
  readonly exits?: Readonly<Record<number, string>>;
  readonly examples?: readonly string[];
  /** Runs until it is told to stop, so that what nobody handled is logged and survived where that can be. */
  readonly lasting?: boolean;
  /** How long it may clean up after an interrupt before the process is ended; a second unless told otherwise. */
  readonly graceMs?: number;
  /** Does the work; a number is the exit code, nothing means 0. */
  readonly run?: (input: Input, io: Io, signal: AbortSignal) => Promise<number | void>;
}

/** Flags that every command takes. */
export const everywhere: readonly Flag[] = [{ name: "no-color", description: "no colours (also: NO_COLOR)" }];

/** Shows what would be made, and makes nothing. */
const dryRunFlag: Flag = {
  name: "dry-run",
  value: "MODE",
  description:
    "make nothing: client checks names and says what it would be, server also asks the cluster to check it",
  choices: ["none", "client", "server"],
  alone: "client",
};

/** Flags of every command that makes an object. */
export const makeFlags: readonly Flag[] = [
  dryRunFlag,
  {
    name: "output",
    short: "o",
    value: "FORMAT",
    description: "print it as json, yaml or name instead of making it",
    choices: ["json", "yaml", "name"],
  },
];

/** Of the logs of what may still run. */
export const followFlag: Flag = {
  name: "follow",
  short: "f",
  description: "print the lines of one that runs as they are written, until its end",
};

/** Flags of every command that talks to a cluster. @public */
export const clusterFlags: readonly Flag[] = [
  {
    name: "kubeconfig",
    value: "FILE",
    description: "kubeconfig to use (default: KUBECONFIG, ~/.kube/config)",
  },
  { name: "context", value: "NAME", description: "context of the kubeconfig" },
  { name: "namespace", short: "n", value: "NAME", description: "namespace (default: the server's, velero)" },
];

/** A flag that takes names. */
export function listFlag(name: string, description: string): Flag {
  return { name, value: "LIST", description, repeat: true };
}

/** A flag that says yes or no where saying nothing is a third thing; alone it says yes. */
export function truthFlag(name: string, description: string): Flag {
  return { name, value: "BOOL", description, choices: ["true", "false"], alone: "true" };
}

/** The output flag, with the formats that a command has. */
export function outputFlag(...formats: readonly string[]): Flag {
  return {
    name: "output",
    short: "o",
    value: "FORMAT",
    description: `print as ${formats.join(", ")}`,
    choices: formats,
  };
}

/** A flag's text, or undefined when it was not given. */
export function text(input: Input, flag: string): string | undefined {
  const value = input.flags[flag];
  return typeof value === "string" ? value : undefined;
}

/** A repeatable flag's values; commas separate, as in kubectl and velero. @public */
export function texts(input: Input, flag: string): readonly string[] {
  const value = input.flags[flag];
  return Array.isArray(value) ? value : [];
}

/** Whether a switch was given. @public */
export function given(input: Input, flag: string): boolean {
  return input.flags[flag] === true;
}
