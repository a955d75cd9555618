import { type KubeObject, stepsAnnotation } from "../../api/index.ts";

/** What the movement of a volume goes through, in order; a download has no snapshot, an upload nothing to hand over. */
export const movementSteps = ["taken", "ready", "claim", "pod", "copy", "rebind", "cleanup"] as const;

/** One of the closed list of steps. */
export type MovementStep = (typeof movementSteps)[number];

/** When a step began and ended, in epoch ms, and how, where it did not end well. */
export interface Span {
  readonly since: number;
  readonly until?: number;
  readonly end?: "failed" | "canceled";
}

/** The steps that a movement has begun. Whoever works on it writes it on, so that it outlives processes and nodes. */
export type Trail = Readonly<Partial<Record<MovementStep, Span>>>;

/**
 * The trail when work goes on at a step, or stops for now when none is named: what was open ends, well unless told otherwise. Steps
 * never go back: a pod that has to be made anew while bytes move is a wait of the copy.
 */
export function alongTrail(
  trail: Trail,
  step: MovementStep | undefined,
  nowMs: number,
  end?: Span["end"],
): Trail {
  const reached = movementSteps.findLastIndex((known) => trail[known] !== undefined);
  if (step !== undefined && movementSteps.indexOf(step) <= reached) return trail;
  const ended = ({ since }: Span): Span => ({ since, until: Math.max(since, nowMs), ...(end && { end }) });
  const closed = Object.fromEntries(
    Object.entries(trail).map(([name, span]) => [name, span.until === undefined ? ended(span) : span]),
  );
  return step === undefined ? closed : { ...closed, [step]: { since: nowMs } };
}

/** The metadata that keeps the steps: upstream's status has no place for them. */
export function writeTrail(trail: Trail) {
  return { annotations: { [stepsAnnotation]: JSON.stringify(trail) } };
}

/** The steps as those who work on it noted them; undefined where nobody of ours does. */
export function readTrail({ metadata }: Pick<KubeObject, "metadata">): Trail | undefined {
  const text = metadata.annotations?.[stepsAnnotation];
  if (text === undefined || text.length > limitChars) return undefined;
  try {
    const said = JSON.parse(text) as Readonly<Record<string, unknown>> | null; // checked below
    if (typeof said !== "object" || said === null || Array.isArray(said)) return undefined;
    const spans = movementSteps.flatMap((step) => {
      const span = spanOf(said[step]);
      return span ? [[step, span] as const] : [];
    });
    return Object.fromEntries(spans);
  } catch {
    return undefined; // not written by us
  }
}

/** Seven steps with two times each need a third of it. */
const limitChars = 1_500;

function spanOf(value: unknown): Span | undefined {
  const { since, until, end } = (value ?? {}) as Readonly<Record<string, unknown>>; // checked in what follows
  if (!isTime(since)) return undefined;
  return {
    since,
    ...(isTime(until) && { until: Math.max(since, until) }),
    ...((end === "failed" || end === "canceled") && { end }),
  };
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
