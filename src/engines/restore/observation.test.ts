import fc from "fast-check";
import { expect, test } from "vitest";
import type { Restore } from "../../api/index.ts";
import { track } from "../../progress/index.ts";
import { observation, shownProgress } from "./observation.ts";
import type { RunProgress } from "./run.ts";

const restore = (status: Restore["status"]): Restore => ({
  apiVersion: "velero.io/v1",
  kind: "Restore",
  metadata: { name: "r", namespace: "velero", uid: "u" },
  ...(status && { status }),
});
const running = restore({ phase: "InProgress" });
const items: RunProgress = {
  stage: "items",
  archive: { done: 100, total: 100 },
  items: { totalItems: 10, itemsRestored: 4 },
  types: [
    { groupResource: "secrets", total: 3, done: 3 },
    { groupResource: "configmaps", total: 5, done: 1 },
  ],
  present: "configmaps shop/c1",
  warnings: 2,
  errors: 1,
};
const childrenOf = (progress: RunProgress) => observation(running, progress).children ?? [];

test.each([
  [undefined, "pending"],
  [{ phase: "InProgress" }, "running"],
  [{ phase: "Finalizing" }, "running"],
  [{ phase: "Completed" }, "completed"],
  [{ phase: "PartiallyFailed" }, "partially-failed"],
  [{ phase: "FailedValidation" }, "failed"],
  [{ phase: "Failed", failureReason: "the archive ends early" }, "failed"],
  [{ phase: "Failed", failureReason: "canceled by request" }, "canceled"],
] as const)("observation() of a restore with status %j is %s", (status, state) => {
  expect(observation(restore(status), undefined).state).toBe(state);
});

test("observation() shows the stages there are, the types below the items, and what no type has yet", () => {
  const children = childrenOf(items);
  expect(children.map(({ id, state }) => `${id} ${state}`)).toEqual([
    "archive completed",
    "items running",
    "finalise pending",
  ]);
  const types = children[1]?.children?.map(({ id, state, progress }) => [
    id,
    state,
    progress?.done,
    progress?.total,
  ]);
  expect(types).toEqual([
    ["secrets", "completed", 3, 3],
    ["configmaps", "running", 1, 5],
    ["others", "running", 0, 2],
  ]);
  expect(observation(running, items)).toMatchObject({ warnings: 2, errors: 1 });
});

test("observation() shows volumes and hooks when there are any", () => {
  const ids = (more: Partial<RunProgress>) => childrenOf({ ...items, ...more }).map(({ id }) => id);
  const volumes = { volumes: 1, volumesDone: 0, bytesDone: 0 };
  expect(ids({ volumes, hooks: { done: 0, total: 2 } })).toEqual([
    "archive",
    "items",
    "volumes",
    "hooks",
    "finalise",
  ]);
  expect(ids({ volumes: { ...volumes, volumes: 0 }, hooks: { done: 0, total: 0 } })).toEqual([
    "archive",
    "items",
    "finalise",
  ]);
});

test("observation() has a volume out of a snapshot running while objects are still restored", () => {
  const snapshots = [{ id: "v", title: "data", state: "running" as const, bytesDone: 1, bytesTotal: 4 }];
  const volumes = childrenOf({ ...items, snapshots }).find(({ id }) => id === "volumes");
  expect(volumes).toMatchObject({
    state: "running",
    children: [{ id: "v", progress: { unit: "bytes", done: 1, total: 4 } }],
  });
});

test("observation() tells what the present stage waits for", () => {
  const waits = (more: Partial<RunProgress>) =>
    childrenOf({ ...items, waitingFor: "it", ...more }).flatMap(({ waitingFor }) => waitingFor?.reason ?? []);
  expect(waits({})).toEqual(["cluster"]);
  expect(waits({ stage: "hooks", hooks: { done: 0, total: 1 } })).toEqual(["hook"]);
  expect(waits({ stage: "finalise" })).toEqual(["volume"]);
});

test("the types and the others make up the whole, and the whole never falls, whatever joins on the way", () => {
  const step = fc.record({ grows: fc.nat(3), done: fc.nat(4) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let [total, done, last] = [6, 0, 0];
      let tracked: ReturnType<typeof track> | undefined;
      for (const [at, one] of steps.entries()) {
        total += one.grows;
        done = Math.min(total, done + one.done);
        const progress = {
          ...items,
          items: { totalItems: total, itemsRestored: done },
          types: [{ groupResource: "configmaps", total: 5, done: Math.min(5, done) }],
        };
        const parts = childrenOf(progress)[1]?.children ?? [];
        expect(parts.reduce((sum, part) => sum + (part.progress?.total ?? 0), 0)).toBe(total);
        expect(parts.reduce((sum, part) => sum + (part.progress?.done ?? 0), 0)).toBe(done);
        tracked = track(tracked, observation(running, progress), at * 1000);
        expect(tracked.operation.fraction ?? 0).toBeGreaterThanOrEqual(last);
        last = tracked.operation.fraction ?? 0;
      }
    }),
  );
});

test.each([
  [10, 10, 9],
  [10, 4, 4],
  [0, 0, 0],
])(
  "shownProgress() of %i items with %i restored shows %i: only the phase says that all is done",
  (totalItems, itemsRestored, shown) => {
    expect(shownProgress({ totalItems, itemsRestored })).toEqual({ totalItems, itemsRestored: shown });
  },
);
