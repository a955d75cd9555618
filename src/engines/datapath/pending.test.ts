import { expect, test } from "vitest";
import { claimWaits, imageFault, podEnd, podWaits, snapshotWaits } from "./pending.ts";
import type { Claim, Content, HolderPod, Snapshot } from "./shapes.ts";

const head = { apiVersion: "v1", metadata: { name: "x" } };
const snapshot = (error?: string): Snapshot => ({
  ...head,
  kind: "VolumeSnapshot",
  status: error === undefined ? {} : { error: { message: error } },
});
const content = (error: string): Content => ({
  ...head,
  kind: "VolumeSnapshotContent",
  status: { error: { message: error } },
});
const claim = (phase: string): Claim => ({ ...head, kind: "PersistentVolumeClaim", status: { phase } });
const pod = (more: Partial<HolderPod>): HolderPod => ({ ...head, kind: "Pod", ...more });
const waiting = (reason: string, message?: string) =>
  pod({ status: { containerStatuses: [{ state: { waiting: { reason, ...(message && { message }) } } }] } });
const unscheduled = pod({
  status: { conditions: [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }] },
});
const placed = pod({ spec: { nodeName: "n1" } });

test.each([
  ["a young snapshot", snapshotWaits("s", snapshot(), undefined, 0), "the snapshot s to be ready", undefined],
  [
    "one that takes long",
    snapshotWaits("s", snapshot(), undefined, 30_000),
    "the snapshot s to be ready",
    "snapshot-not-ready",
  ],
  [
    "one that failed",
    snapshotWaits("s", snapshot("pool is full"), undefined, 0),
    "the snapshot s to be ready: pool is full",
    "snapshot-not-ready",
  ],
  [
    "a content that failed",
    snapshotWaits("s", snapshot(), content("no"), 0),
    "the snapshot s to be ready: no",
    "snapshot-not-ready",
  ],
  ["a young claim", claimWaits("c", claim("Pending"), undefined, 0), "the claim c to be bound", undefined],
  [
    "a claim with a warning",
    claimWaits("c", claim("Pending"), "no space", 0),
    "the claim c to be bound: no space",
    "volume-not-bound",
  ],
  [
    "a lost claim",
    claimWaits("c", claim("Lost"), undefined, 0),
    "the claim c, whose volume is lost",
    "volume-not-bound",
  ],
  [
    "a pod without an image",
    podWaits(waiting("ErrImagePull", "denied"), undefined, 0),
    "the pod x: its image cannot be pulled, ErrImagePull: denied",
    "image-pull",
  ],
  [
    "a pod that no node takes",
    podWaits(unscheduled, undefined, 0),
    "a node for the pod x: 0/3 nodes are available",
    "pod-pending",
  ],
  ["a pod nobody looked at yet", podWaits(pod({}), undefined, 0), "a node for the pod x", undefined],
  ["a pod that starts", podWaits(placed, undefined, 0), "the pod x to start on node n1", undefined],
  [
    "a pod that cannot mount",
    podWaits(placed, "FailedMount", 0),
    "the pod x to start on node n1: FailedMount",
    "pod-pending",
  ],
])("%s is told with its cause", (_name, { message, cause }, words, why) => {
  expect([message, cause]).toEqual([words, why]);
});

test("imageFault() knows image trouble from a container that is being made", () => {
  expect(imageFault(waiting("ContainerCreating"))).toBeUndefined();
  expect(imageFault(waiting("ErrImageNeverPull"))).toBe("ErrImageNeverPull");
});

test.each([
  [pod({ status: { phase: "Running" } }), undefined],
  [
    pod({ status: { phase: "Failed", reason: "Evicted", message: "low on memory" } }),
    "Failed: Evicted: low on memory",
  ],
  [{ ...pod({}), metadata: { name: "x", deletionTimestamp: "2026-01-01T00:00:00Z" } }, "it is being deleted"],
])("podEnd() tells a pod that ends from one that runs", (one, why) => {
  expect(podEnd(one)).toBe(why);
});
