import type { Eta } from "./eta.ts";
import { type KnownEta, ledEta } from "./led-eta.ts";
import type { Operation } from "./operation.ts";
import type { Stall } from "./stall.ts";
import { isVolume } from "./steps.ts";

/** What else decides what may be told. */
export interface Around {
  readonly still: Stall | undefined;
  /** Whether earlier runs of this very operation are known. */
  readonly isKnown: boolean;
}

/** What is told of a running operation, from its own estimate and from its running parts. */
export function etaOf(operation: Operation, own: Eta | undefined, { still, isKnown }: Around): Eta {
  const running = operation.children.filter((child) => child.state === "running");
  // A parent cannot end before a child that stands still.
  if (still || running.some((child) => child.stall)) return { unknown: "stalled" };
  if (operation.waitingFor) return { unknown: "waiting" };
  // A volume with steps lasts as long as the one under way; what it waited before says nothing about its pace.
  const step = isVolume(operation) && operation.rule === "sum" ? running[0] : undefined;
  if (step && !isKnown) return step.eta ?? { unknown: "too-early" };
  const parts = running.flatMap(({ eta }) => (eta && !("unknown" in eta) ? [eta] : []));
  const led = isKnown ? undefined : ledEta(operation);
  if (led) return "unknown" in led ? led : atLeast(led, parts);
  if (!own) return { unknown: "too-early" };
  const isLeaf = operation.children.length === 0;
  if (isLeaf && !operation.progress && !isKnown && !isVolume(operation)) return { unknown: "unmeasured" };
  if ("unknown" in own) return own;
  const silent = isKnown ? undefined : dominating(running);
  if (silent?.eta && "unknown" in silent.eta) return silent.eta;
  return atLeast(own, parts);
}

/** The running part that decides when the whole ends: of those that count, the one that is told to take longest. */
function dominating(running: readonly Operation[]): Operation | undefined {
  const counted = running.filter((child) => child.weight !== 0 && !child.waitingFor);
  const unknown = counted.filter(({ eta }) => eta && "unknown" in eta);
  const heaviest = (parts: readonly Operation[]) => Math.max(0, ...parts.map(({ weight = 1 }) => weight));
  const known = counted.filter((child) => !unknown.includes(child));
  return heaviest(unknown) >= heaviest(known) ? unknown[0] : undefined;
}

/** A parent does not end before its running children, and is no surer of its end than the one that ends last. */
function atLeast(own: KnownEta, parts: readonly KnownEta[]): KnownEta {
  const last = parts.toSorted((a, b) => b.seconds - a.seconds)[0];
  if (!last) return own;
  const seconds = Math.max(own.seconds, last.seconds);
  return {
    seconds,
    low: Math.max(...parts.map(({ low }) => low), Math.min(own.low, (seconds * last.low) / last.seconds)),
    high: Math.max(own.high, ...parts.map(({ high }) => high), (seconds * last.high) / last.seconds),
  };
}
