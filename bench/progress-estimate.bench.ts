// The error of our estimate beside a lifetime-linear and a 2-minute-window rule, on synthetic flows.
import { estimate } from "../src/progress/estimate.ts";
import { expect, type History } from "../src/progress/history.ts";
import { learnRun } from "../src/progress/learn.ts";
import { beginRun, continueRun, type Run } from "../src/progress/run.ts";
import { type Flow, flow, random, shapes } from "./flows.ts";

const workloads = Number(process.env["WORKLOADS"] ?? 12);

interface Score {
  error: number;
  count: number;
  covered: number;
  width: number;
  within25: number;
  shown: number;
  times: number;
}
const empty = (): Score => ({ error: 0, count: 0, covered: 0, width: 0, within25: 0, shown: 0, times: 0 });

type Rule = (t: number) => { ms: number; low?: number; high?: number } | undefined;

function linear(f: Flow): Rule {
  let i = 0;
  return (t) => {
    while (i + 1 < f.samples.length && (f.samples[i + 1]?.[0] ?? 0) <= t) i += 1;
    const [ms, done] = f.samples[i] ?? [0, 0];
    if (ms > t || done <= 0) return undefined;
    return { ms: (t * (f.total - done)) / done };
  };
}

function window120(f: Flow): Rule {
  let [i, j] = [0, 0];
  return (t) => {
    while (i + 1 < f.samples.length && (f.samples[i + 1]?.[0] ?? 0) <= t) i += 1;
    while (j < i && (f.samples[j]?.[0] ?? 0) < t - 120_000) j += 1;
    const [ms, done] = f.samples[i] ?? [0, 0];
    if (ms > t) return undefined;
    if (done >= f.total) return { ms: 0 };
    const [fromMs, from] = t <= 120_000 ? [0, 0] : (f.samples[Math.max(0, j - 1)] ?? [0, 0]);
    return done > from ? { ms: ((t - fromMs) * (f.total - done)) / (done - from) } : undefined;
  };
}

function ours(f: Flow, history: History | undefined): { rule: Rule; run: () => Run } {
  const expected = expect(history);
  let run = beginRun({ unit: "bytes", done: 0, total: f.total }, 0, 0);
  let [i, done] = [0, 0];
  return {
    run: () => run,
    rule: (t) => {
      while (i < f.samples.length && (f.samples[i]?.[0] ?? Infinity) <= t) {
        done = f.samples[i]?.[1] ?? 0;
        i += 1;
      }
      run = continueRun(run, { unit: "bytes", done, total: f.total }, t, true);
      const told = estimate(run, expected);
      run = told.run;
      if ("unknown" in told.eta) return undefined;
      return { ms: told.eta.seconds * 1000, low: told.eta.low * 1000, high: told.eta.high * 1000 };
    },
  };
}

const names = ["linear", "window", "first", "with3"] as const;
const errors: Record<string, Record<string, Score>> = {};
for (const [name, make] of Object.entries(shapes)) {
  const scores: Record<string, Score> = { linear: empty(), window: empty(), first: empty(), with3: empty() };
  for (let w = 0; w < workloads; w++) {
    const next = random(1000 * w + name.length * 7 + 1);
    const shape = make(next);
    let history: History | undefined;
    for (let r = 0; r < 3; r++) {
      const f = flow(shape, next);
      const { rule, run } = ours(f, history);
      for (let t = 1000; t <= f.endMs; t += 1000) rule(t);
      history = learnRun(history, run());
    }
    const f = flow(shape, next);
    const rules: Record<string, Rule> = {
      linear: linear(f),
      window: window120(f),
      first: ours(f, undefined).rule,
      with3: ours(f, history).rule,
    };
    const local: Record<string, Score> = { linear: empty(), window: empty(), first: empty(), with3: empty() };
    for (let t = 1000; t < f.endMs; t += 1000) {
      const told = Object.fromEntries(names.map((n) => [n, rules[n]?.(t)]));
      const all = told["linear"] && told["window"] && told["first"] && told["with3"];
      for (const n of names) {
        const s = local[n];
        const x = told[n];
        if (!s) continue;
        s.times += 1;
        if (!x) continue;
        s.shown += 1;
        const truth = f.endMs - t;
        if (x.low !== undefined && x.high !== undefined) {
          if (x.low <= truth && truth <= x.high) s.covered += 1;
          s.width += (x.high - x.low) / f.endMs;
        }
        if (!all) continue;
        s.count += 1;
        s.error += Math.min(Math.abs(x.ms - truth) / f.endMs, 10);
        if (Math.abs(x.ms - truth) <= 0.25 * truth) s.within25 += 1;
      }
    }
    for (const n of names) {
      const [s, l] = [scores[n], local[n]];
      if (!s || !l) continue;
      s.error += l.error / l.count / workloads;
      s.covered += l.covered / l.shown / workloads;
      s.width += l.width / l.shown / workloads;
      s.within25 += l.within25 / l.count / workloads;
      s.shown += l.shown / l.times / workloads;
    }
  }
  errors[name] = scores;
  const pct = (x: number | undefined) => `${((x ?? 0) * 100).toFixed(1)}`.padStart(6);
  const best = Math.min(scores["linear"]?.error ?? 0, scores["window"]?.error ?? 0);
  console.log(
    name.padEnd(18),
    ...names.map((n) => pct(scores[n]?.error)),
    "| ratio first",
    ((scores["first"]?.error ?? 0) / best).toFixed(2),
    "with3",
    (best / (scores["with3"]?.error ?? 1)).toFixed(2),
    "| w25",
    ...names.map((n) => pct(scores[n]?.within25)),
    "| shown",
    pct(scores["first"]?.shown),
    pct(scores["with3"]?.shown),
    "| cover",
    pct(scores["first"]?.covered),
    pct(scores["with3"]?.covered),
    "width",
    pct(scores["first"]?.width),
    pct(scores["with3"]?.width),
  );
}
