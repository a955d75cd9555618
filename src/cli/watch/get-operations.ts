import { parseTimeMs } from "../../api/index.ts";
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
} from "../../progress/index.ts";
import { age } from "../backup/words.ts";
import { openCluster } from "../cluster.ts";
import { type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import type { ListStyle } from "../objects.ts";
import { structured } from "../render/structured.ts";
import { table } from "../render/table.ts";

/** Hints after the table; a cluster that is stuck as a whole needs the first of them, not all. */
const maxHints = 5;

/** Prints every operation of the cluster once: problems first, then what runs, waits and ended. */
export async function getOperations(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const states = texts(input, "state");
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
    const created = (id: string) => parseTimeMs(view.observer.object(id)?.metadata.creationTimestamp);
    io.out(await print(operations, format, now, { columns: io.terminal?.columns, created }));
    if (wanted.length === 0 && io.terminal) io.err("no operations\n");
    if (format === undefined && io.terminal) for (const hint of hintsOf(operations)) io.err(`${hint}\n`);
  } finally {
    stop.abort();
    await running;
  }
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
  style: Omit<OperationStyle, "wide">,
): Promise<string> {
  switch (format) {
    case "json":
    case "yaml":
      return structured(operations, format);
    case "name":
      return operations.map((operation) => `${operation.id}\n`).join("");
    case "wide":
      return operationTable(operations, nowMs, { ...style, wide: true, columns: undefined });
    default:
      return operationTable(operations, nowMs, { ...style, wide: false });
  }
}

/** How the table is drawn. */
export interface OperationStyle extends ListStyle {
  /** When the object of an operation was created: the age of what has not begun, or never did. */
  readonly created?: (id: string) => number | undefined;
}

/** The table of `get operations`. */
export function operationTable(
  operations: readonly Operation[],
  nowMs: number,
  { wide, columns, created }: OperationStyle,
): string {
  const headings = ["KIND", "NAMESPACE", "NAME", "STATE", "DONE", "AGE"];
  const more = wide ? ["PROGRESS", "TOOK", "WARNINGS", "ERRORS", "MESSAGE", "ADVICE"] : ["MESSAGE"];
  const rows = operations.map((operation) => {
    const { ref, kind, startedAt, warnings, errors } = operation;
    const message = headline(operation, nowMs);
    const since = startedAt ?? created?.(operation.id);
    return [
      kind,
      ref.namespace ?? "",
      ref.name,
      shownState(operation),
      doneWords(operation),
      since === undefined ? "" : age(nowMs - since),
      ...(wide ? [numbersOf(operation), took(operation), String(warnings), String(errors)] : []),
      message,
      ...(wide ? [adviceOf(operation) ?? ""] : []),
    ];
  });
  return table([...headings, ...more], rows, { columns, named: headings.indexOf("NAME") });
}

function took({ startedAt, finishedAt }: Operation): string {
  return startedAt === undefined || finishedAt === undefined
    ? ""
    : formatDuration((finishedAt - startedAt) / 1000);
}
