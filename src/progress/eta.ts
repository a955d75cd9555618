/** Why there is no honest estimate. */
export type EtaUnknown =
  /** The total is not known yet. */
  | "counting"
  /** The work has no number to measure it by. */
  | "unmeasured"
  /** Too little has been seen. */
  | "too-early"
  /** The operation does nothing but wait. */
  | "waiting"
  | "stalled";

/** The remaining time with a range that holds the truth in four of five cases, or why there is none. */
export type Eta =
  | { readonly seconds: number; readonly low: number; readonly high: number }
  | { readonly unknown: EtaUnknown };
