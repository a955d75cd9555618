/** Why there is no honest estimate. */
export type EtaUnknown =
  /** The total is not known yet. */
  | "counting"
  /** The work has no number to measure it by. */
  | "unmeasured"
  /** Too little has been seen. */
  | "too-early"
  /** The rate jumps so much that any number would be a guess. */
  | "uneven"
  /** All units are done, and nothing tells how long the tail takes. */
  | "finishing"
  /** The operation does nothing but wait. */
  | "waiting"
  | "stalled";

/** The remaining time with a range that holds the truth in four of five cases, or why there is none. */
export type Eta =
  | { readonly seconds: number; readonly low: number; readonly high: number }
  | { readonly unknown: EtaUnknown };

/** The same estimate some time later, for a viewer that counts down between two frames. */
export function etaAfter(eta: Eta, passedMs: number): Eta {
  if ("unknown" in eta) return eta;
  const less = (seconds: number) => Math.max(0, seconds - Math.max(0, passedMs) / 1000);
  return { seconds: less(eta.seconds), low: less(eta.low), high: less(eta.high) };
}
