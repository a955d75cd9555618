import { type Tracked, trackedChildren, type Unit } from "../progress/index.ts";

type Run = NonNullable<Tracked["memory"]["run"]>;

/** How an operation went so far, for a chart. Times are milliseconds of work since its start; waiting does not count. */
export interface Curve {
  /** The work that can be measured best: bytes before items. */
  readonly work?: {
    readonly title: string;
    readonly unit: Unit;
    readonly total?: number;
    readonly marks: readonly (readonly [ms: number, done: number])[];
  };
  /** When the end was expected, each time it was told: `[moment, expected end]`. */
  readonly told: readonly (readonly [ms: number, endMs: number])[];
  /** How long it has worked; after the end, how long it took. */
  readonly ms: number;
}

/** Reads a chart's numbers from what is remembered of a run. Bounded by the marks and notes that a run keeps. */
export function curveOf(tracked: Tracked): Curve {
  const { run } = tracked.memory;
  const measured = measuredParts(tracked).toSorted((a, b) => worth(b) - worth(a))[0];
  return {
    ...(measured && { work: workOf(measured) }),
    told: (run?.checkpoints ?? []).map(({ ms, told }) => [ms, ms + told]),
    ms: run?.ms ?? 0,
  };
}

type Measured = readonly [Tracked, Run];

function workOf([{ operation }, run]: Measured): NonNullable<Curve["work"]> {
  const { unit, total } = run;
  const recent = run.recent.filter(([ms]) => ms > (run.marks.at(-1)?.[0] ?? 0));
  return {
    title: operation.title,
    unit,
    ...(total !== undefined && { total }),
    marks: [...run.marks, ...recent, [run.ms, run.done]],
  };
}

function measuredParts(tracked: Tracked): Measured[] {
  const { run } = tracked.memory;
  const own: Measured[] = run && run.unit !== "steps" && run.marks.length > 1 ? [[tracked, run]] : [];
  return [...own, ...trackedChildren(tracked).flatMap(measuredParts)];
}

/** Bytes say more than items, the sum more than a part. */
function worth([{ operation }, run]: Measured): number {
  return (
    (run.unit === "bytes" ? 2 : 0) + (operation.children.length > 0 ? 1 : 0) + run.done / (run.done + 1e9)
  );
}
