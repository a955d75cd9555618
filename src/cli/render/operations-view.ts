import {
  adviceOf,
  formatDuration,
  headline,
  inOrder,
  isStalled,
  isTerminal,
  type Operation,
} from "../../progress/index.ts";
import type { Io } from "../io.ts";
import { type Browsing, footer, listed } from "../watch/browse.ts";
import type { Pulse } from "../watch/pulse.ts";
import { LiveView } from "./live.ts";
import { operationLines } from "./pipeline.ts";
import { Rates } from "./rates.ts";
import { clean, fit, paint, wrap } from "./text.ts";
import { type TreeStyle, treeLines } from "./tree.ts";

/** Where operations are shown while they run. */
export interface OperationsView {
  /** All that is shown now; `changed` is the one that is new. */
  show(shown: ReadonlyMap<string, Operation>, changed: Operation): void;
  /** The object of one that was shown is gone. */
  gone(id: string): void;
  /** The cluster went away, or came back. */
  pulse(pulse: Pulse): void;
  /** What a person looks at, where there are keys. */
  browse?(browsing: Browsing): void;
  /** A line above, for good. */
  log(line: string): void;
  end(): void;
}

/** Trees that are drawn again in place, on a terminal. */
export function liveView(io: Io, size: { readonly columns: number; readonly rows: number }): OperationsView {
  const view = new LiveView({ write: (part) => io.out(part), size: () => size });
  const rates = new Rates();
  let [all, banner]: [ReadonlyMap<string, Operation>, string] = [new Map(), ""];
  let browsing: Browsing | undefined;
  const draw = () => {
    const top = banner === "" ? [] : [paint(fit(banner, size.columns - 1, false), "yellow", io.color)];
    const style = { columns: size.columns, color: io.color, rows: size.rows - 1 - top.length, rates };
    return [
      ...top,
      ...(browsing ? browsed(all, browsing, Date.now(), style) : forest(all, Date.now(), style)),
    ];
  };
  const log = (line: string) => {
    for (const part of wrap(clean(line), size.columns - 1)) view.log(part);
  };
  view.update(draw);
  return {
    show(shown, changed) {
      all = shown;
      rates.take(changed, Date.now());
      view.update(draw);
    },
    gone: () => view.update(draw),
    pulse(pulse) {
      banner = pulse.cluster === "away" ? pulseWords(pulse, Date.now()) : "";
      if (pulse.cluster === "back") log(pulseWords(pulse, Date.now()));
      view.update(draw);
    },
    browse(next) {
      browsing = next;
      view.update(draw);
    },
    log,
    end() {
      browsing = undefined; // keys are of no use any more
      view.update(draw);
      view.end();
    },
  };
}

/** What a person chose: one operation with all its parts, or a list with a cursor; the keys are below. */
function browsed(
  shown: ReadonlyMap<string, Operation>,
  browsing: Browsing,
  nowMs: number,
  style: TreeStyle & { readonly rows: number },
): string[] {
  const all = listed(shown, browsing.filter, nowMs);
  const chosen = all.find(({ id }) => id === browsing.at);
  const keys = paint(
    fit(clean(footer(browsing, chosen?.title)), style.columns - 1, false),
    "dim",
    style.color,
  );
  const rows = Math.max(1, style.rows - 1);
  if (chosen && browsing.isOpen)
    return [...operationLines(chosen, nowMs, { ...style, rows }).slice(0, rows), keys];
  if (browsing.at === undefined) {
    const some = new Map(all.map((operation) => [operation.id, operation]));
    const empty = some.size === 0 && shown.size > 0;
    return [
      ...(empty ? ["nothing that runs has these letters"] : forest(some, nowMs, { ...style, rows })),
      keys,
    ];
  }
  // The one under the cursor is always on the screen.
  const from = Math.max(0, all.findIndex(({ id }) => id === chosen?.id) - rows + 1);
  const lines = all.slice(from, from + rows).map((operation) => {
    const line =
      treeLines(operation, nowMs, { ...style, columns: style.columns - 2, parts: () => [] })[0] ?? "";
    return `${operation.id === chosen?.id ? "›" : " "} ${line}`;
  });
  return [...lines, keys];
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

/** One JSON line for each change; docs/watch-lines.md says what may be in it. */
export function jsonView(io: Io): OperationsView {
  const line = (facts: object) => io.out(`${JSON.stringify({ time: new Date().toISOString(), ...facts })}\n`);
  return {
    show: (_shown, operation) => line({ operation }),
    gone: (gone) => line({ gone }),
    pulse: ({ sinceMs, ...pulse }) => line({ ...pulse, since: new Date(sinceMs).toISOString() }),
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
    gone: (id) => void before.delete(id),
    pulse: (pulse) => io.out(`${clean(pulseWords(pulse, Date.now()))}\n`),
    log: (line) => io.out(`${clean(line)}\n`),
    end() {
      for (const operation of last.values()) {
        const parts = operationLines(operation, Date.now(), style).slice(1);
        if (parts.length > 0) io.out(`${parts.join("\n")}\n`);
      }
    },
  };
}

/** That the cluster is away, since when and why, or that it is back. */
export function pulseWords(pulse: Pulse, nowMs: number): string {
  const since = new Date(pulse.sinceMs).toTimeString().slice(0, 8);
  return pulse.cluster === "away"
    ? `the cluster does not answer; what is shown is of ${since} (${pulse.why})`
    : `the cluster answers again; it was away for ${formatDuration((nowMs - pulse.sinceMs) / 1000)}`;
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
