import { expect, test } from "vitest";
import { type PodFacts, podFailure, readinessOf, type Workload } from "./workloads.ts";

const deployment = (replicas: number, readyReplicas: number, observedGeneration = 2): Workload => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", generation: 2 },
  spec: { replicas },
  status: { readyReplicas, observedGeneration },
});
const pod = (status: PodFacts["status"], owned = false): PodFacts => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "p",
    ...(owned && {
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "u", controller: true }],
    }),
  },
  spec: { containers: [{ name: "c", image: "registry.example.com/web:1" }] },
  ...(status && { status }),
});
const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };

test.each([
  ["all replicas", deployment(2, 2), true],
  ["one too few", deployment(2, 1), false],
  ["none wanted", deployment(0, 0), true],
  ["numbers of an older spec", deployment(1, 1, 1), false],
])("readinessOf() a deployment with %s", (_title, one, want) => {
  expect(readinessOf([one], []).map(({ ready: is }) => is)).toEqual([want]);
});

test("readinessOf() judges only pods that nobody owns", () => {
  expect(readinessOf([], [pod(ready), pod({ phase: "Pending" }, true)])).toEqual([
    { object: "pod/p", ready: true, words: "ready" },
  ]);
  expect(readinessOf([], [pod({ phase: "Succeeded" })])[0]?.ready).toBe(true);
});

test.each([
  [
    "an image",
    {
      phase: "Pending",
      containerStatuses: [{ name: "c", state: { waiting: { reason: "ImagePullBackOff" } } }],
    },
    "image",
    "ImagePullBackOff",
  ],
  [
    "a container that ends",
    {
      phase: "Running",
      containerStatuses: [
        {
          name: "c",
          state: { waiting: { reason: "CrashLoopBackOff" } },
          lastState: { terminated: { exitCode: 3 } },
          restartCount: 4,
        },
      ],
    },
    "application",
    "ContainerExits",
  ],
  [
    "a missing ConfigMap",
    {
      phase: "Pending",
      containerStatuses: [
        {
          name: "c",
          state: { waiting: { reason: "CreateContainerConfigError", message: "configmap not found" } },
        },
      ],
    },
    "application",
    "CreateContainerConfigError",
  ],
  [
    "a full cluster",
    {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes" }],
    },
    "cluster",
    "Unschedulable",
  ],
  [
    "a probe",
    { phase: "Running", containerStatuses: [{ name: "c", ready: false }] },
    "application",
    "NotReady",
  ],
])("podFailure() puts it down to %s", (_title, status, part, reason) => {
  expect(podFailure("ns", pod(status))).toMatchObject({ part, reason, object: "pod ns/p" });
});

test("podFailure() has nothing to say of a ready pod", () => {
  expect(podFailure("ns", pod(ready))).toBeUndefined();
});
