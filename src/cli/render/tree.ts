import {
  formatDuration,
  formatEta,
  formatPercent,
  formatProgress,
  formatStall,
  isTerminal,
  type Operation,
} from "../../progress/index.ts";
import { clean, fit, paint, width } from "./text.ts";

/** How a tree is drawn. */
export interface TreeStyle {
  readonly columns: number;
  readonly color: boolean;
  /** Rows to draw at most; finished children give way first. */
  readonly rows?: number;
}

/** An operation and what it is made of, one line each, never wider than the terminal. */
export function treeLines(operation: Operation, nowMs: number, style: TreeStyle): string[] {
  const rows = collect(operation, "", "");
  const visible = style.rows === undefined ? rows : squeeze(rows, style.rows);
  const titleWidth = Math.min(
    Math.max(24, Math.floor(style.columns * 0.4)),
    Math.max(...visible.map((row) => width(row.prefix) + width(title(row.operation)))),
  );
  return visible.map((row) => line(row, titleWidth, nowMs, style));
}

interface Row {
  readonly operation: Operation;
  readonly prefix: string;
  readonly depth: number;
}

function collect(operation: Operation, prefix: string, indent: string): Row[] {
  const depth = indent.length / 3;
  const rows: Row[] = [{ operation, prefix, depth }];
  operation.children.forEach((child, i) => {
    const last = i === operation.children.length - 1;
    rows.push(...collect(child, `${indent}${last ? "└─ " : "├─ "}`, `${indent}${last ? "   " : "│  "}`));
  });
  return rows;
}

/** Keeps what runs or went wrong; leaves out the deepest finished and waiting rows until the rest fits. */
function squeeze(rows: readonly Row[], limit: number): Row[] {
  const kept = [...rows];
  const dull = (row: Row) => row.operation.state !== "running" && !isBad(row.operation) && row.depth > 0;
  while (kept.length > limit) {
    let victim = -1;
    kept.forEach((row, i) => {
      if (dull(row) && row.depth >= (kept[victim]?.depth ?? 0)) victim = i;
    });
    if (victim < 0) break;
    kept.splice(victim, 1);
  }
  return kept.slice(0, limit);
}

function line(row: Row, titleWidth: number, nowMs: number, style: TreeStyle): string {
  const { operation } = row;
  const head = fit(row.prefix + title(operation), titleWidth);
  const room = style.columns - titleWidth - 2;
  const barWidth = room >= 60 ? 20 : room >= 40 ? 12 : 0;
  const mark = paint(marks[operation.state], colors[operation.state], style.color);
  const bar = barWidth === 0 ? "" : `${drawBar(operation, barWidth)} `;
  const percent = formatPercent(operation.fraction).padStart(4);
  const facts = fit(words(operation, nowMs), Math.max(0, room - 2 - width(bar) - 5), false);
  return `${head} ${mark} ${bar}${percent} ${isBad(operation) ? paint(facts, "red", style.color) : facts}`.trimEnd();
}

/** A sign for each state. */
export const marks: Record<Operation["state"], string> = {
  pending: "·",
  running: "›",
  completed: "✓",
  "partially-failed": "!",
  failed: "✗",
  canceled: "⊘",
  skipped: "-",
};

/** A colour for each state. */
export const colors = {
  pending: "dim",
  running: "blue",
  completed: "green",
  "partially-failed": "yellow",
  failed: "red",
  canceled: "yellow",
  skipped: "dim",
} as const satisfies Record<Operation["state"], string>;

function drawBar(operation: Operation, size: number): string {
  const share = operation.fraction;
  if (share === undefined) return `[${(operation.state === "running" ? "~" : " ").repeat(size - 2)}]`;
  const filled = Math.floor(share * (size - 2));
  return `[${"█".repeat(filled)}${"░".repeat(size - 2 - filled)}]`;
}

/** What stands behind the percent: the numbers, then the most urgent thing to know. */
function words(operation: Operation, nowMs: number): string {
  const facts: string[] = [];
  const { progress } = operation;
  // Phases of actions count hundredths of a percent, which only repeat the percent.
  const isShare = operation.kind === "phase" && progress?.unit === "steps";
  if (progress && !isShare) facts.push(formatProgress(progress));
  if (isTerminal(operation.state)) facts.push(...ending(operation));
  else facts.push(...running(operation, nowMs));
  return facts.map(clean).filter(Boolean).join(", ");
}

function ending(operation: Operation): string[] {
  const { startedAt, finishedAt, state } = operation;
  const facts: string[] = state === "completed" ? [] : [state];
  if (startedAt !== undefined && finishedAt !== undefined && finishedAt >= startedAt) {
    facts.push(`in ${formatDuration((finishedAt - startedAt) / 1000)}`);
  }
  if (operation.errors > 0) facts.push(`${operation.errors} errors`);
  if (operation.warnings > 0) facts.push(`${operation.warnings} warnings`);
  if (operation.message !== undefined && state !== "completed") facts.push(operation.message);
  return facts;
}

function running(operation: Operation, nowMs: number): string[] {
  if (operation.stall) return [formatStall(operation.stall, nowMs)];
  if (operation.waitingFor) {
    const { reason, object, message } = operation.waitingFor;
    return [`waiting for ${message ?? (object ? `${object.kind} ${object.name}` : reason)}`];
  }
  const facts: string[] = [];
  if (operation.eta) facts.push(formatEta(operation.eta));
  if (operation.scopeGrew?.held) facts.push("scope grew");
  if (operation.message !== undefined) facts.push(operation.message);
  return facts;
}

function isBad(operation: Operation): boolean {
  return (
    operation.stall !== undefined || operation.state === "failed" || operation.state === "partially-failed"
  );
}

function title(operation: Operation): string {
  return clean(operation.title);
}
