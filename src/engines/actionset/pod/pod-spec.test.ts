import { expect, test } from "vitest";
import { moverContext, podManifest } from "./pod-spec.ts";

const plain = { secure: false, imagePullPolicy: "IfNotPresent" };
const wanted = { prefix: "kanister-job-", namespace: "n", image: "i", command: ["true"] };

test("podManifest() is upstream's pod", () => {
  expect(podManifest({ ...wanted, labels: { a: "b" } }, plain)).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "kanister-job-", namespace: "n", labels: { createdBy: "kanister", a: "b" } },
    spec: {
      containers: [{ name: "container", image: "i", imagePullPolicy: "IfNotPresent", command: ["true"] }],
      restartPolicy: "Never",
    },
  });
});

test("podManifest() mounts claims, those that may only be read as such, and takes credentials from a Secret", () => {
  const { spec } = podManifest(
    { ...wanted, volumes: { data: "/data", old: "/old" }, readOnlyClaims: ["old"], envSecret: "keys" },
    plain,
  );
  expect(spec).toMatchObject({
    containers: [
      {
        volumeMounts: [
          { name: "vol-0", mountPath: "/data" },
          { name: "vol-1", mountPath: "/old", readOnly: true },
        ],
        envFrom: [{ secretRef: { name: "keys" } }],
      },
    ],
    volumes: [
      { name: "vol-0", persistentVolumeClaim: { claimName: "data" } },
      { name: "vol-1", persistentVolumeClaim: { claimName: "old", readOnly: true } },
    ],
  });
});

test("podManifest() merges the blueprint's override, then the ActionSet's, and keeps the main container first", () => {
  const blueprint = {
    containers: [
      { name: "side", image: "s" },
      { name: "container", env: [{ name: "A", value: "1" }] },
    ],
  };
  const set = {
    containers: [{ name: "container", env: [{ name: "A", value: "2" }] }],
    serviceAccountName: "robot",
  };
  expect(podManifest({ ...wanted, overrides: [blueprint, set] }, plain)["spec"]).toMatchObject({
    serviceAccountName: "robot",
    containers: [{ name: "container", image: "i", env: [{ name: "A", value: "2" }] }, { name: "side" }],
  });
});

test("podManifest() takes token and account away where the installation wants it", () => {
  const secure = { ...plain, secure: true };
  expect(podManifest({ ...wanted, serviceAccount: "robot" }, secure)["spec"]).toMatchObject({
    serviceAccountName: "default",
    automountServiceAccountToken: false,
  });
});

test("podManifest() confines a data mover, and an override may confine it further", () => {
  const mover = { ...wanted, securityContext: moverContext };
  const containerOf = (manifest: unknown) =>
    (manifest as { spec: { containers: readonly { securityContext: object }[] } }).spec.containers[0];
  expect(containerOf(podManifest(mover, plain))?.securityContext).toMatchObject({
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
  });
  const less = { containers: [{ name: "container", securityContext: { capabilities: { add: [] } } }] };
  expect(containerOf(podManifest({ ...mover, overrides: [less] }, plain))?.securityContext).toMatchObject({
    capabilities: { drop: ["ALL"], add: [] },
  });
});
