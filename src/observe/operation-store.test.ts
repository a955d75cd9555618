import { expect, test } from "vitest";
import { type Backup, type OperationObject, type PodVolumeBackup, writeOperation } from "../api/index.ts";
import { tellBackup, tellEnd } from "../kinds/index.ts";
import { type Tracked, track } from "../progress/index.ts";
import { OperationStore } from "./operation-store.ts";

const id = "backup/velero/nightly";
const metadata = { name: "nightly", namespace: "velero", uid: "u1" };
const told = {
  step: "items",
  items: { done: 3, failed: 0, total: 10 },
  volumes: [],
  warnings: 0,
  errors: 0,
} as const;

function backup(status: Backup["status"]): Backup {
  return { apiVersion: "velero.io/v1", kind: "Backup", metadata, ...(status && { status }) };
}
const running = backup({ phase: "InProgress", startTimestamp: "2026-11-16T10:00:00Z" });

function written({ operation, memory }: Tracked): OperationObject {
  return {
    apiVersion: "headway.dev/v1alpha1",
    kind: "Operation",
    metadata: { name: "backup-nightly", namespace: "velero", uid: "o1" },
    status: writeOperation(operation, memory),
  };
}

function volume(bytesDone: number): PodVolumeBackup {
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: {
      name: "nightly-1",
      namespace: "velero",
      uid: "v1",
      labels: { "velero.io/backup-name": "nightly" },
    },
    status: { phase: "InProgress", progress: { bytesDone, totalBytes: 100 } },
  };
}

test("what an engine of this process says is the truth, and its steps stay when the run has ended", () => {
  const store = new OperationStore({ isAuthor: () => true });
  store.setRoot(running);
  store.report(running, tellBackup(running, told), 1_000);
  // The object's own status is older than what the engine knows.
  store.setRoot(backup({ phase: "InProgress", progress: { totalItems: 10, itemsBackedUp: 1 } }));
  const seen = store.refresh(id, 2_000);
  expect(seen?.children.map((child) => child.id)).toEqual(["collect", "items", "finish"]);
  expect(seen?.children[1]?.progress).toMatchObject({ done: 3, total: 10 });
  store.report(running, tellEnd(running, { phase: "Completed" }), 3_000);
  store.setRoot(backup({ phase: "Completed" }));
  expect(store.refresh(id, 4_000)).toMatchObject({
    state: "completed",
    fraction: 1,
    children: [{ id: "collect" }, { id: "items", state: "completed" }, { id: "finish" }],
  });
});

test("an engine that fell silent does not keep an ended object running", () => {
  const store = new OperationStore({ isAuthor: () => true });
  store.report(running, tellBackup(running, told), 1_000);
  store.setRoot(backup({ phase: "Failed", failureReason: "the operator was restarted" }));
  expect(store.refresh(id, 2_000)).toMatchObject({
    state: "failed",
    message: "the operator was restarted",
    children: [{ state: "completed" }, { id: "items", state: "failed" }, { id: "finish", state: "skipped" }],
  });
});

test("numbers continue where the object left them when nothing else is known", () => {
  const store = new OperationStore({ isAuthor: () => true });
  const before = backup({ phase: "InProgress", progress: { totalItems: 10, itemsBackedUp: 7 } });
  const { operation } = store.report(before, tellBackup(before, told), 1_000);
  expect(operation.children[1]?.progress).toMatchObject({ done: 7, total: 10 });
});

test("a viewer believes the Operation, its author never its own echo", () => {
  const author = new OperationStore({ isAuthor: () => true });
  const tracked = author.report(running, tellBackup(running, told), 1_000);
  const viewer = new OperationStore();
  for (const store of [author, viewer]) {
    store.setRoot(running);
    store.setStored(written(tracked), true, 1_500);
    store.setVolume(volume(50), true);
  }
  expect(viewer.refresh(id, 2_000)).toEqual(tracked.operation);
  author.forgetReports();
  expect(author.refresh(id, 2_000)?.children.map((child) => child.id)).toEqual([
    "items",
    "volumes",
    "finish",
  ]);
});

test("a viewer's share does not fall when the Operation comes later than its first look", () => {
  const viewer = new OperationStore();
  viewer.setRoot(backup({ phase: "InProgress", progress: { totalItems: 10, itemsBackedUp: 9 } }));
  const first = viewer.refresh(id, 1_000)?.fraction ?? 0;
  expect(first).toBeGreaterThan(0.5);
  viewer.setStored(written(track(undefined, tellBackup(running, told), 1_000)), true, 1_500);
  expect(viewer.refresh(id, 2_000)?.fraction).toBe(first);
});

test("a viewer knows the end from the object, where the author of the Operation is gone", () => {
  const viewer = new OperationStore();
  viewer.setStored(written(track(undefined, tellBackup(running, told), 1_000)), true, 1_500);
  viewer.setRoot(backup({ phase: "Completed", completionTimestamp: "2026-11-16T10:01:00Z" }));
  expect(viewer.refresh(id, 2_000)?.state, "its author may be about to write the last word").toBe("running");
  expect(viewer.refresh(id, 5_000)).toMatchObject({
    state: "completed",
    children: [{ id: "collect" }, { id: "items", state: "completed" }, { id: "finish" }],
  });
});

test("an Operation that nobody writes any more is looked at by the viewer's own clock", () => {
  const viewer = new OperationStore();
  const stuck = track(
    undefined,
    tellBackup(running, { ...told, step: "volumes", volumes: [volume(50)] }),
    1_000,
  );
  viewer.setRoot(running);
  viewer.setStored(written(stuck), true, 1_500);
  expect(viewer.refresh(id, 5_000)).toEqual(stuck.operation);
  const later = viewer.refresh(id, 3_600_000);
  expect(later?.children.find((child) => child.id === "volumes")?.stall).toBeDefined();
});
