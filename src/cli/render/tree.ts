import {
  doneWords,
  endWords,
  formatEta,
  formatRate,
  headline,
  isStalled,
  isTerminal,
  numbersOf,
  numbersShort,
  type Operation,
  obstacle,
  type State,
  shownState,
  titleOf,
} from "../../progress/index.ts";
import type { Rate, Rates } from "./rates.ts";
import { clean, fit, fitName, paint, width } from "./text.ts";

/** How a tree is drawn. */
export interface TreeStyle {
  readonly columns: number;
  readonly color: boolean;
  /** Rows to draw at most; finished children give way first. */
  readonly rows?: number;
  /** How fast it goes, where that is known. */
  readonly rates?: Pick<Rates, "of">;
  /** What is drawn below an operation: its children unless told otherwise. */
  readonly parts?: (operation: Operation) => readonly Operation[];
}

/** An operation and what it is made of, one line each, never wider than the terminal. */
export function treeLines(operation: Operation, nowMs: number, style: TreeStyle): string[] {
  const rows = collect(operation, "", "", style.parts ?? (({ children }) => children));
  const visible = style.rows === undefined ? rows : squeeze(rows, style.rows);
  const titleWidth = Math.min(
    Math.max(24, Math.floor(style.columns * 0.33)),
    Math.max(...visible.map((row) => width(row.prefix) + width(title(row.operation)))),
  );
  return visible.map((row) => line(row, titleWidth, nowMs, style));
}

interface Row {
  readonly operation: Operation;
  readonly prefix: string;
  readonly depth: number;
}

function collect(
  operation: Operation,
  prefix: string,
  indent: string,
  parts: NonNullable<TreeStyle["parts"]>,
): Row[] {
  const depth = indent.length / 3;
  const rows: Row[] = [{ operation, prefix, depth }];
  const below = parts(operation);
  below.forEach((child, i) => {
    const last = i === below.length - 1;
    rows.push(
      ...collect(child, `${indent}${last ? "└─ " : "├─ "}`, `${indent}${last ? "   " : "│  "}`, parts),
    );
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
  const room = style.columns - titleWidth - 2;
  const head = fit(row.prefix + fitName(title(operation), titleWidth - width(row.prefix)), titleWidth);
  const barWidth = room >= 60 ? 20 : room >= 40 ? 10 : 0;
  const state = shownState(operation);
  const mark = paint(marks[state], colors[state], style.color);
  const bar = barWidth === 0 ? "" : `${drawBar(operation, barWidth)} `;
  const percent = (isShare(operation) ? doneWords(operation) : "").padStart(4);
  const facts = words(
    // The parts say below what holds them up; only the first line speaks for all of them.
    row.depth === 0 ? operation : { ...operation, children: [] },
    operation,
    nowMs,
    style.rates?.of(operation, nowMs),
    Math.max(0, room - width(bar) - 7),
  );
  return `${head} ${mark} ${bar}${percent} ${isBad(operation) ? paint(facts, "red", style.color) : facts}`.trimEnd();
}

/** A sign for each state. */
export const marks: Record<State | "stalled", string> = {
  pending: "·",
  running: "›",
  completed: "✓",
  "partially-failed": "!",
  failed: "✗",
  canceled: "⊘",
  skipped: "-",
  stalled: "‖",
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
  stalled: "yellow",
} as const satisfies Record<State | "stalled", string>;

function drawBar(operation: Operation, size: number): string {
  const share = operation.fraction;
  if (share === undefined) return `[${(operation.state === "running" ? "~" : " ").repeat(size - 2)}]`;
  const filled = Math.floor(share * (size - 2));
  return `[${"█".repeat(filled)}${"░".repeat(size - 2 - filled)}]`;
}

/** What stands behind the percent, as much as there is room for: the most urgent thing to know stays longest. */
function words(
  told: Operation,
  operation: Operation,
  nowMs: number,
  rate: Rate | undefined,
  room: number,
): string {
  const ways = (
    isTerminal(operation.state) ? endingWays(operation) : runningWays(told, operation, nowMs, rate)
  )
    .map((facts) => facts.map(clean).filter(Boolean).join(", "))
    .filter(Boolean);
  return ways.find((way) => width(way) <= room) ?? fit(ways.at(-1) ?? "", room, false);
}

/** The same facts, from the longest words to the shortest. */
function endingWays(operation: Operation): string[][] {
  const end = headline(operation);
  return [[isShare(operation) ? numbersOf(operation) : doneWords(operation), end], [end]];
}

function runningWays(
  told: Operation,
  operation: Operation,
  nowMs: number,
  rate: Rate | undefined,
): string[][] {
  const [long, short] = [numbersOf(operation), numbersShort(operation)];
  const held = obstacle(told, nowMs);
  if (held !== undefined) return [[long, held], [short, held], [held]];
  const { eta, scopeGrew, message = "" } = operation;
  const speed = rate === undefined ? "" : formatRate(rate.perSecond, rate.unit);
  const [left, leftShort] = eta ? [formatEta(eta), formatEta(eta, true)] : ["", ""];
  const isVague = eta !== undefined && "unknown" in eta;
  const end = eta && operation.children.length > 0 ? endWords(eta, nowMs, clockTime) : "";
  return [
    [long, speed, left, end, scopeGrew?.held ? "scope grew" : "", message],
    [long, speed, left, scopeGrew?.held ? "scope grew" : "", message],
    [long, speed, left],
    [short, speed, left],
    [short, speed, leftShort],
    // A rate tells more than that nothing can be foretold yet.
    [short, speed !== "" && isVague ? speed : leftShort],
    [leftShort],
  ];
}

/** The time of day where the terminal is. */
function clockTime(atMs: number): string {
  return new Date(atMs).toTimeString().slice(0, 5);
}

/** Whether `doneWords` is a percent, which has a column of its own. */
function isShare({ state }: Operation): boolean {
  return !isTerminal(state) || state === "completed";
}

function isBad(operation: Operation): boolean {
  return isStalled(operation) || operation.state === "failed" || operation.state === "partially-failed";
}

function title(operation: Operation): string {
  return clean(titleOf(operation));
}
