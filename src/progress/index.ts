// The progress core: operations, shares, estimates, stalls, and the words for them. Pure: the caller brings the clock.
// Not here: reading clusters (observe), running movers (movers), drawing (cli/render, ui/parts).
export { adviceFor, adviceOf } from "./advice.ts";
export { aggregate } from "./aggregate.ts";
export { look, type Memory, type Tracked, trackedChildren } from "./derive.ts";
export { counted, doneWords, numbersOf, numbersShort } from "./done.ts";
export { foretell } from "./estimate.ts";
export { type Eta } from "./eta.ts";
export {
  formatBytes,
  formatDuration,
  formatEta,
  formatPercent,
  formatProgress,
  formatRate,
  percentText,
} from "./format.ts";
export { headline, obstacle, stateWords, summary } from "./headline.ts";
export { expectedSeconds, type History, type PastRun } from "./history.ts";
export { learn } from "./learn.ts";
export { type Meter, measure, rateOf } from "./meter.ts";
export { moved } from "./moved.ts";
export {
  isTerminal,
  type Observation,
  type Operation,
  type Ref,
  type State,
  type WaitingFor,
} from "./operation.ts";
export { arrange, type Group, inOrder } from "./order.ts";
export { almost, fraction, growingTotal, type Sample, type Unit, unfinished } from "./progress.ts";
export { type Stall, type StallCause, stallCauses } from "./stall.ts";
export { formatStall } from "./stall-words.ts";
export { isInStates, isStalled, shownState, stalledPart, stalledParts } from "./stalled-part.ts";
export { stepWeight } from "./step-weights.ts";
export { capital, isVolume, kindWord, skipReason, stepsOf, titleOf } from "./steps.ts";
export { endWords, sureness } from "./sureness.ts";
export { track } from "./track.ts";
export { type WholeRun, wholeRun } from "./whole-run.ts";
