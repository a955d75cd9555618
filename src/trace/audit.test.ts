import { join } from "node:path";
import { expect, test } from "vitest";
import { readExposition } from "../../test/harness/exposition.ts";
import { FakeObserver } from "../../test/harness/fake-observer.ts";
import { Metrics } from "../server/metrics.ts";
import { readTraces } from "./files.ts";
import { startOf } from "./form.ts";
import { type Scored, scoreAll } from "./score.ts";
import { marksOf, ours } from "./table.ts";

/** What the metrics of the program say of a run that is played again. */
function audited({ trace, told }: Scored): ReadonlyMap<string, number> {
  // Objects hold their start in whole seconds; the scorer knows it exactly.
  const startedAt = startOf(trace.head);
  let now = startedAt;
  const observer = new FakeObserver();
  const metrics = new Metrics(observer, () => now);
  for (const { t, operation } of told) {
    now = startedAt + 1000 * t;
    if (operation) observer.set({ ...operation, startedAt });
  }
  const last = told.at(-1)?.operation;
  const finishedAt = startedAt + 1000 * trace.end;
  if (last) observer.set({ ...last, state: "completed", startedAt, finishedAt });
  return readExposition(metrics.text()).samples;
}

/** The run, as the scorer has it, at the one moment at which the metrics take the estimate down. */
function atHalf(scored: Scored): Scored | undefined {
  const half = scored.told.find(
    ({ eta, operation }) => !("unknown" in eta) && (operation?.fraction ?? 0) >= 0.5,
  );
  return half && { ...scored, told: [half] };
}

test("the metrics by which the program checks its own estimates say of recorded runs what the scorer says", {
  timeout: 300_000,
}, async () => {
  const traces = await readTraces(join(import.meta.dirname, "../../bench/corpus/traces"));
  const keys = [...new Set(traces.map(({ head }) => head.key))].filter((_, i) => i % 12 === 0);
  const all = scoreAll(traces.filter(({ head }) => keys.includes(head.key)));
  const known = all.filter(({ history, from }) => history === 0 || (history === 3 && from === "others"));
  let [compared, held] = [0, 0];
  for (const scored of known) {
    const half = atHalf(scored);
    const marks = half && marksOf([half], ours);
    if (!half || !marks) continue;
    const samples = audited(scored);
    const kind = `kind="${scored.trace.head.op === "restore" ? "podvolumerestore" : "podvolumebackup"}"`;
    const name = `${scored.trace.head.key}, ${scored.history} earlier`;
    const kept = samples.get(`headway_operation_predictions_total{${kind},held="true"}`) ?? 0;
    expect(kept, name).toBe(marks.held);
    // The ratio is of whole times: what it is off by is the error of the scorer.
    const ratio = samples.get(`headway_operation_predicted_duration_ratio_sum{${kind}}`) ?? Number.NaN;
    expect(Math.abs(ratio - 1), name).toBeCloseTo(marks.error, 6);
    compared += 1;
    held += kept;
  }
  expect(compared).toBeGreaterThan(40);
  // Both ends are compared: estimates that held, and such that did not.
  expect(Math.min(held, compared - held)).toBeGreaterThan(10);
});
