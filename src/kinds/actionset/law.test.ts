import fc from "fast-check";
import { expect, test } from "vitest";
import { type ActionSet, type ActionState, readPercent } from "../../api/index.ts";
import {
  isTerminal,
  type Observation,
  type Operation,
  type Sample,
  type State,
  type Tracked,
  track,
} from "../../progress/index.ts";
import { actionStateFor, actionStateOf, isActionEnded } from "./phase.ts";
import { readActionSet } from "./read.ts";
import { type SetTold, tellActionSet, type Work } from "./tell.ts";
import { writeActionSet } from "./write.ts";

const set: ActionSet = {
  apiVersion: "cr.kanister.io/v1alpha1",
  kind: "ActionSet",
  metadata: { name: "x", namespace: "kanister", uid: "u1", creationTimestamp: "2026-11-15T10:00:00Z" },
};
const beginMs = Date.parse("2026-11-15T10:00:00Z");

const sample: fc.Arbitrary<Sample> = fc.oneof(
  fc.record(
    { unit: fc.constant("bytes" as const), done: fc.nat(1e12), total: fc.integer({ min: 1, max: 1e12 }) },
    { requiredKeys: ["unit", "done"] },
  ),
  fc.record({ unit: fc.constant("steps" as const), done: fc.nat(10_000), total: fc.constant(10_000) }),
);
const work: fc.Arbitrary<Work> = fc.record(
  {
    progress: sample,
    step: fc.constantFrom("running", "cleaning up"),
    waitingFor: fc.constantFrom("a pod", undefined),
    uploadedBytes: fc.nat(1e9),
    uploadTotalBytes: fc.nat(1e9),
    downloadedBytes: fc.nat(1e9),
    etaSeconds: fc.double({ min: 0, max: 1e6, noNaN: true }),
  },
  { requiredKeys: [] },
);
const part = fc.record({
  name: fc.constantFrom("db-0", "db-1"),
  state: fc.constantFrom<State>("running", "completed", "failed"),
  work,
});

/** One thing that happens to a phase: it says something, or goes a step on its way. */
const note = fc.record({
  action: fc.nat(2),
  work,
  parts: fc.option(fc.array(part, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 5 }),
  turn: fc.constantFrom<ActionState>("running", "running", "running", "complete", "failed"),
});
const history = fc.record({
  shape: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }),
  deferred: fc.boolean(),
  notes: fc.array(note, { maxLength: 20 }),
  end: fc.constantFrom<readonly [ActionState, string]>(
    ["complete", ""],
    ["failed", "no luck"],
    ["failed", "canceled by request"],
  ),
});
type Phase = SetTold["actions"][number]["phases"][number];

/** Every state of an ActionSet from its claim to its end. */
function* lived({ shape, deferred, notes, end }: typeof history extends fc.Arbitrary<infer T> ? T : never) {
  let actions = shape.map((count, a) => ({
    name: `a${a}`,
    object: {},
    blueprint: "b",
    phases: Array.from({ length: count }, (_, i): Phase => ({ name: `p${i}`, state: "pending" })),
    ...(deferred && { deferPhase: { name: "d", state: "pending" } as Phase }),
  }));
  yield { state: "pending" as ActionState, error: "", actions };
  yield { state: "running" as ActionState, error: "", actions };
  for (const [i, one] of notes.entries()) {
    actions = actions.map((action, a) => {
      if (one.action % shape.length !== a) return action;
      // Phases run in turn; the deferred one comes after the last, or after one that failed.
      const at = action.phases.findIndex(({ state }) => state !== "complete");
      const isOpen = at >= 0 && action.phases[at]?.state !== "failed";
      if (isOpen)
        return {
          ...action,
          phases: action.phases.map((phase, p) => (p === at ? next(phase, one, i) : phase)),
        };
      return { ...action, ...(action.deferPhase && { deferPhase: next(action.deferPhase, one, i) }) };
    });
    yield { state: "running" as ActionState, error: "", actions };
  }
  const all = () =>
    actions.flatMap(({ phases, deferPhase }) => [...phases, ...(deferPhase ? [deferPhase] : [])]);
  const hasFailed = all().some(({ state }) => state === "failed");
  const [state, error] = end[0] === "complete" && hasFailed ? (["failed", "no luck"] as const) : end;
  const ended = (phase: Phase): Phase => ({ ...phase, state: "complete" });
  if (state === "complete")
    actions = actions.map((action) => ({
      ...action,
      phases: action.phases.map(ended),
      ...(action.deferPhase && { deferPhase: ended(action.deferPhase) }),
    }));
  yield { state, error, actions };
}

function next(phase: Phase, one: typeof note extends fc.Arbitrary<infer T> ? T : never, i: number): Phase {
  const at = beginMs + i * 1_000;
  if (phase.state === "complete" || phase.state === "failed") return phase;
  const begun = { ...phase, startedAt: phase.startedAt ?? at, work: { ...phase.work, ...one.work } };
  const told = { ...begun, ...(one.parts && { parts: one.parts }) };
  return phase.state === "running" && one.turn !== "running"
    ? { ...told, state: one.turn, endedAt: at }
    : { ...told, state: "running" };
}

/** What the schema can hold of an operation and of its actions and phases. */
function held({ id, title, state, children }: Operation, whole = state): object {
  return {
    id,
    title,
    // In a set that was canceled nobody can tell what was cut off from what had failed before.
    state: whole === "canceled" && state === "failed" ? "canceled" : state,
    children: children.filter(({ kind }) => kind !== "part").map((child) => held(child, whole)),
  };
}

