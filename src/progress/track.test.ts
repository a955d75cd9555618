import { expect, test } from "vitest";
import type { Tracked } from "./derive.ts";
import type { Observation, State } from "./operation.ts";
import { track } from "./track.ts";

const ref = { apiVersion: "velero.io/v1", kind: "Backup", name: "nightly", uid: "u1" };
const base = { ref, kind: "backup", title: "Backup nightly" };

function leaf(id: string, state: State, done?: number, total?: number): Observation {
  const progress =
    done === undefined
      ? {}
      : { progress: { unit: "bytes" as const, done, ...(total !== undefined && { total }) } };
  return { ...base, id, state, ...progress };
}

/** Folds a list of observations, one a second. */
function fold(...seen: readonly Observation[]): Tracked {
  let tracked: Tracked | undefined;
  seen.forEach((observation, i) => {
    tracked = track(tracked, observation, (i + 1) * 1000);
  });
  if (!tracked) throw new Error("nothing to fold");
  return tracked;
}

test("[OP1] a mover that starts again does not pull the share back", () => {
  const { operation } = fold(leaf("v", "running", 80, 100), leaf("v", "running", 0, 100));
  expect(operation).toMatchObject({ fraction: 0.8, progress: { done: 80, total: 100, movedAt: 1000 } });
});

test.each([
  ["[OP2] all bytes done is not the end", leaf("v", "running", 100, 100), 0.9999],
  ["[OP2] failed at the last byte is not the whole", leaf("v", "failed", 100, 100), 0.9999],
  ["[OP2] partially failed is not the whole", leaf("v", "partially-failed", 100, 100), 0.9999],
  ["[OP2] canceled keeps its share", leaf("v", "canceled", 30, 100), 0.3],
  ["[OP2] skipped has no share", leaf("v", "skipped"), undefined],
  ["[OP2] completed is the whole", leaf("v", "completed"), 1],
  ["[OP2] completed with nothing to do is the whole", leaf("v", "completed", 0, 0), 1],
])("%s", (_rule, seen, want) => {
  expect(fold(seen).operation.fraction).toBe(want);
});

test.each([
  [-5, -5],
  [Infinity, Infinity],
  [2 ** 64, 2 ** 64],
])("[PR3] an end at %j of %j takes no number that cannot be believed", (done, total) => {
  expect(fold(leaf("v", "completed", done, total)).operation.progress).toMatchObject({ done: 0, total: 0 });
});

test("[OP3] the first terminal state is the last", () => {
  const { operation } = fold(
    leaf("v", "running", 30, 100),
    leaf("v", "failed", 40, 100),
    leaf("v", "completed", 100, 100),
    leaf("v", "running", 5, 100),
  );
  expect(operation).toMatchObject({
    state: "failed",
    fraction: 0.4,
    finishedAt: 2000,
    progress: { done: 40 },
  });
});

test("[OP4] a scope that grows holds the share and says so", () => {
  const { operation } = fold(
    leaf("v", "running", 50, 100),
    leaf("v", "running", 60, 200),
    leaf("v", "running", 70, 200),
  );
  expect(operation.fraction).toBe(0.5);
  expect(operation.scopeGrew).toEqual({ at: 2000, from: 100, to: 200, held: true });
  const later = track(
    fold(leaf("v", "running", 50, 100), leaf("v", "running", 60, 200)),
    leaf("v", "running", 150, 200),
    9,
  );
  expect(later.operation).toMatchObject({ fraction: 0.75, scopeGrew: { held: false, from: 100, to: 200 } });
});

test("[OP5] a fold through JSON is the same fold", () => {
  const seen = [
    leaf("v", "running", 10, 100),
    leaf("v", "running", 60, 200),
    leaf("v", "completed", 199, 200),
  ];
  let restarted: Tracked | undefined;
  seen.forEach((observation, i) => {
    restarted = JSON.parse(JSON.stringify(track(restarted, observation, (i + 1) * 1000)));
  });
  expect(restarted).toEqual(fold(...seen));
});

test("[OP6] another uid is another operation", () => {
  const again = { ...leaf("v", "running", 1, 100), ref: { ...ref, uid: "u2" } };
  expect(fold(leaf("v", "completed", 100, 100), again).operation).toMatchObject({
    state: "running",
    fraction: 0.01,
  });
});

test("[OP7] a group takes state and numbers from its children", () => {
  const { operation } = fold({
    ...base,
    id: "volumes",
    rule: "sum",
    children: [leaf("a", "completed", 50, 50), leaf("b", "running", 25, 50)],
  });
  expect(operation).toMatchObject({
    state: "running",
    fraction: 0.75,
    rule: "sum",
    progress: { done: 75, total: 100 },
  });
});

test("[OP8] a parent waits when all its running children wait", () => {
  const waits = { ...leaf("a", "running"), waitingFor: { reason: "hook", message: "fsfreeze" } };
  const group = (...children: Observation[]): Observation => ({ ...base, id: "g", rule: "mean", children });
  expect(fold(group(waits, leaf("b", "pending"))).operation.waitingFor).toEqual(waits.waitingFor);
  expect(fold(group(waits, leaf("b", "running"))).operation.waitingFor).toBeUndefined();
});

test("[OP9] the same observation twice changes nothing", () => {
  const once = fold(leaf("v", "running", 50, 100));
  expect(track(once, leaf("v", "running", 50, 100), 1000)).toEqual(once);
});

test("[OP10] what ended well has done all of its total", () => {
  expect(fold(leaf("v", "running", 90, 100), leaf("v", "completed")).operation.progress).toMatchObject({
    done: 100,
    total: 100,
  });
  expect(fold(leaf("v", "running", 90), leaf("v", "completed")).operation.progress).toMatchObject({
    done: 90,
    total: 90,
  });
});

