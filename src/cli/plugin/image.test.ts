import { expect, test } from "vitest";
import { containerName, withoutPluginImage, withPluginImage } from "./image.ts";

test.each([
  ["velero/velero-plugin-for-aws:v1.14.3", "velero-velero-plugin-for-aws"],
  ["registry.example.com:5000/team/disks@sha256:abc", "team-disks"],
  ["disks", "disks"],
])("containerName() of %s", (image, want) => {
  expect(containerName(image)).toBe(want);
});

test("withPluginImage() adds an init container and the folder, once", () => {
  const deployment = (initContainers: object[]) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "headway" },
    spec: { template: { spec: { initContainers, containers: [{ name: "headway" }] } } },
  });
  const image = "velero/velero-plugin-for-aws:v1.14.3";
  expect(withPluginImage(deployment([]), "headway", { image, policy: "Always" })).toEqual({
    spec: {
      template: {
        spec: {
          initContainers: [
            {
              name: "velero-velero-plugin-for-aws",
              image,
              imagePullPolicy: "Always",
              volumeMounts: [{ name: "plugins", mountPath: "/target" }],
            },
          ],
          containers: [{ name: "headway", volumeMounts: [{ name: "plugins", mountPath: "/plugins" }] }],
          volumes: [{ name: "plugins", emptyDir: {} }],
        },
      },
    },
  });
  expect(
    withPluginImage(deployment([{ name: "x", image }]), "headway", { image, policy: "Always" }),
  ).toBeUndefined();
});

test("withoutPluginImage() takes an image away, by its own name or its container's", () => {
  const initContainers = [
    { name: "velero-velero-plugin-for-aws", image: "velero/velero-plugin-for-aws:v1.14.3" },
    { name: "other", image: "other:1" },
  ];
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "headway" },
    spec: { template: { spec: { initContainers } } },
  };
  const want = {
    spec: {
      template: { spec: { initContainers: [{ $patch: "delete", name: "velero-velero-plugin-for-aws" }] } },
    },
  };
  for (const { name, image } of initContainers.slice(0, 1)) {
    expect(withoutPluginImage(deployment, image)).toEqual(want);
    expect(withoutPluginImage(deployment, name)).toEqual(want);
  }
  expect(withoutPluginImage(deployment, "velero/velero-plugin-for-aws:v1.0.0")).toBeUndefined();
});
