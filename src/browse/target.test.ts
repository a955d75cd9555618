import { expect, test } from "vitest";
import type { PodObject } from "../engines/podvolume/index.ts";
import { targetIn } from "./target.ts";

const mount = { name: "data", mountPath: "/data" };
const pod = (mounts: readonly object[], phase = "Running"): PodObject => ({
  metadata: { name: "web", namespace: "shop" },
  spec: {
    containers: [{ name: "side" }, { name: "c", volumeMounts: mounts }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "claim" } }],
  },
  status: { phase },
});
const volume = { namespace: "shop", pod: "web", volume: "data" };
const target = { namespace: "shop", pod: "web", container: "c", mountPath: "/data" };

test.each([
  ["its volume", volume, pod([mount]), target],
  ["its claim", { namespace: "shop", claim: "claim" }, pod([mount]), target],
  ["another claim", { namespace: "shop", claim: "other" }, pod([mount]), undefined],
  ["another volume", { ...volume, volume: "other" }, pod([mount]), undefined],
  ["a mount for reading", volume, pod([{ ...mount, readOnly: true }]), undefined],
  ["a part of the volume", volume, pod([{ ...mount, subPath: "a" }]), undefined],
  ["a part of it and the whole", volume, pod([{ ...mount, subPath: "a" }, mount]), target],
  ["a pod that has ended", volume, pod([mount], "Succeeded"), undefined],
])("targetIn() with %s", (_words, name, of, want) => {
  expect(targetIn(of, name)).toEqual(want);
});
