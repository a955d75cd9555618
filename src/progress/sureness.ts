import type { Eta } from "./eta.ts";

/** Below these widths of the range, against what is told, the words hold: see `sureness`. */
const widths = { sure: 0.7, fairly: 1.4 } as const;

/**
 * How sure an estimate is, in words that were measured on recorded runs: "quite sure" is within a quarter of the truth in
 * four of five cases, "fairly sure" in three of five, "a rough guess" in less than half.
 */
export function sureness(eta: Eta): string {
  if ("unknown" in eta || eta.seconds <= 0) return "";
  if (eta.high < 10) return "nearly there";
  const width = (eta.high - eta.low) / eta.seconds;
  return width < widths.sure ? "quite sure" : width < widths.fairly ? "fairly sure" : "a rough guess";
}

/** `done about 11:42, fairly sure`; the viewer says how it writes a moment. Nothing where nothing is foretold. */
export function endWords(eta: Eta, nowMs: number, clockTime: (atMs: number) => string): string {
  if ("unknown" in eta || eta.high < 10) return "";
  return `done about ${clockTime(nowMs + 1000 * eta.seconds)}, ${sureness(eta)}`;
}