test("[OP11] no word about children keeps them, a list replaces them", () => {
  const parent = (children?: Observation[]): Observation => ({
    ...base,
    id: "p",
    state: "running",
    rule: "mean",
    ...(children && { children }),
  });
  const two = [leaf("a", "running", 5, 10), leaf("b", "pending")];
  expect(fold(parent(two), parent()).operation.children.map((child) => child.id)).toEqual(["a", "b"]);
  const one = fold(parent(two), parent([leaf("a", "running", 6, 10)])).operation;
  expect(one.children.map((child) => child.id)).toEqual(["a"]);
  expect(one).toMatchObject({ fraction: 0.6 });
});

test.each([
  ["completed", ["completed", "completed", "completed"]],
  ["partially-failed", ["completed", "completed", "skipped"]],
  ["failed", ["completed", "failed", "skipped"]],
  ["canceled", ["completed", "canceled", "skipped"]],
] as const)("[OP12] the parts of a whole that is %s have ended, too", (end, states) => {
  const whole = (state: State, children?: Observation[]): Observation => ({
    ...base,
    id: "p",
    state,
    rule: "steps",
    ...(children && { children }),
  });
  const parts = [leaf("a", "completed"), leaf("b", "running", 3, 10), leaf("c", "pending")];
  const { operation } = fold(whole("running", parts), whole(end));
  expect(operation.children.map(({ state }) => state)).toEqual(states);
  expect(operation.children.every(({ eta, stall, waitingFor }) => !eta && !stall && !waitingFor)).toBe(true);
  // Only a whole that completed has done all of each part; of the others nobody heard a last number.
  const { progress } = operation.children[1] ?? {};
  const want = { completed: 10, "partially-failed": undefined, failed: 3, canceled: 3 }[end];
  expect(progress?.done).toBe(want);
  expect(track(fold(whole("running", parts), whole(end)), whole(end, parts), 9_000).operation).toEqual(
    operation,
  );
});

test("[OP10] the exact size that comes with the end replaces a rounded one", () => {
  const rounded = leaf("v", "running", 3_100_000, 3_100_000);
  expect(fold(rounded, leaf("v", "completed", 3_065_553, 3_065_553)).operation.progress).toMatchObject({
    done: 3_065_553,
    total: 3_065_553,
  });
  expect(fold(rounded, leaf("v", "completed", 5, 10)).operation.progress).toMatchObject({ done: 3_100_000 });
});

test("[PR12] what ended well has done what was counted, whatever was guessed", () => {
  const guess = { unit: "bytes", done: 40, total: 100, estimated: true } as const;
  const { operation } = fold({ ...leaf("v", "running"), progress: guess }, leaf("v", "completed"));
  expect(operation.progress).toEqual({ unit: "bytes", done: 40, total: 40, movedAt: 1000 });
});

test("[AG11] with five volumes and two slots the share moves with every byte, and no number falls", () => {
  const size = 100;
  const at = (moved: number): Observation => ({
    ...base,
    id: "volumes",
    rule: "sum",
    children: Array.from({ length: 5 }, (_, i) => {
      // Two at a time, each pair in its turn.
      const done = Math.min(size, Math.max(0, (moved - 2 * size * Math.floor(i / 2)) / 2));
      if (done === 0) return leaf(`v${i}`, "pending");
      return done === size ? leaf(`v${i}`, "completed", size, size) : leaf(`v${i}`, "running", done, size);
    }),
  });
  let tracked: Tracked | undefined;
  for (let moved = 10; moved <= 400; moved += 10) {
    const before = tracked?.operation;
    tracked = track(tracked, at(moved), moved * 1000);
    expect(tracked.operation.fraction).toBeCloseTo(moved / 500, 5);
    expect(tracked.operation.progress?.done).toBeGreaterThan(before?.progress?.done ?? 0);
    expect(tracked.operation.progress).toMatchObject({ total: 500 });
    expect(tracked.operation.scopeGrew).toBeUndefined();
  }
});

test("[AG12] a weight follows what is known of the work, unless earlier runs taught it", () => {
  const step = (id: string, weight: number, more: Partial<Observation> = {}): Observation => ({
    ...leaf(id, "running", 1, 2),
    weight,
    ...more,
  });
  const run = (...children: Observation[]): Observation => ({ ...base, id: "b", rule: "steps", children });
  const past = { ms: 9000, unit: "steps" as const, units: 1, curve: [0, 0, 1000, 1000] };
  const history = { version: 2, runs: [past] } as const;
  const { operation } = fold(
    run(step("items", 1), step("volumes", 9, { history })),
    run(step("items", 5), step("volumes", 1)),
  );
  expect(operation.children.map(({ weight }) => weight)).toEqual([5, 9]);
});

test("[OP15] what was said on the way is no reason for the end, what is said with it is", () => {
  const at = (state: "running" | "failed", message?: string) => ({
    ...leaf("p", state),
    ...(message && { message }),
  });
  const ended = fold(at("running", "starting"), at("failed"));
  expect(ended.operation.message).toBeUndefined();
  expect(fold(at("running", "starting"), at("failed", "no room"), at("failed")).operation.message).toBe(
    "no room",
  );
  const whole = (state: "running" | "failed", kind: string) => ({
    ...leaf("w", state),
    ...(state === "running" && { children: [{ ...at("running", "configmaps shop/c3"), kind }] }),
  });
  const wordsOf = (kind: string) =>
    fold(whole("running", kind), whole("failed", kind)).operation.children[0]?.message;
  expect(wordsOf("items")).toBeUndefined();
  expect(wordsOf("podvolumebackup")).toBe("configmaps shop/c3");
});
