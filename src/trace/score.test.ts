import { join } from "node:path";
import { expect, test } from "vitest";
import { isCode } from "../errors.ts";
import { readTraces } from "./files.ts";
import { readTrace, type Trace } from "./form.ts";
import { scoreTable, toldJson } from "./print.ts";
import { replay } from "./replay.ts";
import { momentsOf, type Scored, scoreAll } from "./score.ts";
import { clock, linear, marksOf, ours, wordsOf } from "./table.ts";

/** A run of a hundred units that takes so many seconds, a fifth of them after the last unit. */
function trace(start: number, seconds: number): Trace {
  const lines = [
    `{"v":1,"key":"k","family":"even","mover":"restic","version":"1","op":"backup","unit":"bytes","startedAt":${start}}`,
  ];
  for (let t = 1; t < seconds; t++)
    lines.push(
      `{"t":${t},"done":${Math.min(1e9, Math.floor((1e9 * t) / (0.8 * seconds)))},"total":1000000000}`,
    );
  lines.push(`{"t":${seconds},"end":"completed"}`);
  return readTrace(lines.join("\n"), "made");
}

const even = [60, 66, 58, 62].map((seconds, i) => trace(1_000_000 + i * 100_000, seconds));

test("scoreAll() replays each run alone, with those before it, and with the others", () => {
  const all = scoreAll(even);
  const count = (history: number, from: string) =>
    all.filter((each) => each.history === history && each.from === from).length;
  expect([count(0, "before"), count(1, "before"), count(3, "before"), count(3, "others")]).toEqual([
    4, 3, 1, 4,
  ]);
  const three = all.filter(({ history, from }) => history === 3 && from === "others");
  expect(marksOf(three, ours)?.error).toBeLessThan(0.07);
  expect(marksOf(three, ours)?.answered).toBe(1);
  expect(marksOf(three, clock)?.error).toBeLessThan(0.1);
  expect(marksOf(all, linear, { fromSeconds: 10 })?.answered).toBeGreaterThan(0.9);
});

test("the table and the JSON tell of each run what was told of it", () => {
  const all = scoreAll(even);
  expect(scoreTable(all)).toContain("| even | 4 | 62 s |");
  const { traces } = JSON.parse(toldJson(all)) as { traces: { history: number; points: object[] }[] };
  expect(traces).toHaveLength(all.length);
  expect(traces[0]?.points[0]).toEqual({ t: 1, estimate: null, low: null, high: null, reason: "too-early" });
  expect(traces[0]?.points[30]).toMatchObject({ t: 31, reason: null, estimate: expect.any(Number) });
});

test("replay() shows what a viewer sees: writes as seldom as an agent's, looked at each second", () => {
  const [first = trace(0, 60)] = even;
  const { told, past } = replay(first, momentsOf(first));
  expect(told).toHaveLength(59);
  expect(past).toMatchObject({ units: 1e9, unit: "bytes" });
  expect(past?.ms).toBeGreaterThan(58_000);
});

test("a folder without traces is refused with TRACE_FORM", async () => {
  for (const folder of [join(import.meta.dirname, "nowhere"), import.meta.dirname])
    await expect(readTraces(folder)).rejects.toSatisfy((error) => isCode(error, "TRACE_FORM"));
});

const corpus = join(import.meta.dirname, "../../bench/corpus/traces");

/** A spread of the recorded runs: every eleventh, with and without history. */
async function recorded(): Promise<readonly Scored[]> {
  const byKey = Map.groupBy(await readTraces(corpus), ({ head }) => head.key);
  const some = [...byKey.values()].filter((_, i) => i % 6 === 0).flat();
  const all = scoreAll(some).filter(({ from, history }) => from === "before" && history !== 1);
  expect(all.length).toBeGreaterThan(30);
  return all;
}

test("[ET18] on recorded runs the estimate is never nothing before the end, and never stands still while bytes flow", {
  timeout: 300_000,
}, async () => {
  for (const { told, trace: run } of await recorded()) {
    let [since, last, moved] = [0, -1, 0];
    for (const { t, eta, run: known } of told) {
      if ("unknown" in eta) {
        [since, last] = [t, -1];
        continue;
      }
      const name = `${run.head.key} at ${t} s`;
      expect(eta.seconds, name).toBeGreaterThan(0);
      expect(eta.low, name).toBeGreaterThan(0);
      expect(eta.low <= eta.seconds && eta.seconds <= eta.high && Number.isFinite(eta.high), name).toBe(true);
      const flown = (known?.done ?? 0) + (known?.carried?.done ?? 0);
      const isFlowing = flown > moved;
      if (eta.seconds !== last || !isFlowing) [since, last] = [t, eta.seconds];
      moved = flown;
      expect(t - since, name).toBeLessThanOrEqual(3);
    }
  }
});

test("on recorded runs the words for how sure it is are right as often as they say", {
  timeout: 300_000,
}, async () => {
  const right = Object.fromEntries(wordsOf(await recorded()).map(({ word, within25 }) => [word, within25]));
  expect(right["quite sure"]).toBeGreaterThan(0.75);
  expect(right["fairly sure"]).toBeGreaterThan(0.55);
  expect(right["a rough guess"]).toBeLessThan(0.5);
});

test("[ET14] on recorded runs a parent is never surer than the copy that ends last", {
  timeout: 300_000,
}, async () => {
  const { track } = await import("../progress/index.ts");
  let compared = 0;
  for (const { trace: run } of (await recorded()).filter(({ history }) => history === 0).slice(0, 12)) {
    const ref = { apiVersion: "v1", kind: "Backup", name: "b" };
    const common = { ref, startedAt: 1, state: "running" as const };
    let tracked: Parameters<typeof track>[0];
    for (const { t, done, total } of run.points) {
      if (done === undefined) continue;
      const progress = { unit: "bytes" as const, done, ...(total !== undefined && { total }) };
      const copy = { ...common, id: "v/x", kind: "podvolumebackup", title: "v", progress };
      const seen = {
        ...common,
        id: "b",
        kind: "backup",
        title: "b",
        rule: "steps" as const,
        children: [copy],
      };
      tracked = track(tracked, seen, 1 + t * 1000);
      const [part, whole] = [tracked.operation.children[0]?.eta, tracked.operation.eta];
      if (!whole || "unknown" in whole) continue;
      if (!part || "unknown" in part) throw new Error(`${run.head.key}: the whole tells what no part does`);
      compared += 1;
      expect(whole.high).toBeGreaterThanOrEqual(part.high);
      expect(whole.high / whole.seconds).toBeGreaterThanOrEqual(part.high / part.seconds - 1e-9);
    }
  }
  expect(compared).toBeGreaterThan(50);
});
