import fc from "fast-check";
import { expect, test } from "vitest";
import { type Drill, drillPhases, drillSteps } from "../../api/index.ts";
import { isTerminal, type Observation, type Tracked, track } from "../../progress/index.ts";
import { drillStateOf, isDrillEnded, isDrillSchedule } from "./phase.ts";
import { readDrill, tellDrill } from "./read.ts";
import { writeDrill } from "./write.ts";

const metadata = { name: "nightly-proof", namespace: "velero", uid: "u1" };
const drill: Drill = {
  apiVersion: "headway.dev/v1alpha1",
  kind: "Drill",
  metadata,
  spec: { backupName: "b" },
};

/** A run: so many steps are over, each took so long, and the last one may have gone wrong. */
const run = fc.record({
  over: fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 0, maxLength: drillSteps.length }),
  message: fc.string({ minLength: 1, maxLength: 30 }),
  failed: fc.boolean(),
});

function observations({ over, message, failed }: typeof run extends fc.Arbitrary<infer T> ? T : never) {
  const known = new Map<(typeof drillSteps)[number], Partial<Observation>>();
  const seen: { readonly at: number; readonly told: Observation; readonly drill: Drill }[] = [];
  let at = 1_000_000;
  const running: Drill = {
    ...drill,
    status: { phase: "Restoring", startTimestamp: new Date(at).toISOString() },
  };
  over.forEach((ms, i) => {
    const name = drillSteps[i] ?? "cleanup";
    known.set(name, { state: "running", startedAt: at });
    seen.push({ at, told: tellDrill(running, known), drill: running });
    const isBad = failed && i === over.length - 1;
    const end = { state: isBad ? ("failed" as const) : ("completed" as const), finishedAt: at + ms };
    known.set(name, { ...known.get(name), ...end, ...(isBad && { message, errors: 1 }) });
    at += ms;
    seen.push({ at, told: tellDrill(running, known), drill: running });
  });
  return seen;
}

const same = ({ id, state, startedAt, finishedAt, message, errors = 0 }: Observation) =>
  JSON.parse(JSON.stringify({ id, state, startedAt, finishedAt, message, errors })) as unknown;

test("[law] what is written of a drill is read back as the same operation, and no share falls", () => {
  let steps = 0;
  fc.assert(
    fc.property(run, (one) => {
      let tracked: Tracked | undefined;
      let share = 0;
      for (const { at, told, drill: now } of observations(one)) {
        tracked = track(tracked, told, at);
        const { operation } = tracked;
        const status = { ...now.status, ...writeDrill(operation) };
        const stored = JSON.parse(JSON.stringify({ ...now, status })) as Drill; // as the cluster keeps it
        const read = readDrill(stored);
        expect((read.children ?? []).map(same)).toEqual(operation.children.map(same));
        expect(read.state).toBe(operation.state);
        expect(operation.fraction ?? 0).toBeGreaterThanOrEqual(share);
        share = operation.fraction ?? share;
        steps += operation.children.length;
      }
    }),
    { numRuns: 60 },
  );
  expect(steps).toBeGreaterThan(100);
});

test.each(drillPhases)("drillStateOf() %s: an end is an end for both readers", (phase) => {
  const one = { status: { phase } };
  expect(isTerminal(drillStateOf(one))).toBe(isDrillEnded(one));
});

test("readDrill() a drill that was refused has no step that is yet to come", () => {
  const refused = readDrill({ ...drill, status: { phase: "FailedValidation", message: "no backup" } });
  expect(refused).toMatchObject({ state: "failed", message: "no backup" });
  expect(refused.children?.map(({ state }) => state)).toEqual(drillSteps.map(() => "skipped"));
});

test("isDrillSchedule() is true only of a drill with times", () => {
  expect([isDrillSchedule(drill), isDrillSchedule({ spec: { schedule: "@daily" } })]).toEqual([false, true]);
});
