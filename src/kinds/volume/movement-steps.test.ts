import { expect, test } from "vitest";
import type { DataDownload, DataUpload } from "../../api/index.ts";
import { headline, stalledPart, type Tracked, track } from "../../progress/index.ts";
import { readVolume } from "./read.ts";
import { writeStall } from "./stall-note.ts";
import { writeStep } from "./step-note.ts";
import { type Trail, writeTrail } from "./trail.ts";

const upload: DataUpload = {
  apiVersion: "velero.io/v2alpha1",
  kind: "DataUpload",
  metadata: { name: "nightly-x", namespace: "velero", uid: "u1" },
  spec: {
    snapshotType: "CSI",
    sourcePVC: "data",
    sourceNamespace: "shop",
    backupStorageLocation: "default",
    operationTimeout: "10m0s",
  },
};
const download = {
  ...upload,
  kind: "DataDownload",
  spec: { targetVolume: { namespace: "shop", pvc: "data", pv: "" } },
} as unknown as DataDownload; // as much as is read of it

function noted<T extends DataUpload | DataDownload>(object: T, trail: Trail, status: object, more = {}): T {
  const annotations = { ...writeTrail(trail).annotations, ...more };
  return { ...object, metadata: { ...object.metadata, annotations }, status };
}

const rows = (object: DataUpload | DataDownload, before?: Tracked) => {
  const { operation } = track(before, readVolume(object), 100_000);
  return operation.children.map(({ id, state }) => `${id} ${state}`);
};

test("a movement without notes of ours has no steps", () => {
  expect(readVolume({ ...upload, status: { phase: "Accepted" } })).not.toHaveProperty("children");
});

test("withSteps() of an upload on its way: what is over, what is under way and why it waits, what comes", () => {
  const trail = {
    taken: { since: 1000, until: 3000 },
    ready: { since: 3000, until: 4000 },
    pod: { since: 6000 },
  };
  const object = noted(upload, trail, { phase: "Accepted" }, {
    ...writeStep({ step: "pod", since: 6000, message: "a node for the pod nightly-x" }).annotations,
    ...writeStall({ cause: "pod-pending", since: 6000 }).annotations,
  } as object);
  expect(rows(object)).toEqual([
    "taken completed",
    "ready completed",
    "claim completed",
    "pod running",
    "copy pending",
    "cleanup pending",
  ]);
  const first = track(undefined, readVolume(object), 7_000);
  const { operation } = track(first, readVolume(object), 30_000);
  expect(operation).toMatchObject({ state: "pending", startedAt: 1000, rule: "sum" });
  expect(operation.children[3]).toMatchObject({
    startedAt: 6000,
    message: "a node for the pod nightly-x",
    stall: { cause: "pod-pending" },
  });
  expect(stalledPart(operation)?.title, "the volume speaks for its steps").toBe("shop/data");
  expect(headline(operation, 30_000)).toContain(
    "the pod is pending; waiting for a node for the pod nightly-x",
  );
  expect(operation.fraction).toBeUndefined();
});

test("withSteps() counts the bytes of the copy, and of nothing else", () => {
  const trail = { claim: { since: 1000, until: 2000 }, copy: { since: 2000 } };
  const status = { phase: "InProgress", progress: { bytesDone: 25, totalBytes: 100 } };
  const { operation } = track(undefined, readVolume(noted(download, trail, status)), 3000);
  expect(operation).toMatchObject({ fraction: 0.25, progress: { unit: "bytes", done: 25, total: 100 } });
  expect(operation.children.map(({ id, state }) => `${id} ${state}`)).toEqual([
    "claim completed",
    "pod completed",
    "copy running",
    "rebind pending",
    "cleanup pending",
  ]);
});

test("while a slot is waited for no step is under way", () => {
  const trail = { claim: { since: 1000, until: 2000 }, pod: { since: 2000, until: 3000 } };
  expect(rows(noted(download, trail, { phase: "Prepared" }))).toEqual([
    "claim completed",
    "pod completed",
    "copy pending",
    "rebind pending",
    "cleanup pending",
  ]);
});

test("a movement that failed says at which step, and what never began was skipped", () => {
  const trail = {
    taken: { since: 1000, until: 2000 },
    claim: { since: 2000, until: 9000, end: "failed" as const },
    cleanup: { since: 9000, until: 9500 },
  };
  const object = noted(upload, trail, {
    phase: "Failed",
    message: "no room",
    completionTimestamp: "1970-01-01T00:00:10Z",
  });
  expect(rows(object)).toEqual([
    "taken completed",
    "ready completed",
    "claim failed",
    "pod skipped",
    "copy skipped",
    "cleanup completed",
  ]);
  const { operation } = track(undefined, readVolume(object), 100_000);
  expect(headline(operation)).toContain("no room");
});

test("a movement that ended well has all its steps", () => {
  const trail = { taken: { since: 1000, until: 2000 }, copy: { since: 3000, until: 4000 } };
  const status = { phase: "Completed", progress: { bytesDone: 7, totalBytes: 7 } };
  expect(new Set(rows(noted(upload, trail, status)).map((row) => row.split(" ")[1]))).toEqual(
    new Set(["completed"]),
  );
});

test("a step that earlier runs know tells how long it usually takes", () => {
  const seen = readVolume(noted(upload, { pod: { since: 6000 } }, { phase: "Accepted" }));
  const run = { ms: 8_000, unit: "steps", units: 1, curve: [0, 0, 1000, 1000] } as const;
  const children = (seen.children ?? []).map((child) => ({
    ...child,
    history: { version: 2 as const, runs: [run] },
  }));
  const { operation } = track(undefined, { ...seen, children }, 7_000);
  const pod = operation.children.find(({ id }) => id === "pod");
  expect(pod?.eta).toMatchObject({ seconds: expect.any(Number) });
});
