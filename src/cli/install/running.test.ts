import { expect, test } from "vitest";
import type { Client } from "../../kube/index.ts";
import { systemClock } from "../../kube/index.ts";
import { countsOf, reasonsOf, type Workload, waitUntilRuns } from "./running.ts";

const metadata = { name: "headway", generation: 2 };

test.each([
  ["its controller has not looked", { kind: "Deployment", status: { observedGeneration: 1 } }, undefined],
  ["nothing yet", { kind: "Deployment", status: { observedGeneration: 2 } }, { ready: 0, wanted: 1 }],
  [
    "old pods do not count",
    { kind: "Deployment", status: { observedGeneration: 2, updatedReplicas: 0, availableReplicas: 1 } },
    { ready: 0, wanted: 1 },
  ],
  [
    "all",
    {
      kind: "Deployment",
      spec: { replicas: 2 },
      status: { observedGeneration: 2, updatedReplicas: 2, availableReplicas: 2 },
    },
    { ready: 2, wanted: 2 },
  ],
  [
    "agents",
    {
      kind: "DaemonSet",
      status: {
        observedGeneration: 2,
        desiredNumberScheduled: 3,
        updatedNumberScheduled: 3,
        numberAvailable: 2,
      },
    },
    { ready: 2, wanted: 3 },
  ],
  ["agents nobody counted", { kind: "DaemonSet", status: { observedGeneration: 2 } }, undefined],
] as const)("countsOf(): %s", (_, workload, want) => {
  expect(countsOf({ apiVersion: "apps/v1", metadata, ...workload } as Workload)).toEqual(want);
});

test("reasonsOf() tells each reason once, and nothing that passes by itself", () => {
  const pod = (status: object) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, status });
  const waiting = (reason: string, message?: string) =>
    pod({ containerStatuses: [{ state: { waiting: { reason, ...(message && { message }) } } }] });
  expect(
    reasonsOf([
      waiting("ImagePullBackOff", "no such image"),
      waiting("ImagePullBackOff", "no such image"),
      waiting("ContainerCreating"),
      waiting("CrashLoopBackOff"),
      pod({ conditions: [{ type: "PodScheduled", status: "False", message: "0/3 nodes" }] }),
      pod({}),
    ]),
  ).toEqual(["ImagePullBackOff: no such image", "CrashLoopBackOff", "not scheduled: 0/3 nodes"]);
});

test("waitUntilRuns() tells when the time is up what the pods wait for", async () => {
  const waiting = { reason: "ErrImagePull", message: "no route" };
  const pod = { metadata: { name: "p" }, status: { containerStatuses: [{ state: { waiting } }] } };
  const client = {
    get: () => Promise.resolve({ metadata, status: { observedGeneration: 2 } }),
    list: () => Promise.resolve([pod]),
  } as unknown as Client; // only these two are asked
  const options = { namespace: "velero", agent: true, limitMs: 0, clock: systemClock };
  await expect(waitUntilRuns(client, options, new AbortController().signal)).rejects.toMatchObject({
    code: "INSTALL_NOT_RUNNING",
    message: expect.stringContaining("ErrImagePull: no route") as string,
  });
});
