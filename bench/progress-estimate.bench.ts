// How right the estimate is on the recorded runs of bench/corpus/traces; the same as `headway trace score`.
// Budgets: what the range promises, and that earlier runs help.
import { join } from "node:path";
import { readTraces, scoreAll, scoreTable } from "../src/trace/index.ts";
import { clock, marksOf, ours } from "../src/trace/table.ts";

const all = scoreAll(await readTraces(join(import.meta.dirname, "corpus/traces")));
console.log(scoreTable(all));
const first = all.filter(({ history }) => history === 0);
const three = all.filter(({ history, from }) => history === 3 && from === "others");
const [fresh, told, plain] = [
  marksOf(first, ours, { fromSeconds: 10 }),
  marksOf(three, ours),
  marksOf(three, clock),
];
const isWithin = (share: number | undefined, low: number, high: number) =>
  share !== undefined && low <= share && share <= high;
const isGood =
  isWithin(fresh?.answered, 0.8, 1) &&
  isWithin(fresh?.held, 0.7, 0.88) &&
  isWithin(told?.held, 0.76, 0.84) &&
  (told?.error ?? 1) < (plain?.error ?? 0);
if (!isGood) {
  console.error("a budget is broken");
  process.exitCode = 1;
}
