import { expect, test } from "vitest";
import { annotations, quiesceSelector } from "./names.ts";
import { quiesce, unquiesce } from "./quiesce.ts";
import type { Workload } from "./shapes.ts";

const workload = (
  kind: string,
  spec: object,
  notes: Record<string, string> = {},
  more: object = {},
): Workload => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "w", namespace: "n", annotations: notes, ...more },
  spec,
});

test.each([
  ["Deployment", { replicas: 3 }, { replicas: 0 }, { [annotations.replicas]: "3" }],
  ["StatefulSet", {}, { replicas: 0 }, { [annotations.replicas]: "1" }],
  ["Job", { parallelism: 2 }, { parallelism: 0 }, { [annotations.replicas]: "2" }],
  ["CronJob", { suspend: false }, { suspend: true }, { [annotations.suspend]: "true" }],
  [
    "DaemonSet",
    { template: { spec: { nodeSelector: { disk: "ssd" } } } },
    { template: { spec: { nodeSelector: { [quiesceSelector]: "true" } } } },
    { [annotations.nodeSelector]: '{"disk":"ssd"}' },
  ],
])("quiesce() stops a %s and writes down what was", (kind, spec, changed, notes) => {
  expect(quiesce(workload(kind, spec))?.patch).toEqual({ metadata: { annotations: notes }, spec: changed });
});

test.each([
  ["a Deployment at zero", workload("Deployment", { replicas: 0 })],
  ["a CronJob that its owner suspended", workload("CronJob", { suspend: true })],
  ["a Job at zero", workload("Job", { parallelism: 0 })],
  [
    "a ReplicaSet with an owner",
    workload(
      "ReplicaSet",
      { replicas: 2 },
      {},
      {
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "Deployment", name: "d", uid: "u", controller: true },
        ],
      },
    ),
  ],
  [
    "a DaemonSet that is quiesced",
    workload("DaemonSet", { template: { spec: { nodeSelector: { [quiesceSelector]: "true" } } } }),
  ],
])("quiesce() leaves %s alone, and unquiesce() too", (_what, given) => {
  expect(quiesce(given)).toBeUndefined();
  expect(unquiesce(given)).toBeUndefined();
});

test.each([
  ["Deployment", { replicas: 0 }, { [annotations.replicas]: "3" }, { replicas: 3 }],
  ["Deployment", { replicas: 5 }, { [annotations.replicas]: "3" }, {}],
  ["Deployment", { replicas: 0 }, { [annotations.replicas]: "many" }, {}],
  ["Job", { parallelism: 0 }, { [annotations.replicas]: "2" }, { parallelism: 2 }],
  ["CronJob", { suspend: true }, { [annotations.suspend]: "true" }, { suspend: false }],
  [
    "DaemonSet",
    { template: { spec: { nodeSelector: { [quiesceSelector]: "true" } } } },
    { [annotations.nodeSelector]: '{"disk":"ssd"}' },
    { template: { spec: { nodeSelector: { disk: "ssd", [quiesceSelector]: null } } } },
  ],
  [
    "DaemonSet",
    { template: { spec: { nodeSelector: { [quiesceSelector]: "true" } } } },
    { [annotations.nodeSelector]: "not JSON" },
    { template: { spec: { nodeSelector: { [quiesceSelector]: null } } } },
  ],
])("unquiesce() starts a %s %j again", (kind, spec, notes, changed) => {
  const { patch } = unquiesce(workload(kind, spec, notes)) ?? {};
  expect(patch?.["spec"]).toEqual(changed);
  const cleared = Object.fromEntries(Object.keys(notes).map((key) => [key, null]));
  expect(patch?.["metadata"]).toEqual({ annotations: cleared });
});
