import { expect, test } from "vitest";
import type { PodVolumeBackup, PodVolumeRestore } from "../api/index.ts";
import type { PodObject } from "../engines/podvolume/index.ts";
import { planBackup, planRestore } from "./plan.ts";

const finalizers = ["velero.io/pod-volume-finalizer"];

function pvb(
  phase: NonNullable<PodVolumeBackup["status"]>["phase"] | undefined,
  spec: Partial<NonNullable<PodVolumeBackup["spec"]>> = {},
  metadata: Partial<PodVolumeBackup["metadata"]> = {},
): PodVolumeBackup {
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { name: "b-1", ...metadata },
    spec: { node: "n1", pod: {}, volume: "v", backupStorageLocation: "l", repoIdentifier: "", ...spec },
    ...(phase !== undefined && { status: { phase } }),
  };
}

test.each<[string, PodVolumeBackup, boolean, string]>([
  ["a new one", pvb(undefined), false, "run"],
  ["of another node", pvb(undefined, { node: "n2" }), false, "wait"],
  ["one that runs here", pvb("InProgress"), true, "wait"],
  ["one of an earlier life", pvb("InProgress"), false, "run"],
  ["one that waited for a slot", pvb("Prepared"), false, "run"],
  ["cancel what runs", pvb("InProgress", { cancel: true }), true, "stop"],
  ["cancel what does not", pvb("New", { cancel: true }), false, "end"],
  ["an interrupted cancel", pvb("Canceling"), false, "end"],
  ["deleted while it runs", pvb("InProgress", {}, { deletionTimestamp: "x" }), true, "stop"],
  ["ended, and held", pvb("Completed", {}, { finalizers }), false, "release"],
  ["ended", pvb("Failed", { cancel: true }), false, "wait"],
])("planBackup(): %s", (_name, object, running, want) => {
  expect(planBackup(object, { node: "n1", running }).do).toBe(want);
});

function pvr(phase?: NonNullable<PodVolumeRestore["status"]>["phase"], node?: string): PodVolumeRestore {
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeRestore",
    metadata: { name: "r-1" },
    spec: {
      pod: {},
      volume: "v",
      backupStorageLocation: "l",
      repoIdentifier: "",
      snapshotID: "s",
      sourceNamespace: "shop",
    },
    status: { ...(phase && { phase }), ...(node !== undefined && { node }) },
  };
}

function pod(state: object, nodeName = "n1"): PodObject {
  return {
    metadata: { name: "web" },
    spec: { nodeName, initContainers: [{ name: "restore-wait" }] },
    status: { initContainerStatuses: [{ name: "restore-wait", state }] },
  };
}
const held = pod({ running: {} });
const passed = pod({ terminated: {} });

test.each<[string, PodVolumeRestore, PodObject | undefined, boolean, string]>([
  ["the pod waits here", pvr(), held, false, "run"],
  ["the pod is not here yet", pvr(), undefined, false, "wait"],
  ["the pod is on another node", pvr(), pod({ running: {} }, "n2"), false, "wait"],
  ["another node has it", pvr("InProgress", "n2"), held, false, "wait"],
  ["its container has not begun", pvr(), pod({}), false, "wait"],
  ["the pod runs without us", pvr(), passed, false, "wait"],
  ["an earlier life", pvr("InProgress", "n1"), held, false, "run"],
  ["an earlier life had all the data", pvr("InProgress", "n1"), passed, false, "complete"],
  ["an earlier life, and the pod is gone", pvr("InProgress", "n1"), undefined, false, "end"],
  ["it runs", pvr("InProgress", "n1"), held, true, "wait"],
])("planRestore(): %s", (_name, object, target, running, want) => {
  expect(planRestore(object, { node: "n1", running, pod: target }).do).toBe(want);
});
