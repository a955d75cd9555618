import fc from "fast-check";
import { expect, test } from "vitest";
import type { Backup, PodVolumeRestore, Restore, VolumePluginRestore } from "../../api/index.ts";
import { track } from "../../progress/index.ts";
import { type BackupTold, type RestoreTold, tellBackup, tellEnd, tellRestore } from "./tell.ts";

const metadata = { name: "r", namespace: "velero", uid: "u" };
const backup: Backup = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata,
  status: { phase: "InProgress" },
};
const restore: Restore = {
  apiVersion: "velero.io/v1",
  kind: "Restore",
  metadata,
  status: { phase: "InProgress" },
};

const storing: BackupTold = {
  step: "items",
  items: { done: 3, failed: 0, total: 10 },
  present: "configmaps shop/c3",
  volumes: [],
  warnings: 0,
  errors: 1,
};
const restoring: RestoreTold = {
  step: "items",
  archive: { done: 100, total: 100 },
  items: { totalItems: 10, itemsRestored: 4 },
  types: [
    { groupResource: "secrets", total: 3, done: 3 },
    { groupResource: "configmaps", total: 5, done: 1 },
  ],
  present: "configmaps shop/c1",
  volumes: [],
  warnings: 2,
  errors: 1,
};
const pvr: PodVolumeRestore = {
  apiVersion: "velero.io/v1",
  kind: "PodVolumeRestore",
  metadata: { name: "r-1", namespace: "velero", uid: "v" },
  status: { phase: "InProgress", progress: { bytesDone: 1, totalBytes: 4 } },
};
const childrenOf = (told: RestoreTold) => tellRestore(restore, told).children ?? [];

test("tellBackup() shows the steps so far, the present item beside the items", () => {
  const { children, state, errors } = tellBackup(backup, storing);
  expect({ state, errors }).toEqual({ state: "running", errors: 1 });
  expect(children?.map((child) => `${child.id} ${child.state}`)).toEqual([
    "collect completed",
    "items running",
    "finish pending",
  ]);
  expect(children?.[1]).toMatchObject({
    progress: { unit: "items", done: 3, total: 10 },
    message: "configmaps shop/c3",
  });
});

test("tellBackup() marks the items when they had errors, and not for errors that come later", () => {
  const states = (...tellings: BackupTold[]) =>
    tellings
      .reduce<ReturnType<typeof track> | undefined>(
        (was, told) => track(was, tellBackup(backup, told), 0),
        undefined,
      )
      ?.operation.children.map(({ id, state }) => `${id} ${state}`);
  const finishing: BackupTold = { ...storing, step: "finish" };
  expect(states(storing, finishing)).toEqual([
    "collect completed",
    "items partially-failed",
    "finish running",
  ]);
  expect(states({ ...storing, errors: 0 }, { ...finishing, errors: 0 }, finishing)?.[1]).toBe(
    "items completed",
  );
});

test("tellRestore() does not blame the items for a volume that failed", () => {
  const failed: PodVolumeRestore = { ...pvr, status: { phase: "Failed" } };
  const after = childrenOf({ ...restoring, step: "volumes", volumes: [failed] });
  expect(after.find(({ id }) => id === "items")?.state).toBe("completed");
});

test("tellEnd() leaves no item behind that could be taken for the reason of an end", () => {
  const running = track(undefined, tellBackup(backup, storing), 0);
  const { operation } = track(running, tellEnd(backup, { phase: "PartiallyFailed", errors: 1 }), 1);
  expect(operation).toMatchObject({ state: "partially-failed", errors: 1 });
  expect(operation.message).toBeUndefined();
  expect(operation.children.map(({ id }) => id)).toEqual(["collect", "items", "finish"]);
});

test("tellRestore() shows the steps there are, the types below the items, and what no type has yet", () => {
  const children = childrenOf(restoring);
  expect(children.map(({ id, state }) => `${id} ${state}`)).toEqual([
    "archive completed",
    "items running",
    "finish pending",
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
  expect(tellRestore(restore, restoring)).toMatchObject({ warnings: 2, errors: 1 });
});

test("tellRestore() shows volumes and hooks when there are any", () => {
  const ids = (more: Partial<RestoreTold>) => childrenOf({ ...restoring, ...more }).map(({ id }) => id);
  const all = ["archive", "items", "volumes", "hooks", "finish"];
  expect(ids({ volumes: [pvr], hooks: { done: 0, total: 2 } })).toEqual(all);
  expect(ids({ volumes: [], hooks: { done: 0, total: 0 } })).toEqual(["archive", "items", "finish"]);
});

test("tellRestore() has volumes running while objects are still restored, with the numbers of their objects", () => {
  const snapshot: VolumePluginRestore = {
    apiVersion: "velero.io/v1",
    kind: "VolumePluginRestore",
    metadata: {
      name: "r-2",
      namespace: "velero",
      annotations: { "headway.dev/persistent-volume": "pv-1" },
    },
    spec: { snapshotID: "s", plugin: "folder" } as VolumePluginRestore["spec"] & object, // what a title needs
    status: { phase: "Completed", volumeID: "v", progress: { bytesDone: 7, totalBytes: 7 } },
  };
  const volumes = childrenOf({ ...restoring, volumes: [pvr, snapshot] }).find(({ id }) => id === "volumes");
  expect(volumes).toMatchObject({
    state: "running",
    rule: "sum",
    children: [
      { id: "podvolumerestore/velero/r-1", progress: { unit: "bytes", done: 1, total: 4 } },
      { title: "pv-1 (folder)", state: "completed" },
    ],
  });
});

test("tellRestore() tells what the present step waits for", () => {
  const waits = (more: Partial<RestoreTold>) =>
    childrenOf({ ...restoring, waitingFor: "it", ...more }).flatMap(
      ({ waitingFor }) => waitingFor?.reason ?? [],
    );
  expect(waits({})).toEqual(["cluster"]);
  expect(waits({ step: "hooks", hooks: { done: 0, total: 1 } })).toEqual(["hook"]);
  expect(waits({ step: "finish" })).toEqual(["volume"]);
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
        const told = {
          ...restoring,
          items: { totalItems: total, itemsRestored: done },
          types: [{ groupResource: "configmaps", total: 5, done: Math.min(5, done) }],
        };
        const parts = childrenOf(told)[1]?.children ?? [];
        expect(parts.reduce((sum, part) => sum + (part.progress?.total ?? 0), 0)).toBe(total);
        expect(parts.reduce((sum, part) => sum + (part.progress?.done ?? 0), 0)).toBe(done);
        tracked = track(tracked, tellRestore(restore, told), at * 1000);
        expect(tracked.operation.fraction ?? 0).toBeGreaterThanOrEqual(last);
        last = tracked.operation.fraction ?? 0;
      }
    }),
  );
});

test("tellEnd() knows the moment of the end better than the status does", () => {
  const status = { phase: "Completed", completionTimestamp: "2026-11-16T10:00:01Z" };
  const now = Date.parse("2026-11-16T10:00:01.900Z");
  expect(tellEnd(restore, status, now).finishedAt).toBe(now);
  expect(tellEnd(restore, { phase: "FailedValidation" }, now).finishedAt).toBeUndefined();
});
