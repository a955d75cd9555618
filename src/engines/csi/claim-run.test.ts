import { expect, test } from "vitest";
import type { DataUpload } from "../../api/index.ts";
import { advance, type ClaimRun, type Seen } from "./claim-run.ts";
import type { SnapshotContent, VolumeSnapshot } from "./objects.ts";

const limits = { snapshotMs: 600_000, operationMs: 4 * 3_600_000 };
const run = (more: Partial<ClaimRun> = {}): ClaimRun => ({
  claim: { namespace: "shop", name: "data", uid: "c", labels: {}, storageClass: "sc" },
  volume: "pv",
  className: "k",
  snapshotName: "velero-data-1",
  moves: false,
  stage: "taking",
  sinceMs: 0,
  begunMs: 0,
  missed: 0,
  ...more,
});
const snapshot = (status: VolumeSnapshot["status"] = {}) =>
  ({ metadata: { name: "velero-data-1" }, status }) as VolumeSnapshot;
const content = (status: SnapshotContent["status"] = {}) =>
  ({ metadata: { name: "snapcontent-1" }, status }) as SnapshotContent;
const upload = (phase: string, message = "") =>
  ({ metadata: { name: "b-1" }, status: { phase, message } }) as unknown as DataUpload;
const handle = { snapshotHandle: "h" };
const readying = { stage: "readying" } as const;
const moving = { stage: "moving", moves: true } as const;

test.each<[string, Partial<ClaimRun>, Seen, number, object]>([
  ["that is not bound yet goes on", {}, { snapshot: snapshot() }, 1000, { stage: "taking" }],
  [
    "with a handle is taken",
    {},
    { snapshot: snapshot(), content: content(handle) },
    1000,
    { stage: "readying" },
  ],
  [
    "that is called ready without a handle is not taken: the driver lies",
    {},
    { snapshot: snapshot({ readyToUse: true }), content: content({ readyToUse: true }) },
    1000,
    { stage: "taking" },
  ],
  [
    "whose driver is silent for too long has failed",
    {},
    { snapshot: snapshot() },
    600_000,
    { stage: "failed", error: expect.stringContaining("within 600 s: the CSI driver did not answer") },
  ],
  [
    "whose driver says what is wrong is tried on, and tells it",
    {},
    { snapshot: snapshot({ error: { message: "pool is full" } }) },
    1000,
    { stage: "taking", trouble: "pool is full", troubleMs: 1000 },
  ],
  [
    "whose driver failed to the end says why",
    {},
    { snapshot: snapshot(), content: content({ error: { message: "pool is full" } }) },
    600_000,
    { stage: "failed", error: expect.stringContaining("pool is full") },
  ],
  [
    "that is taken at the last moment is taken",
    {},
    { snapshot: snapshot(), content: content(handle) },
    900_000,
    { stage: "readying" },
  ],
  ["that is not there once may have been listed too early", {}, {}, 1000, { stage: "taking", missed: 1 }],
  [
    "that somebody deleted has failed",
    { missed: 2 },
    {},
    1000,
    { stage: "failed", error: expect.stringContaining('"velero-data-1" was deleted') },
  ],
  [
    "that is ready is done",
    readying,
    { snapshot: snapshot(), content: content({ ...handle, readyToUse: true }) },
    1000,
    { stage: "done" },
  ],
  [
    "of 0 bytes is done like any other",
    readying,
    {
      snapshot: snapshot({ restoreSize: "0" }),
      content: content({ ...handle, readyToUse: true, restoreSize: 0 }),
    },
    1000,
    { stage: "done" },
  ],
  [
    "that the VolumeSnapshot alone calls ready is not: its content decides",
    readying,
    { snapshot: snapshot({ readyToUse: true }), content: content(handle) },
    1000,
    { stage: "readying" },
  ],
  [
    "that was ready and lost its handle is not done",
    readying,
    { snapshot: snapshot(), content: content({ readyToUse: true }) },
    1000,
    { stage: "readying" },
  ],
  [
    "with one error while it becomes ready goes on",
    readying,
    { snapshot: snapshot(), content: content({ ...handle, error: { message: "busy" } }) },
    1000,
    { stage: "readying", trouble: "busy" },
  ],
  [
    "with errors all the time has failed",
    { ...readying, trouble: "busy", troubleMs: 1000 },
    { snapshot: snapshot(), content: content({ ...handle, error: { message: "busy" } }) },
    601_000,
    { stage: "failed", error: expect.stringContaining("busy") },
  ],
  [
    "whose errors ended counts anew",
    { ...readying, trouble: "busy", troubleMs: 1000 },
    { snapshot: snapshot(), content: content(handle) },
    601_000,
    { stage: "readying", trouble: undefined, troubleMs: undefined },
  ],
  [
    "that never becomes ready fails at the operation's limit",
    readying,
    { snapshot: snapshot(), content: content(handle) },
    limits.operationMs,
    { stage: "failed", error: expect.stringContaining("not ready within 14400 s") },
  ],
  [
    "whose content vanishes has failed",
    { ...readying, missed: 2 },
    { snapshot: snapshot() },
    1000,
    { stage: "failed", error: expect.stringContaining("VolumeSnapshotContent was deleted") },
  ],
  ["that is moved waits for its upload", moving, { upload: upload("InProgress") }, 1000, { stage: "moving" }],
  ["that was moved is done", moving, { upload: upload("Completed") }, 1000, { stage: "done" }],
  [
    "whose upload failed says why",
    moving,
    { upload: upload("Failed", "no space left") },
    1000,
    { stage: "failed", error: "no space left" },
  ],
  [
    "whose upload was canceled says so",
    moving,
    { upload: upload("Canceled") },
    1000,
    { stage: "failed", error: expect.stringContaining("Canceled") },
  ],
  ["whose upload is gone has failed", { ...moving, missed: 2 }, {}, 1000, { stage: "failed" }],
  [
    "whose upload takes too long has failed",
    moving,
    { upload: upload("InProgress") },
    limits.operationMs,
    { stage: "failed", error: expect.stringContaining("not moved within") },
  ],
  ["that is over stays as it is", { stage: "done" }, {}, 1e9, { stage: "done" }],
])("advance(): a snapshot %s", (_name, more, seen, nowMs, want) => {
  expect(advance(run(more), seen, limits, nowMs)).toMatchObject(want);
});
