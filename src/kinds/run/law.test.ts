import fc from "fast-check";
import { expect, test } from "vitest";
import type { Backup, Restore } from "../../api/index.ts";
import { isTerminal, type Observation, type State, type Tracked, track } from "../../progress/index.ts";
import { cancelReason, isRunEnded, runPhaseFor, runStateOf } from "./phase.ts";
import { readBackup, readRestore } from "./read.ts";
import { writeBackupItems, writeRestoreItems, writeRun } from "./write.ts";

const metadata = { name: "nightly", namespace: "velero", uid: "u1" };
const backup: Backup = { apiVersion: "velero.io/v1", kind: "Backup", metadata, spec: {} };
const restore: Restore = { apiVersion: "velero.io/v1", kind: "Restore", metadata };

const states: readonly State[] = [
  "pending",
  "running",
  "completed",
  "partially-failed",
  "failed",
  "canceled",
];
const said = fc.record(
  {
    state: fc.constantFrom(...states),
    done: fc.integer({ min: 0, max: 200 }),
    total: fc.integer({ min: 1, max: 200 }),
    message: fc.string({ minLength: 1 }),
    warnings: fc.nat(5),
    errors: fc.nat(5),
  },
  { requiredKeys: ["state", "done", "warnings", "errors"] },
);
type Said = typeof said extends fc.Arbitrary<infer T> ? T : never;

function seen(base: Observation, { state, done, total, ...rest }: Said): Observation {
  const items: Observation = {
    id: "items",
    ref: base.ref,
    kind: "items",
    title: "items",
    state,
    progress: { unit: "items", done, ...(total !== undefined && { total }) },
  };
  return { ...base, ...rest, state, startedAt: 5_000, children: [items] };
}

const same = ({ state, startedAt, finishedAt, warnings, errors }: Observation) => ({
  state,
  startedAt,
  finishedAt,
  warnings,
  errors,
});

test("[law] what is written of a backup is read back as the same operation, as far as the schema can hold it", () => {
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 12 }), (history) => {
      let tracked: Tracked | undefined;
      history.forEach((one, i) => {
        tracked = track(tracked, seen(readBackup(backup, []), one), 10_000 + i * 1_000);
        const progress = writeBackupItems(tracked.operation);
        const status = { ...writeRun(tracked.operation), ...(progress && { progress }) };
        const read = readBackup({ ...backup, status: status as Backup["status"] & object }, []); // the schema's shape
        const { operation } = tracked;
        expect(same(read)).toEqual(same(operation));
        if (operation.message !== undefined && ["failed", "canceled"].includes(operation.state))
          expect(read.message).toContain(operation.message);
        const items = read.children?.find(({ id }) => id === "items")?.progress;
        if (progress) expect(items).toMatchObject({ done: progress.itemsBackedUp });
      });
    }),
  );
});

test("[law] what is written of a restore is read back; no number falls, and what is restored counts at once", () => {
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 12 }), (history) => {
      let tracked: Tracked | undefined;
      let status: Restore["status"];
      history.forEach((one, i) => {
        tracked = track(tracked, seen(readRestore(restore, []), one), 10_000 + i * 1_000);
        const { operation } = tracked;
        const before = status?.progress?.itemsRestored ?? 0;
        const progress = writeRestoreItems(operation, status?.progress);
        status = { ...writeRun(operation), ...(progress && { progress }) } as Restore["status"] & object; // the schema's shape
        expect(same(readRestore({ ...restore, status }, []))).toEqual(same(operation));
        expect(status?.progress?.itemsRestored ?? before).toBeGreaterThanOrEqual(before);
        const done = operation.children[0]?.progress?.done ?? 0;
        if (progress) expect(progress.itemsRestored).toBeGreaterThanOrEqual(done);
        if (progress) expect(progress.itemsRestored).toBeLessThanOrEqual(progress.totalItems);
      });
    }),
  );
});

test.each(states)("runPhaseFor() writes %s as a phase that is read as the same state", (state) => {
  const status = { phase: runPhaseFor(state), failureReason: state === "canceled" ? cancelReason("") : "" };
  expect(runStateOf(status)).toBe(state);
  expect(isRunEnded(status)).toBe(isTerminal(state));
});

test.each([
  ["canceled by request", "canceled by request"],
  ["Cancelled: the Backup was deleted", "Cancelled: the Backup was deleted"],
  ["the Backup was deleted", "canceled: the Backup was deleted"],
  [undefined, "canceled"],
])("cancelReason(%o) is %o", (message, reason) => {
  expect(cancelReason(message)).toBe(reason);
});

test("a phase of another release is one on the way", () => {
  expect(runStateOf({ phase: "Uploading" })).toBe("running");
});
