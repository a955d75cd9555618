import fc from "fast-check";
import { expect, test } from "vitest";
import { type Flags, type ItineraryName, itineraries } from "./itinerary.ts";
import { beginPipeline, report } from "./pipeline.ts";
import { advanceRun, beginRun, failRun, isOver, type RunStatus, switchRun, whereIs } from "./run-state.ts";

test("beginPipeline() has every phase of the itinerary at its step", () => {
  const names = beginPipeline("Final").flatMap(({ phases = [] }) => phases.map(({ name }) => name));
  expect(names).toEqual(itineraries.Final.map(({ phase }) => phase));
});

test("report() keeps a bounded number of objects, and results of earlier phases give way", () => {
  const at = { step: "Prepare", phase: "Prepare" } as const;
  const details = (kind: string, length: number) =>
    Array.from({ length }, (_, i) => ({ kind, namespace: "a", name: String(i), message: "Running" }));
  const first = report(
    beginPipeline("Final"),
    { ...at, phase: "Started" },
    { details: details("Job", 90) },
    0,
  );
  const [step] = report(first, at, { details: details("Pod", 150) }, 0);
  expect(step?.details).toHaveLength(200);
  expect(step?.progress).toHaveLength(200);
  expect(step?.details?.filter(({ kind }) => kind === "Pod")).toHaveLength(150);
  const [full] = report(first, at, { details: details("Pod", 500) }, 0);
  expect(full?.details?.every(({ kind }) => kind === "Pod")).toBe(true);
  expect(full?.progress).toHaveLength(200);
});

const flags: fc.Arbitrary<Flags> = fc.record({
  volumes: fc.boolean(),
  stagePods: fc.boolean(),
  quiesce: fc.boolean(),
  verify: fc.boolean(),
  undo: fc.boolean(),
});

/** Whatever happens on the way: one state a step, in order, and everything is told at the end. */
function check(status: RunStatus): void {
  const steps = status.pipeline ?? [];
  expect(steps.filter(({ started, completed }) => started && !completed).length).toBeLessThanOrEqual(1);
  for (const step of steps) {
    expect(Number(step.skipped ?? false) + Number(step.started !== undefined)).toBeLessThanOrEqual(1);
    const { started = "", completed = started } = step;
    expect(completed >= started).toBe(true);
  }
  const lastStarted = steps.findLastIndex(({ started }) => started);
  expect(steps.slice(0, lastStarted).every(({ skipped, started }) => skipped || started)).toBe(true);
  if (isOver(status)) expect(steps.every(({ skipped, completed }) => skipped || completed)).toBe(true);
}

test("a pipeline is in order at every moment, whatever fails or is canceled where", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<ItineraryName>("Final", "Stage"),
      flags,
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom("fail", "cancel", "go on"),
      fc.boolean(),
      (itinerary, given, when, what, rollback) => {
        let now = 0;
        let status = beginRun({}, itinerary, now);
        check(status);
        for (let i = 0; i < 80 && !isOver(status); i++) {
          now += 500;
          if (i === when && what !== "go on") {
            if (what === "fail") status = failRun(status, ["no"], now);
            check(status);
            status = switchRun(status, what === "fail" ? "Failed" : "Cancel", given, now);
          } else if (whereIs(status)?.phase === "MigrationFailed" && !rollback) {
            status = advanceRun(status, given, now, "Completed");
          } else status = advanceRun(status, given, now);
          check(status);
        }
        expect(isOver(status)).toBe(true);
        const failed = (status.pipeline ?? []).filter((step) => step.failed);
        expect(failed.length).toBe(what === "fail" && status.itinerary === "Failed" ? 1 : 0);
      },
    ),
    { numRuns: 500 },
  );
});
