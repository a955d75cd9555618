import { expect, test } from "vitest";
import type { KubeObject } from "../object.ts";
import { rollout } from "./deployments.ts";
import { judge } from "./jobs.ts";
import { next } from "./statefulsets.ts";

const set = (name: string, replicas: number, available = replicas): KubeObject => ({
  kind: "ReplicaSet",
  apiVersion: "apps/v1",
  metadata: { name },
  spec: { replicas },
  status: { replicas, availableReplicas: available },
});

function deployment(
  replicas: number,
  maxSurge: number | string,
  maxUnavailable: number | string,
): KubeObject {
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } };
  return { kind: "Deployment", apiVersion: "apps/v1", metadata: { name: "d" }, spec: { replicas, strategy } };
}

test.each([
  ["starts at full size", deployment(3, 1, 0), set("new", 0), [], { new: 3 }],
  ["surges by what is allowed", deployment(3, 1, 0), set("new", 0, 0), [set("old", 3)], { new: 1, old: 3 }],
  [
    "takes an old one away for a new one",
    deployment(3, 1, 0),
    set("new", 1),
    [set("old", 3)],
    { new: 1, old: 2 },
  ],
  [
    "replaces broken old ones at once",
    deployment(3, 1, 0),
    set("new", 0),
    [set("old", 3, 1)],
    { new: 1, old: 1 },
  ],
  ["scales down in place", deployment(1, 1, 0), set("new", 3), [], { new: 1 }],
])("rollout() %s", (_name, d, current, old, want) => {
  const sizes = rollout(d, current, old).map(([s, n]) => [s.metadata.name, n]);
  expect(Object.fromEntries(sizes)).toEqual(want);
});

const job = (spec: object): KubeObject => ({
  kind: "Job",
  apiVersion: "batch/v1",
  metadata: { name: "j" },
  spec: { ...spec },
});
const facts = { active: 0, ready: 0, succeeded: 0, failed: 0 };

test.each([
  [{ completions: 2 }, { ...facts, succeeded: 1, active: 1 }, false, undefined],
  [{ completions: 2 }, { ...facts, succeeded: 2 }, false, "CompletionsReached"],
  [{ completions: 1, backoffLimit: 1 }, { ...facts, failed: 1 }, false, undefined],
  [{ completions: 1, backoffLimit: 1 }, { ...facts, failed: 2 }, false, "BackoffLimitExceeded"],
  [{ completions: 1 }, { ...facts, active: 1 }, true, "DeadlineExceeded"],
  [{ parallelism: 3 }, { ...facts, succeeded: 1, active: 2 }, false, undefined],
  [{ parallelism: 3 }, { ...facts, succeeded: 3 }, false, "CompletionsReached"],
])("judge() of %j with %j", (spec, counted, late, reason) => {
  expect(judge(job(spec), counted, late)?.reason).toBe(reason);
});

const stateful = (replicas: number, podManagementPolicy = "OrderedReady"): KubeObject => ({
  kind: "StatefulSet",
  apiVersion: "apps/v1",
  metadata: { name: "s" },
  spec: { replicas, podManagementPolicy },
});

function pod(index: number, ready = true, revision = "r1"): KubeObject {
  const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
  const labels = { "controller-revision-hash": revision };
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name: `s-${index}`, labels },
    status: { phase: "Running", conditions },
  };
}

test.each([
  ["creates the first alone", stateful(3), [], [0], []],
  ["waits for the pod before", stateful(3), [pod(0, false)], [], []],
  ["goes on when it is ready", stateful(3), [pod(0)], [1], []],
  ["creates all at once when parallel", stateful(3, "Parallel"), [pod(1)], [0, 2], []],
  ["removes the highest first", stateful(1), [pod(0), pod(1), pod(2)], [], ["s-2"]],
  [
    "replaces an old revision from the top",
    stateful(2),
    [pod(0, true, "r0"), pod(1, true, "r0")],
    [],
    ["s-1"],
  ],
  ["does not replace while another is away", stateful(2), [pod(0, false), pod(1, true, "r0")], [], []],
  ["replaces a broken old revision at once", stateful(2), [pod(0), pod(1, false, "r0")], [], ["s-1"]],
])("next() %s", (_name, s, pods, create, remove) => {
  const step = next(s, pods, "r1");
  expect([step.create, step.remove.map((p) => p.metadata.name)]).toEqual([create, remove]);
});
