// Recorded runs of movers: writing them down, reading them, replaying them through the estimate, scoring it.
// Not here: the estimate itself (progress), running movers (movers).
export { readTraces } from "./files.ts";
export { scoreTable, toldJson } from "./print.ts";
export { Recorder } from "./recorder.ts";
export { type Scored, scoreAll } from "./score.ts";
