import { expect, test } from "vitest";
import {
  type Backup,
  type Drill,
  type OperationObject,
  type PodVolumeBackup,
  type PodVolumeRestore,
  type Restore,
  writeOperation,
} from "../api/index.ts";
import { readRoot, tellBackup, tellDrill, tellEnd } from "../kinds/index.ts";
import { headline, stalledPart, type Tracked, track } from "../progress/index.ts";
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
  const store = new OperationStore({ author: () => "velero" });
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
  const store = new OperationStore({ author: () => "velero" });
  store.report(running, tellBackup(running, told), 1_000);
  store.setRoot(backup({ phase: "Failed", failureReason: "the operator was restarted" }));
  expect(store.refresh(id, 2_000)).toMatchObject({
    state: "failed",
    message: "the operator was restarted",
    children: [{ state: "completed" }, { id: "items", state: "failed" }, { id: "finish", state: "skipped" }],
  });
});

test("numbers continue where the object left them when nothing else is known", () => {
  const store = new OperationStore({ author: () => "velero" });
  const before = backup({ phase: "InProgress", progress: { totalItems: 10, itemsBackedUp: 7 } });
  const { operation } = store.report(before, tellBackup(before, told), 1_000);
  expect(operation.children[1]?.progress).toMatchObject({ done: 7, total: 10 });
});

test("a viewer believes the Operation, its author never its own echo", () => {
  const author = new OperationStore({ author: () => "velero" });
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

test("an operator believes the author of another namespace until its own engine does the work", () => {
  const author = new OperationStore({ author: () => "velero" });
  const tracked = author.report(running, tellBackup(running, told), 1_000);
  const object = written(tracked);
  const other = new OperationStore({ author: () => "elsewhere" });
  other.setRoot(running);
  expect(other.isAuthor(id, 1_000), "nobody has written it yet").toBe(true);
  other.setStored(
    { ...object, status: { ...writeOperation(tracked.operation), author: "velero" } },
    true,
    1_500,
  );
  expect(other.isAuthor(id, 2_000)).toBe(false);
  expect(other.refresh(id, 2_000)).toEqual(tracked.operation);
  expect(author.isAuthor(id, 2_000)).toBe(true);
  other.report(running, tellBackup(running, told), 3_000);
  expect(other.isAuthor(id, 3_000)).toBe(true);
});

test("a viewer's share does not fall when the Operation comes later than its first look", () => {
  const viewer = new OperationStore();
  viewer.setRoot(backup({ phase: "InProgress", progress: { totalItems: 10, itemsBackedUp: 9 } }));
  const first = viewer.refresh(id, 1_000)?.fraction ?? 0;
  const early = tellBackup(running, { ...told, step: "collect", items: { done: 0, failed: 0 } });
  const later = track(undefined, early, 1_000);
  expect(first).toBeGreaterThan(later.operation.fraction ?? 0);
  viewer.setStored(written(later), true, 1_500);
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

test("an author that does the work and falls silent is told as the cause, after half a minute", () => {
  const viewer = new OperationStore();
  const tracked = track(
    undefined,
    tellBackup(running, { ...told, step: "volumes", volumes: [volume(50)] }),
    1_000,
  );
  viewer.setRoot(running);
  viewer.setStored(written(tracked), true, 1_500);
  expect(viewer.refresh(id, 31_000)).toEqual(tracked.operation);
  const later = viewer.refresh(id, 31_500);
  expect(later?.stall).toEqual({ since: 1_500, cause: "operator-silent" });
  expect(later && headline(later, 31_500)).toBe("stalled for 30s: the operator that does the work is silent");
  viewer.setStored(written(tracked), true, 32_000);
  expect(viewer.refresh(id, 33_000)?.stall, "it is back").toBeUndefined();
});

test("a viewer has the bytes of a volume when its object has them, and the author's words", () => {
  const viewer = new OperationStore();
  const told50 = { ...told, step: "volumes", volumes: [volume(50)] } as const;
  const first = track(undefined, tellBackup(running, told50), 1_000);
  const tracked = track(first, tellBackup(running, { ...told50, volumes: [volume(60)] }), 20_000);
  viewer.setRoot(running);
  viewer.setStored(written(tracked), true, 20_500);
  viewer.setVolume(volume(60), true);
  expect(viewer.refresh(id, 21_000)).toEqual(tracked.operation);
  viewer.setVolume(volume(80), true);
  const now = viewer.refresh(id, 22_000);
  const step = now?.children.find((child) => child.id === "volumes");
  expect(step?.progress).toMatchObject({ done: 80, total: 100, movedAt: 22_000 });
  expect(step?.children[0]).toMatchObject({ fraction: 0.8, progress: { done: 80 } });
  expect(now?.fraction).toBeGreaterThan(tracked.operation.fraction ?? 1);
  expect(now?.eta).toEqual(tracked.operation.eta);
  expect(now?.children.map(({ eta, state }) => [eta, state])).toEqual(
    tracked.operation.children.map(({ eta, state }) => [eta, state]),
  );
  viewer.setStored(written(tracked), true, 23_000);
  expect(viewer.refresh(id, 24_000)?.fraction, "an older word does not take it back").toBe(now?.fraction);
});

test("where a silent author only watched, the objects themselves go on telling", () => {
  const viewer = new OperationStore();
  const seen = track(undefined, readRoot(running, [volume(50)]), 1_000);
  const object = written(seen);
  viewer.setRoot(running);
  viewer.setStored({ ...object, status: { ...writeOperation(seen.operation), watched: true } }, true, 1_500);
  viewer.setVolume(volume(70), true);
  const doneOf = (nowMs: number) =>
    viewer.refresh(id, nowMs)?.children.find((child) => child.id === "volumes")?.progress?.done;
  expect(doneOf(31_000)).toBe(70);
  viewer.setRoot(backup({ phase: "InProgress", progress: { totalItems: 10, itemsBackedUp: 4 } }));
  const itemsOf = (nowMs: number) => viewer.refresh(id, nowMs)?.children[0]?.progress?.done;
  expect(itemsOf(31_000), "while it is believed").toBeUndefined();
  expect(itemsOf(31_500)).toBe(4);
  expect(viewer.refresh(id, 31_500)?.stall).toBeUndefined();
});

test("a drill says why the volume of its restore stands still", () => {
  const drill: Drill = {
    apiVersion: "headway.dev/v1alpha1",
    kind: "Drill",
    metadata: { name: "d", namespace: "velero", uid: "d1" },
    spec: { backupName: "nightly" },
    status: { phase: "Restoring", startTimestamp: "2026-11-16T10:00:00Z" },
  };
  const restore: Restore = {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: "d-restore", namespace: "velero", uid: "r1" },
    status: { phase: "InProgress", startTimestamp: "2026-11-16T10:00:00Z" },
  };
  const copy: PodVolumeRestore = {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeRestore",
    metadata: {
      name: "d-restore-1",
      namespace: "velero",
      uid: "v1",
      labels: { "velero.io/restore-name": "d-restore" },
    },
  };
  const store = new OperationStore({
    author: () => "velero",
    causes: (volume) => (volume.kind === "PodVolumeRestore" ? ["image-pull"] : []),
  });
  store.setRoot(drill);
  store.setVolume(copy, true);
  const seen = () => tellDrill(drill, new Map([["restore", readRoot(restore, [copy])]]));
  for (let at = 1_000; at < 120_000; at += 10_000) {
    store.report(drill, seen(), at);
    store.refresh("drill/velero/d", at);
  }
  const told = store.refresh("drill/velero/d", 120_000);
  expect(told && stalledPart(told)?.stall?.cause).toBe("image-pull");
});
