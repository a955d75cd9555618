import { formatGoDuration, parseGoDurationMs } from "./go-duration.ts";

/** How often something is done again; `fault` says why what was written is not used. */
export interface Period {
  /** 0 means never. */
  readonly ms: number;
  readonly fault?: string;
}

/** Below this, doing something again is a loop. */
const shortestMs = 1_000;

/** Reads a period of a spec. One that is missing or cannot be used is the usual one; 0 means never, as upstream has it. */
export function readPeriod(field: string, text: string | null | undefined, usualMs: number): Period {
  if (text === undefined || text === null || text === "") return { ms: usualMs };
  const ms = parseGoDurationMs(text);
  if (ms === 0 || (ms !== undefined && ms >= shortestMs)) return { ms };
  const what = ms === undefined ? "is not a duration" : ms < 0 ? "is negative" : "is shorter than a second";
  return { ms: usualMs, fault: `${field} "${text}" ${what}: ${formatGoDuration(usualMs)} is used instead` };
}
