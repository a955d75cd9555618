import { adviceOf, headline, inOrder, isStalled, isTerminal, type Operation } from "../../progress/index.ts";
import type { Io } from "../io.ts";
import { LiveView } from "./live.ts";
import { operationLines } from "./pipeline.ts";
import { Rates } from "./rates.ts";
import { clean, fit, wrap } from "./text.ts";
import { type TreeStyle, treeLines } from "./tree.ts";

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
    log: (line) => {
      for (const part of wrap(clean(line), size.columns - 1)) view.log(part);
    },
    end: () => view.end(),
  };
}

/** Several trees in so many rows, in the order of every list. */
export function forest(
  shown: ReadonlyMap<string, Operation>,
  nowMs: number,
  style: TreeStyle & { readonly rows: number },
): string[] {
  if (shown.size === 0) return ["nothing is running; waiting (Ctrl-C to stop)"];
  const all = inOrder([...shown.values()], nowMs);
  if (all.length <= style.rows) {
    const each = Math.max(1, Math.floor(style.rows / all.length));
    return all.flatMap((operation) => operationLines(operation, nowMs, { ...style, rows: each }));
  }
  const first = all.slice(0, Math.max(1, style.rows - 1));
  const rest = fit(`… and ${all.length - first.length} more`, style.columns - 1, false);
  return [...first.flatMap((operation) => operationLines(operation, nowMs, { ...style, rows: 1 })), rest];
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
  const style = { columns: 110, color: false };
  return {
    show(shown, operation) {
      last = shown;
      const tenth = `${operation.state} ${Math.floor((operation.fraction ?? 0) * 10)}`;
      if (tenth !== before.get(operation.id))
        io.out(`${treeLines(operation, Date.now(), { ...style, parts: () => [] })[0] ?? ""}\n`);
      before.set(operation.id, tenth);
    },
    log: (line) => io.out(`${clean(line)}\n`),
    end() {
      for (const operation of last.values()) {
        const parts = operationLines(operation, Date.now(), style).slice(1);
        if (parts.length > 0) io.out(`${parts.join("\n")}\n`);
      }
    },
  };
}

/** What is worth lines of their own above the trees: a stall that begins, with what helps, or one that is over. */
export function notesOf(
  before: Operation | undefined,
  operation: Operation,
  nowMs: number,
): readonly string[] {
  const [was, is] = [before !== undefined && isStalled(before), isStalled(operation)];
  if (is && !was) {
    const advice = adviceOf(operation);
    return [
      `${operation.title}: ${headline(operation, nowMs)}`,
      ...(advice === undefined ? [] : [`  ${advice}`]),
    ];
  }
  return was && !is && !isTerminal(operation.state) ? [`${operation.title}: moves again`] : [];
}
