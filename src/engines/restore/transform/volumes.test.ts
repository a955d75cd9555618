import { expect, test } from "vitest";
import type { Item } from "../archive/item-json.ts";
import { claimOfVolume, freeVolume, type VolumeMethod, volumeDecision } from "./volumes.ts";

const volume = (policy: string): Item => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "pv", annotations: { "pv.kubernetes.io/bound-by-controller": "yes" } },
  spec: {
    persistentVolumeReclaimPolicy: policy,
    claimRef: { namespace: "shop", name: "c", uid: "u", resourceVersion: "1" },
  },
});

test.each([
  ["NativeSnapshot", "Retain", true, "snapshot"],
  ["NativeSnapshot", "Retain", false, "create"],
  ["PodVolumeBackup", "Retain", true, "provision"],
  ["CSISnapshot", "Delete", true, "provision"],
  ["none", "Delete", true, "provision"],
  ["none", "Retain", true, "create"],
] as [VolumeMethod, string, boolean, string][])(
  "volumeDecision() %s, %s, restorePVs %s: %s",
  (method, policy, restorePVs, want) => {
    expect(volumeDecision(volume(policy), method, restorePVs).do).toBe(want);
  },
);

test("freeVolume() can be bound by its claim in the target namespace", () => {
  const free = freeVolume(volume("Retain"), () => "shop-copy");
  expect(free["spec"]).toEqual({
    persistentVolumeReclaimPolicy: "Retain",
    claimRef: { namespace: "shop-copy", name: "c" },
  });
  expect(free.metadata).not.toHaveProperty("annotations");
});

test("claimOfVolume() of a volume that is bound to nothing", () => {
  expect(claimOfVolume(volume("Retain"))).toEqual({ namespace: "shop", name: "c" });
  expect(claimOfVolume({ ...volume("Retain"), spec: {} })).toBeUndefined();
});
