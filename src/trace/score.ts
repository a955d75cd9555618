import type { History, PastRun } from "../progress/index.ts";
import { startOf, type Trace } from "./form.ts";
import { replay, type Told } from "./replay.ts";

/** How many earlier runs were known, and which. */
interface Knowing {
  readonly history: 0 | 1 | 2 | 3;
  /** `before`: those that came before; `others`: whichever others there are, as if they had come before. */
  readonly from: "before" | "others";
}

/** One run, told with so much history. */
export interface Scored extends Knowing {
  readonly trace: Trace;
  readonly told: readonly Told[];
  /** Seconds that the earlier runs took, and what they taught. */
  readonly earlier: readonly number[];
  readonly past: readonly PastRun[];
}

/** Moments at which a run is asked: each second, and two hundred in a long one. */
export function momentsOf({ end }: Trace): readonly number[] {
  const step = Math.max(1, end / 200);
  const moments: number[] = [];
  for (let i = 1; i * step < end; i++) moments.push(Math.round(i * step * 1000) / 1000);
  return moments;
}

/** Replays every run that ended well, without history and with up to three earlier runs of its key. */
export function scoreAll(traces: readonly Trace[]): readonly Scored[] {
  const byKey = Map.groupBy(
    traces.filter(({ outcome }) => outcome === "completed"),
    ({ head }) => `${head.op} ${head.key}`,
  );
  return [...byKey.values()].flatMap((runs) => {
    const inOrder = runs
      .toSorted((a, b) => startOf(a.head) - startOf(b.head))
      .flatMap((trace): Learned[] => {
        const { told, past } = replay(trace, momentsOf(trace));
        return past ? [{ trace, told, past }] : [];
      });
    return inOrder.flatMap((run, i) => scoreOne(run, inOrder.slice(0, i), inOrder.toSpliced(i, 1)));
  });
}

/** A run that was replayed once: what was told without history, and what it teaches. */
interface Learned {
  readonly trace: Trace;
  readonly told: readonly Told[];
  readonly past: PastRun;
}

function scoreOne(run: Learned, before: readonly Learned[], others: readonly Learned[]): Scored[] {
  const { trace, told } = run;
  const scored: Scored[] = [{ trace, told, history: 0, from: "before", earlier: [], past: [] }];
  for (const history of [1, 2, 3] as const) {
    if (before.length >= history)
      scored.push(scoreWith(trace, before.slice(-history), { history, from: "before" }));
    if (others.length >= history)
      scored.push(scoreWith(trace, others.slice(-history), { history, from: "others" }));
  }
  return scored;
}

function scoreWith(trace: Trace, earlier: readonly Learned[], knowing: Knowing): Scored {
  const known: History = { version: 2, runs: earlier.map(({ past }) => past) };
  const { told } = replay(trace, momentsOf(trace), known);
  return { ...knowing, trace, told, earlier: earlier.map((each) => each.trace.end), past: known.runs };
}