test("[law] what is written of an ActionSet is read back as the same operation, as far as the schema can hold it", () => {
  fc.assert(
    fc.property(history, (one) => {
      let tracked: Tracked | undefined;
      let status: NonNullable<ActionSet["status"]> = {};
      let now = beginMs;
      for (const known of lived(one)) {
        now += 1_000;
        tracked = track(tracked, tellActionSet(set, known), now);
        status = writeActionSet(tracked.operation, { ...known, percent: "decimal", at: now }, status);
        const read = track(undefined, readActionSet({ ...set, status }), now).operation;
        expect(held(read)).toEqual(held(tracked.operation));
        same(tracked.operation, read);
      }
    }),
    { numRuns: 150 },
  );
});

/** Shares are the same up to the hundredth of a percent in which they are written. */
function same(told: Operation, read: Operation): void {
  const isPhase = told.kind === "phase";
  if (isPhase && told.state !== "pending" && told.state !== "skipped")
    expect(Math.abs((told.fraction ?? 0) - (read.fraction ?? 0))).toBeLessThan(0.0002);
  if (isPhase && told.state === "running" && !told.waitingFor) expect(read.message).toBe(told.message);
  for (const [i, child] of read.children.entries()) {
    const other = told.children[i];
    if (other) same(other, child);
  }
}

test("[law] no written number falls, and no percent is whole before its end", () => {
  fc.assert(
    fc.property(history, (one) => {
      let tracked: Tracked | undefined;
      let status: NonNullable<ActionSet["status"]> = {};
      let now = beginMs;
      for (const known of lived(one)) {
        now += 1_000;
        const before = numbersOf(status);
        tracked = track(tracked, tellActionSet(set, known), now);
        status = writeActionSet(tracked.operation, { ...known, percent: "decimal", at: now }, status);
        for (const [name, value] of numbersOf(status))
          expect(value, name).toBeGreaterThanOrEqual(before.get(name) ?? 0);
        if (status.state !== "complete") expect(status.progress?.percentCompleted).not.toBe("100.00");
        expect(readPercent(status.progress?.percentCompleted) ?? 0).toBeCloseTo(
          tracked.operation.state === "pending" ? 0 : (tracked.operation.fraction ?? 0),
          3,
        );
        for (const phase of status.actions?.flatMap(({ phases = [] }) => phases) ?? [])
          if (phase.state !== "complete") expect(phase.progress?.progressPercent).not.toBe("100.00");
      }
    }),
    { numRuns: 150 },
  );
});

/** Every percent and every size that has been moved, by where it stands. */
function numbersOf(status: NonNullable<ActionSet["status"]>): Map<string, number> {
  const found = new Map<string, number>();
  const put = (where: string, progress: object | null | undefined) => {
    for (const [key, value] of Object.entries(progress ?? {})) {
      if (/^(progressPercent|percentCompleted|sizeUploadedB|sizeDownloadedB)$/.test(key))
        found.set(`${where}.${key}`, Number(value));
    }
  };
  put("set", status.progress);
  for (const [a, action] of (status.actions ?? []).entries()) {
    put(`action ${a}`, action.progress);
    for (const [p, phase] of (action.phases ?? []).entries()) put(`phase ${a}.${p}`, phase.progress);
    put(`phase ${a}.d`, action.deferPhase?.progress);
  }
  return found;
}

/** Percents of phases that were cut to hundredths make a whole that is a hundredth less than it was. */
const cutTwice = {
  shape: [3, 2, 0],
  deferred: false,
  notes: [
    {
      action: 0,
      work: {},
      parts: [
        { name: "db-1", state: "running", work: { progress: { unit: "steps", done: 7411, total: 10000 } } },
        { name: "db-0", state: "running", work: {} },
      ],
      turn: "running",
    },
    {
      action: 1,
      work: {},
      parts: [
        { name: "db-0", state: "running", work: { progress: { unit: "bytes", done: 1, total: 1 } } },
        { name: "db-1", state: "running", work: {} },
      ],
      turn: "running",
    },
    { action: 0, work: {}, parts: undefined, turn: "failed" },
  ],
  end: ["complete", ""],
} as unknown as Parameters<typeof lived>[0]; // as the generator makes them

test("[law] a process that takes an ActionSet up from its status alone writes no percent that is lower", () => {
  fc.assert(
    fc.property(history, (one) => {
      let status: NonNullable<ActionSet["status"]> = {};
      let now = beginMs;
      for (const known of lived(one)) {
        now += 1_000;
        const before = numbersOf(status);
        // Each time another process: all that it knows is the object.
        const found = track(undefined, readActionSet({ ...set, status }), now);
        const { operation } = track(found, tellActionSet(set, known), now);
        status = writeActionSet(operation, { ...known, percent: "decimal", at: now }, status);
        for (const [name, value] of numbersOf(status))
          expect(value, name).toBeGreaterThanOrEqual(before.get(name) ?? 0);
      }
    }),
    { numRuns: 150, examples: [[cutTwice]] },
  );
});

test.each<State>(["pending", "running", "completed", "failed", "canceled"])(
  "actionStateFor() writes %s as a word that is read as the same state",
  (state) => {
    const message = state === "canceled" ? "canceled by request" : "";
    const status = { state: actionStateFor(state), error: { message } };
    expect(actionStateOf(status)).toBe(state);
    expect(isActionEnded(status)).toBe(isTerminal(state));
  },
);

test("what was skipped is written as upstream has it: pending for ever, in a set that has failed", () => {
  expect(actionStateFor("skipped")).toBe("pending");
  const observed: Observation = readActionSet({
    ...set,
    status: { state: "failed", actions: [{ name: "a", phases: [{ name: "p", state: "pending" }] }] },
  });
  expect(observed.children?.[0]?.children?.[0]?.state).toBe("skipped");
});
