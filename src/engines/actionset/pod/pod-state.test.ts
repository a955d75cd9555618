import { expect, test } from "vitest";
import type { PodObject } from "../core-objects.ts";
import { podState } from "./pod-state.ts";

const pod = (status: PodObject["status"]): PodObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  ...(status && { status }),
});
const waiting = (reason: string, message = "") => ({
  phase: "Pending",
  containerStatuses: [{ name: "container", state: { waiting: { reason, message } } }],
});

test.each<[string, PodObject["status"], object]>([
  ["nothing", undefined, { is: "waiting", hopeless: false }],
  ["creating", waiting("ContainerCreating"), { is: "waiting", why: "the pod is being started" }],
  [
    "a wrong image name",
    waiting("InvalidImageName", "x"),
    { is: "waiting", hopeless: true, why: 'container "container" does not start: InvalidImageName: x' },
  ],
  ["an image that does not come", waiting("ImagePullBackOff"), { is: "waiting", hopeless: false }],
  [
    "running",
    { phase: "Running", containerStatuses: [{ name: "container", state: { running: {} } }] },
    { is: "running" },
  ],
  ["the end", { phase: "Succeeded" }, { is: "succeeded" }],
  [
    "no node",
    {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }],
    },
    { is: "waiting", why: "no node takes the pod: 0/3 nodes are available" },
  ],
  [
    "no memory on the node",
    { phase: "Failed", reason: "OutOfmemory", message: "no room" },
    { is: "failed", why: "OutOfmemory: no room" },
  ],
  [
    "an exit code",
    {
      phase: "Failed",
      containerStatuses: [{ name: "container", state: { terminated: { exitCode: 3, reason: "Error" } } }],
    },
    { is: "failed", why: 'container "container" exited with 3' },
  ],
  [
    "a kill",
    {
      phase: "Failed",
      containerStatuses: [
        { name: "container", state: { terminated: { exitCode: 137, reason: "OOMKilled" } } },
      ],
    },
    { is: "failed", why: 'container "container" exited with 137 (OOMKilled)' },
  ],
])("podState() of %s", (_what, status, want) => {
  expect(podState(pod(status))).toMatchObject(want);
});
