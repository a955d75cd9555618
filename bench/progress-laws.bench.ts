// The laws of progress over generated histories with liars, broken clocks, crashes and restarts.
// A run lasts under a minute and takes the next slice of the histories: SLICE=0 … 19 make the million together.
import fc from "fast-check";
import { histories, judge } from "../src/progress/conformance.ts";

const perSlice = 50_000;
const slice = Number(process.env["SLICE"] ?? 0);
let [held, ended, restarts] = [0, 0, 0];
const started = performance.now();
const outcome = fc.check(
  fc.property(histories, (history) => {
    const verdict = judge(history);
    held += verdict.held;
    ended += verdict.ended;
    restarts += verdict.restarts;
    return verdict.faults.length === 0;
  }),
  { numRuns: perSlice, seed: 20_261_115 + slice },
);
const seconds = (performance.now() - started) / 1000;
console.log(
  `slice ${slice}: ${outcome.numRuns} histories in ${seconds.toFixed(0)} s, ${outcome.failed ? "BROKEN" : "0 broken"}; ` +
    `the share was held ${held} times, ${ended} looks at ended work, ${restarts} restarts`,
);
if (outcome.failed || outcome.numRuns < perSlice) {
  console.log(fc.defaultReportMessage(outcome) ?? "cut short");
  process.exitCode = 1;
}
