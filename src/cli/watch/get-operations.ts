import { openClusterView } from "../../observe/index.ts";
import {
  formatDuration,
  formatEta,
  formatPercent,
  formatProgress,
  formatStall,
  isTerminal,
  type Operation,
} from "../../progress/index.ts";
import { openCluster } from "../cluster.ts";
import { type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import { structured } from "../render/structured.ts";
import { table } from "../render/table.ts";

/** Prints every operation of the cluster once: what runs first, then the newest. */
export async function getOperations(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const { client, namespace: serverNamespace } = await openCluster(input, io);
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const view = openClusterView({ client, namespace: text(input, "namespace"), serverNamespace });
  const running = view.run(either);
  try {
    await client.version(either);
    await view.observer.synced(either);
    const states = texts(input, "state");
    const wanted = view.observer
      .operations()
      .filter(({ state }) => states.length === 0 || states.includes(state));
    io.out(await print(sortOperations(wanted), text(input, "output"), Date.now()));
    if (wanted.length === 0 && io.terminal) io.err("no operations\n");
  } finally {
    stop.abort();
    await running;
  }
}

/** What needs eyes first: running, waiting, then what ended last. */
export function sortOperations(operations: readonly Operation[]): Operation[] {
  const rank = (operation: Operation) =>
    operation.state === "running" ? 0 : operation.state === "pending" ? 1 : 2;
  const time = (operation: Operation) => operation.finishedAt ?? operation.startedAt ?? 0;
  return operations.toSorted((a, b) => rank(a) - rank(b) || time(b) - time(a) || (a.id < b.id ? -1 : 1));
}

async function print(
  operations: readonly Operation[],
  format: string | undefined,
  nowMs: number,
): Promise<string> {
  switch (format) {
    case "json":
    case "yaml":
      return structured(operations, format);
    case "name":
      return operations.map((operation) => `${operation.id}\n`).join("");
    default:
      return operationTable(operations, nowMs, format === "wide");
  }
}

/** The table of `get operations`. */
export function operationTable(operations: readonly Operation[], nowMs: number, wide: boolean): string {
  const headings = ["KIND", "NAMESPACE", "NAME", "STATE", "DONE", "LEFT", "WAITING FOR", "AGE"];
  const rows = operations.map((operation) => {
    const { ref, state, fraction, progress } = operation;
    const row = [
      operation.kind,
      ref.namespace ?? "",
      ref.name,
      operation.stall ? "stalled" : state,
      formatPercent(fraction),
      operation.eta && !isTerminal(state) ? formatEta(operation.eta) : "",
      waits(operation, nowMs),
      age(operation, nowMs),
    ];
    if (!wide) return row;
    return [
      ...row,
      progress ? formatProgress(progress) : "",
      took(operation),
      String(operation.warnings),
      String(operation.errors),
    ];
  });
  return table(wide ? [...headings, "PROGRESS", "TOOK", "WARNINGS", "ERRORS"] : headings, rows);
}

function waits({ stall, waitingFor, state }: Operation, nowMs: number): string {
  if (isTerminal(state)) return "";
  if (stall) return formatStall(stall, nowMs);
  return waitingFor ? (waitingFor.message ?? waitingFor.object?.name ?? waitingFor.reason) : "";
}

function age({ startedAt }: Operation, nowMs: number): string {
  return startedAt === undefined ? "" : formatDuration((nowMs - startedAt) / 1000);
}

function took({ startedAt, finishedAt }: Operation): string {
  return startedAt === undefined || finishedAt === undefined
    ? ""
    : formatDuration((finishedAt - startedAt) / 1000);
}
