import type { Eta } from "./eta.ts";
import { isTerminal, type Operation } from "./operation.ts";

/** An estimate that is a number. */
export type KnownEta = Exclude<Eta, { readonly unknown: unknown }>;

/** How far the pace of the part at work may stretch or shrink the seconds of the parts after it. */
const [slowest, fastest] = [4, 0.25];

/**
 * The estimate of a row of steps that no earlier run taught: it follows the part that does the work. That part's own estimate, and what
 * comes after it at the pace it shows. Undefined where no part leads.
 */
export function ledEta({ rule, children }: Operation): Eta | undefined {
  if (rule !== "steps") return undefined;
  const [lead] = children
    .filter(({ state }) => state === "running")
    .toSorted((a, b) => remaining(b) - remaining(a));
  if (!lead?.eta) return undefined;
  const left = remaining(lead);
  const later = children.reduce((sum, child) => sum + (child.state === "pending" ? remaining(child) : 0), 0);
  // A part that dominates and does not know how long it takes cannot be known better from outside.
  if ("unknown" in lead.eta) return left > later && lead.progress ? { unknown: lead.eta.unknown } : undefined;
  if (left === 0) return undefined;
  const { seconds, low, high } = lead.eta;
  const rest = later * Math.min(slowest, Math.max(fastest, seconds / left));
  return { seconds: seconds + rest, low: low + rest / 2, high: high + 2 * rest };
}

/** What is left of a part, in the seconds that it weighs. */
function remaining({ state, weight = 1, fraction = 0 }: Operation): number {
  return isTerminal(state) || !(weight > 0) || !Number.isFinite(weight) ? 0 : weight * (1 - fraction);
}
