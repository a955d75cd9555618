import { AppError } from "../../errors.ts";
import { openClusterView } from "../../observe/index.ts";
import {
  adviceOf,
  doneWords,
  formatDuration,
  headline,
  inOrder,
  isInStates,
  isStalled,
  numbersOf,
  type Operation,
  shownState,
  stateWords,
} from "../../progress/index.ts";
import { age } from "../backup/words.ts";
import { openCluster } from "../cluster.ts";
import { type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import { structured } from "../render/structured.ts";
import { table } from "../render/table.ts";
import { fit } from "../render/text.ts";

/** So much of a message is always shown: on a narrow terminal a line that wraps tells more than one that is cut. */
const leastMessage = 60;
/** Hints after the table; a cluster that is stuck as a whole needs the first of them, not all. */
const maxHints = 5;

/** Prints every operation of the cluster once: problems first, then what runs, waits and ended. */
export async function getOperations(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const states = knownStates(texts(input, "state"));
  const { client, namespace: serverNamespace } = await openCluster(input, io);
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const view = openClusterView({ client, namespace: text(input, "namespace"), serverNamespace });
  const running = view.run(either);
  try {
    await client.version(either);
    await view.observer.synced(either);
    const wanted = view.observer.operations().filter((operation) => isInStates(operation, states));
    const now = Date.now();
    const operations = inOrder(wanted, now);
    const format = text(input, "output");
    io.out(await print(operations, format, now, io.terminal?.columns));
    if (wanted.length === 0 && io.terminal) io.err("no operations\n");
    if (format === undefined && io.terminal) for (const hint of hintsOf(operations)) io.err(`${hint}\n`);
  } finally {
    stop.abort();
    await running;
  }
}

/** Throws on a state that no operation can have: an empty list would read as "there is none". */
export function knownStates(states: readonly string[]): readonly string[] {
  const unknown = states.find((state) => !Object.hasOwn(stateWords, state));
  if (unknown === undefined) return states;
  const known = Object.keys(stateWords).join(", ");
  throw new AppError("USAGE", `--state does not take "${unknown}"; the states are ${known}`);
}

/** What helps those that stand still. */
export function hintsOf(operations: readonly Operation[]): readonly string[] {
  return operations
    .filter(isStalled)
    .slice(0, maxHints)
    .map((operation) => `${operation.ref.name}: ${adviceOf(operation) ?? ""}`);
}

async function print(
  operations: readonly Operation[],
  format: string | undefined,
  nowMs: number,
  columns: number | undefined,
): Promise<string> {
  switch (format) {
    case "json":
    case "yaml":
      return structured(operations, format);
    case "name":
      return operations.map((operation) => `${operation.id}\n`).join("");
    case "wide":
      return operationTable(operations, nowMs, { wide: true });
    default:
      return operationTable(operations, nowMs, { wide: false, columns });
  }
}

/** How the table is drawn. */
export interface TableStyle {
  readonly wide: boolean;
  /** Longer lines lose their end, which is the message's; without it nothing is cut. */
  readonly columns?: number | undefined;
}

/** The table of `get operations`. */
export function operationTable(
  operations: readonly Operation[],
  nowMs: number,
  { wide, columns }: TableStyle,
): string {
  const headings = ["KIND", "NAMESPACE", "NAME", "STATE", "DONE", "AGE"];
  const more = wide ? ["PROGRESS", "TOOK", "WARNINGS", "ERRORS", "MESSAGE", "ADVICE"] : ["MESSAGE"];
  const rows = operations.map((operation) => {
    const { ref, kind, startedAt, warnings, errors } = operation;
    const message = headline(operation, nowMs);
    return [
      kind,
      ref.namespace ?? "",
      ref.name,
      shownState(operation),
      doneWords(operation),
      startedAt === undefined ? "" : age(nowMs - startedAt),
      ...(wide ? [numbersOf(operation), took(operation), String(warnings), String(errors)] : []),
      message,
      ...(wide ? [adviceOf(operation) ?? ""] : []),
    ];
  });
  const text = table([...headings, ...more], rows);
  if (columns === undefined) return text;
  const limit = Math.max(columns, text.indexOf("MESSAGE") + leastMessage);
  return text.replace(/[^\n]+/g, (line) => fit(line, limit, false));
}

function took({ startedAt, finishedAt }: Operation): string {
  return startedAt === undefined || finishedAt === undefined
    ? ""
    : formatDuration((finishedAt - startedAt) / 1000);
}
