import {
  formatDuration,
  formatProgress,
  formatStall,
  isTerminal,
  type Operation,
} from "../../progress/index.ts";
import type { Io } from "../io.ts";
import { LiveView } from "./live.ts";
import { operationLines } from "./pipeline.ts";
import { Rates } from "./rates.ts";
import { clean, fit } from "./text.ts";
import type { TreeStyle } from "./tree.ts";

/** Where operations are shown while they run. */
export interface OperationsView {
  /** All that is shown now; `changed` is the one that is new. */
  show(shown: ReadonlyMap<string, Operation>, changed: Operation): void;
  /** A line above, for good. */
  log(line: string): void;
  end(): void;
}

/** Trees that are drawn again in place, on a terminal. */
export function liveView(io: Io, size: { readonly columns: number; readonly rows: number }): OperationsView {
  const view = new LiveView({ write: (part) => io.out(part), size: () => size });
  const rates = new Rates();
  const style = () => ({ columns: size.columns, color: io.color, rows: size.rows - 1, rates });
  view.update(() => ["nothing is running; waiting (Ctrl-C to stop)"]);
  return {
    show(shown, changed) {
      rates.take(changed, Date.now());
      view.update(() => forest(shown, Date.now(), style()));
    },
    log: (line) => view.log(fit(clean(line), size.columns - 1, false)),
    end: () => view.end(),
  };
}

/** Several trees in so many rows: what needs a look comes first when there is not room for all. */
export function forest(
  shown: ReadonlyMap<string, Operation>,
  nowMs: number,
  style: TreeStyle & { readonly rows: number },
): string[] {
  if (shown.size === 0) return ["nothing is running; waiting (Ctrl-C to stop)"];
  const all = [...shown.values()];
  if (all.length <= style.rows) {
    const each = Math.max(1, Math.floor(style.rows / all.length));
    return all.flatMap((operation) => operationLines(operation, nowMs, { ...style, rows: each }));
  }
  const first = mostUrgent(all, Math.max(1, style.rows - 1));
  const rest = fit(`… and ${all.length - first.length} more`, style.columns - 1, false);
  return [...first.flatMap((operation) => operationLines(operation, nowMs, { ...style, rows: 1 })), rest];
}

/** Stalled, then running, then waiting, then over; in the order of their appearance otherwise. */
function mostUrgent(all: readonly Operation[], count: number): Operation[] {
  const ranks: Operation[][] = [[], [], [], []];
  for (const operation of all) {
    const { state, stall } = operation;
    const rank = isTerminal(state) ? 3 : stall ? 0 : state === "running" ? 1 : 2;
    const list = ranks[rank];
    if (list && list.length < count) list.push(operation);
  }
  return ranks.flat().slice(0, count);
}

/** One JSON line for each change. */
export function jsonView(io: Io): OperationsView {
  return {
    show: (_shown, operation) => io.out(`${JSON.stringify({ time: new Date().toISOString(), operation })}\n`),
    log: () => undefined,
    end: () => undefined,
  };
}

/** A line for each new tenth, and the whole tree at the end: for a person who reads a log. */
export function tenthsView(io: Io): OperationsView {
  const before = new Map<string, string>();
  let last: ReadonlyMap<string, Operation> = new Map();
  const draw = (operation: Operation) =>
    operationLines(operation, Date.now(), { columns: 110, color: false });
  return {
    show(shown, operation) {
      last = shown;
      const tenth = `${operation.state} ${Math.floor((operation.fraction ?? 0) * 10)}`;
      if (tenth !== before.get(operation.id)) io.out(`${draw({ ...operation, children: [] })[0] ?? ""}\n`);
      before.set(operation.id, tenth);
    },
    log: (line) => io.out(`${clean(line)}\n`),
    end() {
      for (const operation of last.values()) {
        const parts = draw(operation).slice(1);
        if (parts.length > 0) io.out(`${parts.join("\n")}\n`);
      }
    },
  };
}

/** How an operation ended, in one line. */
export function summary(operation: Operation): string {
  const { title, state, startedAt, finishedAt, progress, errors, warnings, message } = operation;
  const took =
    startedAt !== undefined && finishedAt !== undefined && finishedAt >= startedAt
      ? ` in ${formatDuration((finishedAt - startedAt) / 1000)}`
      : "";
  const counts = [
    ...(progress ? [formatProgress(progress)] : []),
    ...(errors > 0 ? [`${errors} ${errors === 1 ? "error" : "errors"}`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`] : []),
  ];
  const why = message !== undefined && state !== "completed" ? `: ${message}` : "";
  return `${title} ${state}${took}${why}${counts.length > 0 ? ` (${counts.join(", ")})` : ""}`;
}

/** What is worth a line of its own above the trees: a stall that begins or is over. */
export function noteOf(
  before: Operation | undefined,
  operation: Operation,
  nowMs: number,
): string | undefined {
  if (operation.stall && !before?.stall) return `${operation.title}: ${formatStall(operation.stall, nowMs)}`;
  if (before?.stall && !operation.stall && !isTerminal(operation.state))
    return `${operation.title}: moves again`;
  return undefined;
}
