import type { Curve } from "../observe/index.ts";
import { type Tracked, trackedChildren } from "../progress/index.ts";

type Run = NonNullable<Tracked["memory"]["run"]>;

/** Reads a chart's numbers from what is remembered of a run. Bounded by the marks and notes that a run keeps. */
export function curveOf(tracked: Tracked): Curve {
  const { run } = tracked.memory;
  const measured = measuredParts(tracked).toSorted((a, b) => worth(b) - worth(a))[0];
  return {
    ...(measured && { work: workOf(measured) }),
    told: (run?.told ?? []).map(([ms, left]) => [ms, ms + left]),
    ms: run?.ms ?? 0,
  };
}

type Measured = readonly [Tracked, Run];

function workOf([{ operation }, run]: Measured): NonNullable<Curve["work"]> {
  const { unit, total } = run;
  return {
    title: operation.title,
    unit,
    ...(total !== undefined && { total }),
    marks: [...run.marks, [run.ms, run.done]],
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
