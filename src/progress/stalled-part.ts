import { isTerminal, type Operation, type State } from "./operation.ts";
import { stallCauses } from "./stall.ts";
import { isVolume } from "./steps.ts";

/** The parts that stand still, the whole included; where a part tells it, its parents do not repeat it. */
export function stalledParts(operation: Operation): readonly Operation[] {
  if (isTerminal(operation.state)) return [];
  // People know volumes by name; which step of one it is, the words say.
  if (isVolume(operation) && operation.stall) return [operation];
  const deeper = operation.children.flatMap(stalledParts);
  return deeper.length > 0 || !operation.stall ? deeper : [operation];
}

/** The part to look at first: the gravest cause, then the longest silence. */
export function stalledPart(operation: Operation): Operation | undefined {
  return stalledParts(operation).toSorted((a, b) => gravity(a) - gravity(b) || sinceOf(a) - sinceOf(b))[0];
}

/** Whether it stands still, as a whole or in any part that is not over. */
export function isStalled(operation: Operation): boolean {
  return stalledPart(operation) !== undefined;
}

/** The state as lists show it: what stands still is neither running nor waiting. */
export function shownState(operation: Operation): State | "stalled" {
  return isStalled(operation) ? "stalled" : operation.state;
}

/** Whether a list narrowed to these states shows it: a stalled run is found as `stalled` and as what it is. */
export function isInStates(operation: Operation, states: readonly string[]): boolean {
  return states.length === 0 || states.includes(operation.state) || states.includes(shownState(operation));
}

function gravity({ stall }: Operation): number {
  return stall ? stallCauses.indexOf(stall.cause) : stallCauses.length;
}

function sinceOf({ stall }: Operation): number {
  return stall?.since ?? 0;
}
