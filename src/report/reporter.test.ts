import fc from "fast-check";
import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import type { Backup, PodVolumeBackup, Restore } from "../api/index.ts";
import { readVolume, tellBackup, tellEnd, tellRestore } from "../kinds/index.ts";
import type { MergePatch, StatusTarget } from "../kube/index.ts";
import { Reporter } from "./reporter.ts";

interface Written {
  readonly target: StatusTarget;
  readonly status: Readonly<Record<string, unknown>> | undefined;
  readonly urgent?: string | undefined;
  readonly isEnd?: boolean;
}

function open() {
  const writes: Written[] = [];
  const clock = new TestClock();
  const take = (target: StatusTarget, patch: MergePatch, rest: Partial<Written>) =>
    void writes.push({ target, status: patch["status"] as Written["status"], ...rest });
  const report = new Reporter({
    clock,
    status: {
      offer: (target, patch, urgent) => take(target, patch, { urgent }),
      finish: async (target, patch) => take(target, patch, { isEnd: true }),
      flush: async () => undefined,
      forget: async () => undefined,
    },
  });
  return { report, clock, writes };
}

const metadata = { name: "n", namespace: "velero", uid: "u" };
const backup: Backup = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata,
  status: { phase: "InProgress", progress: { totalItems: 10, itemsBackedUp: 6 } },
};
const restore: Restore = {
  apiVersion: "velero.io/v1",
  kind: "Restore",
  metadata,
  status: { phase: "InProgress" },
};
const copy: PodVolumeBackup = { apiVersion: "velero.io/v1", kind: "PodVolumeBackup", metadata };
const storing = (done: number, total = 10) => ({
  step: "items" as const,
  items: { done, failed: 0, total },
  volumes: [],
  warnings: 0,
  errors: 0,
});

test("tell() writes what was folded: numbers of an earlier life do not fall", () => {
  const { report, writes } = open();
  report.tell(backup, tellBackup(backup, storing(2)));
  report.tell(backup, tellBackup(backup, storing(8)));
  expect(writes.map(({ status }) => status)).toEqual([{ progress: { totalItems: 10, itemsBackedUp: 8 } }]);
  expect(writes[0]?.target).toMatchObject({ name: "n", namespace: "velero", uid: "u" });
});

test("tell() offers nothing twice", () => {
  const { report, writes } = open();
  for (let i = 0; i < 5; i += 1) report.tell(backup, tellBackup(backup, storing(7)));
  expect(writes).toHaveLength(1);
});

test("end() writes the last numbers with the facts of the engine, and starts afresh for a successor", async () => {
  const { report, writes } = open();
  report.tell(backup, tellBackup(backup, storing(9)));
  const status = { phase: "Completed", completionTimestamp: "2026-11-16T10:00:00Z" };
  await report.end(backup, tellEnd(backup, status), { status });
  expect(writes.at(-1)).toMatchObject({
    isEnd: true,
    status: { ...status, progress: { totalItems: 10, itemsBackedUp: 10 } },
  });
});

test("a new phase and the first total do not wait for the interval", () => {
  const { report, writes } = open();
  const { id, ref, kind, title } = readVolume(copy);
  const head = { id, ref, kind, title };
  report.tell(copy, { ...head, state: "pending" });
  report.tell(copy, { ...head, state: "running" });
  report.tell(copy, { ...head, state: "running", progress: { unit: "bytes", done: 1 } });
  report.tell(copy, { ...head, state: "running", progress: { unit: "bytes", done: 1, total: 9 } });
  report.tell(copy, { ...head, state: "running", progress: { unit: "bytes", done: 5, total: 9 } });
  expect(writes.map(({ urgent }) => urgent?.trim())).toEqual([
    "Prepared",
    "InProgress",
    "InProgress",
    "InProgress measured",
    "InProgress measured",
  ]);
});

test("whatever an engine says, no written number falls, and none passes its total", () => {
  const said = fc.record({ done: fc.nat(50), total: fc.integer({ min: 1, max: 50 }) });
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 20 }), (history) => {
      const { report, writes } = open();
      for (const { done, total } of history) {
        report.tell(
          restore,
          tellRestore(restore, {
            step: "items",
            archive: { done: 1, total: 1 },
            items: { totalItems: total, itemsRestored: Math.min(done, total) },
            types: [],
            volumes: [],
            warnings: 0,
            errors: 0,
          }),
        );
      }
      let last = 0;
      for (const { status } of writes) {
        const { totalItems = 0, itemsRestored = 0 } = (status?.["progress"] ?? {}) as Record<string, number>;
        expect(itemsRestored).toBeGreaterThanOrEqual(last);
        expect(itemsRestored).toBeLessThanOrEqual(totalItems);
        last = itemsRestored;
      }
    }),
  );
});
