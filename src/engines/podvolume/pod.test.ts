import { expect, test } from "vitest";
import { claimOf, type PodObject, usedVolumes } from "./pod.ts";

const pod: PodObject = {
  metadata: { name: "web", namespace: "shop" },
  spec: {
    containers: [{ name: "a", volumeMounts: [{ name: "x" }], volumeDevices: [{ name: "y" }] }, { name: "b" }],
    initContainers: [{ name: "i", volumeMounts: [{ name: "z" }] }],
  },
};

test("claimOf() knows claims, and those that are made for a pod", () => {
  expect(claimOf(pod, { name: "v", persistentVolumeClaim: { claimName: "c" } })).toBe("c");
  expect(claimOf(pod, { name: "v", ephemeral: {} })).toBe("web-v");
  expect(claimOf(pod, { name: "v", emptyDir: {} })).toBeUndefined();
});

test("usedVolumes() looks into every container", () => {
  expect([...usedVolumes(pod, "volumeMounts")]).toEqual(["x", "z"]);
  expect([...usedVolumes(pod, "volumeDevices")]).toEqual(["y"]);
});
