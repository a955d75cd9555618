import { expect, test } from "vitest";
import { isTerminal, track } from "../../progress/index.ts";
import { type SnapshotTold, tellSnapshot } from "./tell-snapshot.ts";

const backup = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "b", namespace: "velero" } };
const told = (more: Partial<SnapshotTold>): SnapshotTold => ({
  namespace: "shop",
  claim: "data",
  stage: "taking",
  moves: false,
  ...more,
});

test.each([
  ["queued", "pending", ["pending", "pending"]],
  ["taking", "running", ["running", "pending"]],
  ["readying", "running", ["completed", "running"]],
  ["done", "completed", ["completed", "completed"]],
  ["failed", "failed", ["failed", "failed"]],
] as const)("tellSnapshot() at %s", (stage, state, steps) => {
  const seen = tellSnapshot(backup, told({ stage }));
  expect(seen.state).toBe(state);
  expect(seen.children?.map((child) => child.state)).toEqual(steps);
});

test("a snapshot whose data is moved has no step of its own for being ready: the data mover waits for that", () => {
  expect(tellSnapshot(backup, told({ moves: true })).children?.map(({ id }) => id)).toEqual(["taken"]);
});

test("a driver that is silent, and one that says what is wrong, are causes within 20 s; a slow storage is none", () => {
  const stallOf = (more: Partial<SnapshotTold>, afterMs: number) => {
    const first = track(undefined, tellSnapshot(backup, told({ startedAt: 1000, ...more })), 1000);
    const { operation } = track(
      first,
      tellSnapshot(backup, told({ startedAt: 1000, ...more })),
      1000 + afterMs,
    );
    return operation.children.find(({ state }) => !isTerminal(state))?.stall?.cause;
  };
  expect(stallOf({}, 25_000)).toBe("driver-silent");
  expect(stallOf({}, 5_000)).toBeUndefined();
  expect(stallOf({ trouble: "rpc error: pool is full" }, 25_000)).toBe("snapshot-failing");
  expect(stallOf({ stage: "readying", trouble: "quota" }, 25_000)).toBe("snapshot-failing");
  expect(stallOf({ stage: "readying" }, 3_600_000)).toBeUndefined();
});
