import { startOf } from "./form.ts";
import type { Scored } from "./score.ts";
import { clock, linear, type Marks, marksOf, ours, own, type Rule, wordsOf } from "./table.ts";

/** Without earlier runs nothing can be said before this: the table does not ask before it either. */
const firstFrom = { fromSeconds: 10 };

/** What was told at every moment of every run, and what is true of it. */
export function toldJson(all: readonly Scored[]): string {
  const traces = all.map(({ trace, told, history, from }) => ({
    key: trace.head.key,
    family: trace.head.family,
    mover: trace.head.mover,
    op: trace.head.op,
    startedAt: startOf(trace.head),
    seconds: trace.end,
    history,
    from,
    points: told.map(({ t, eta }) =>
      "unknown" in eta
        ? { t, estimate: null, low: null, high: null, reason: eta.unknown }
        : { t, estimate: round(eta.seconds), low: round(eta.low), high: round(eta.high), reason: null },
    ),
  }));
  return `${JSON.stringify({ version: 1, traces })}\n`;
}

/** The table: all runs, then family by family. */
export function scoreTable(all: readonly Scored[]): string {
  const lines: string[] = [];
  for (const op of [...new Set(all.map(({ trace }) => trace.head.op))].toSorted()) {
    const runs = all.filter(({ trace }) => trace.head.op === op);
    lines.push(`## ${op}: ${runs.filter(({ history }) => history === 0).length} runs`, "");
    lines.push(...overall(runs), "", ...byFamily(runs), "");
  }
  return [...lines, ...words(all)].join("\n");
}

function words(all: readonly Scored[]): readonly string[] {
  const rows = wordsOf(all).toSorted((a, b) => b.within25 - a.within25);
  return [
    "## How sure: what was told with each word",
    "",
    "| word | of all moments | within 25 % |",
    "|---|---|---|",
    ...rows.map(({ word, share, within25 }) => `| ${word} | ${percent(share)} | ${percent(within25)} |`),
    "",
  ];
}

function overall(runs: readonly Scored[]): readonly string[] {
  const first = runs.filter(({ history }) => history === 0);
  const lines = [
    "| | runs | error | within 25 % | answered | 80 % range held |",
    "|---|---|---|---|---|---|",
    row("linear rule, from 10 s on", marksOf(first, linear, firstFrom)),
    row("mover's own, from 10 s on", marksOf(first, own, firstFrom)),
    row("first run, from 10 s on", marksOf(first, ours, firstFrom)),
    row("first run, where the linear rule answers", marksOf(first, ours, { ...firstFrom, among: linear })),
  ];
  for (const from of ["before", "others"] as const) {
    const name = from === "before" ? "in order" : "leave one out";
    for (const history of [1, 2, 3] as const) {
      const told = runs.filter((each) => each.history === history && each.from === from);
      if (told.length === 0) continue;
      lines.push(row(`${history} earlier, ${name}`, marksOf(told, ours)));
      lines.push(row(`${history} earlier, ${name}: plain clock`, marksOf(told, clock)));
    }
  }
  return lines;
}

function byFamily(runs: readonly Scored[]): readonly string[] {
  const families = [...new Set(runs.map(({ trace }) => trace.head.family))].toSorted();
  const error = (list: readonly Scored[], rule: Rule, how: Parameters<typeof marksOf>[2]) =>
    percent(marksOf(list, rule, how)?.error);
  return [
    "| family | runs | mean length | first: linear | first: told | first: held | three: clock | three: told | within 25 % | held |",
    "|---|---|---|---|---|---|---|---|---|---|",
    ...families.map((family) => {
      const own = runs.filter(({ trace }) => trace.head.family === family);
      const first = own.filter(({ history }) => history === 0);
      const three = own.filter(({ history, from }) => history === 3 && from === "others");
      const marks = marksOf(three, ours);
      const cells = [
        family,
        String(first.length),
        `${Math.round(first.reduce((sum, { trace }) => sum + trace.end, 0) / first.length)} s`,
        error(first, linear, { ...firstFrom, among: ours }),
        error(first, ours, { ...firstFrom, among: linear }),
        percent(marksOf(first, ours, firstFrom)?.held),
        error(three, clock, {}),
        percent(marks?.error),
        percent(marks?.within25),
        percent(marks?.held),
      ];
      return `| ${cells.join(" | ")} |`;
    }),
  ];
}

function row(name: string, marks: Marks | undefined): string {
  const { runs = 0, error, within25, answered, held } = marks ?? {};
  return `| ${[name, runs, percent(error), percent(within25), percent(answered), percent(held)].join(" | ")} |`;
}

function percent(share: number | undefined): string {
  return share === undefined || Number.isNaN(share) ? "–" : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
