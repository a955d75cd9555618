import { expect, test } from "vitest";
import type { PodVolumeRestore, Restore } from "../../api/index.ts";
import { type Described, describeText } from "./describe-text.ts";

const excluded = ["nodes", "events"];
function restore(status: object, spec: object = {}, metadata: object = {}): Restore {
  return {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: "golden-r", namespace: "velero", ...metadata },
    spec: {
      backupName: "golden",
      includedNamespaces: ["*"],
      excludedResources: excluded,
      itemOperationTimeout: "4h0m0s",
      ...spec,
    },
    status,
  } as Restore;
}
const done = {
  phase: "Completed",
  warnings: 1,
  startTimestamp: "2026-11-15T19:14:21Z",
  completionTimestamp: "2026-11-15T19:14:29Z",
  progress: { totalItems: 16, itemsRestored: 16 },
};
const described = (change: Partial<Described>): Described => ({
  restore: restore(done),
  volumes: [],
  details: false,
  results: undefined,
  resourceList: undefined,
  ...change,
});
const volume = (phase: string, name: string, progress: object = {}): PodVolumeRestore =>
  ({
    spec: { pod: { namespace: "golden", name: "p" }, volume: name, uploaderType: "kopia" },
    status: { phase, progress },
  }) as PodVolumeRestore;

test("describeText() has upstream's labels in upstream's order", () => {
  const text = describeText(
    described({
      details: true,
      results: { warnings: { namespaces: { golden: ["it differs"] } } },
      volumes: [volume("Completed", "data")],
      resourceList: { "v1/Pod": ["golden/p(created)"], "apps/v1/Deployment": ["golden/d(created)"] },
    }),
  );
  expect(text).toBe(`Name:         golden-r
Namespace:    velero
Labels:       <none>
Annotations:  <none>

Phase:                       Completed
Total items to be restored:  16
Items restored:              16

Started:    2026-11-15 19:14:21 +0000 UTC
Completed:  2026-11-15 19:14:29 +0000 UTC

Warnings:
  Velero:     <none>
  Cluster:    <none>
  Namespaces:
    golden:  it differs

Backup:  golden

Namespaces:
  Included:  all namespaces found in the backup
  Excluded:  <none>

Resources:
  Included:        *
  Excluded:        nodes, events
  Cluster-scoped:  auto

Namespace mappings:  <none>

Label selector:  <none>

Or label selector:  <none>

Restore PVs:  auto

kopia Restores:
  Completed:
    golden/p: data

Existing Resource Policy:  <none>
ItemOperationTimeout:      4h0m0s

Preserve Service NodePorts:  auto

Resource List:
  apps/v1/Deployment:
    - golden/d(created)
  v1/Pod:
    - golden/p(created)
`);
});

test("describeText() of a running restore says that the total is an estimate", () => {
  const running = {
    phase: "InProgress",
    startTimestamp: "2026-11-15T19:15:47Z",
    progress: { totalItems: 10040, itemsRestored: 630 },
  };
  const text = describeText(described({ restore: restore(running) }));
  expect(text).toContain("Estimated total items to be restored:  10040");
  expect(text).toContain("Items restored so far:                 630");
  expect(text).toContain("Completed:  <n/a>");
});

test.each([
  ["a deletion", restore(done, {}, { deletionTimestamp: "x" }), "Completed (Deleting)"],
  ["a failure", restore({ phase: "Failed", failureReason: "canceled by request" }), "canceled by request"],
  [
    "validation errors",
    restore({ phase: "FailedValidation", validationErrors: ["a", "b"] }),
    "Validation errors:  a\n                    b",
  ],
  ["mappings", restore(done, { namespaceMapping: { a: "b" } }), "Namespace mappings:  a=b"],
  [
    "selectors",
    restore(done, { orLabelSelectors: [{ matchLabels: { a: "1" } }, { matchLabels: { b: "2" } }] }),
    "a=1 or b=2",
  ],
  ["a policy", restore(done, { existingResourcePolicy: "update" }), "Existing Resource Policy:  update"],
  [
    "rules for items",
    restore(done, { resourcePolicy: { kind: "configmap", name: "p" } }),
    "Resource policies:\n  Type:  configmap\n  Name:  p",
  ],
  [
    "a modifier",
    restore(done, { resourceModifier: { kind: "configmap", name: "m" } }),
    "Resource modifier:\n  Type:  configmap\n  Name:  m",
  ],
  ["counts when the results cannot be read", restore({ ...done, errors: 3 }), "Errors:  3"],
])("describeText() tells %s", (_title, one, want) => {
  expect(describeText(described({ restore: one }))).toContain(want);
});

test("describeText() shows how far volumes are, and those that are being canceled", () => {
  const volumes = [
    volume("InProgress", "data", { totalBytes: 1000, bytesDone: 123 }),
    volume("Canceling", "logs"),
  ];
  const last = volume("InProgress", "disk", { totalBytes: 209_715_200, bytesDone: 209_715_199 });
  expect(describeText(described({ volumes: [last], details: true }))).toContain("golden/p: disk (99.99%)");
  const text = describeText(described({ volumes, details: true }));
  expect(text).toContain("  In Progress:\n    golden/p: data (12.30%)\n  Canceling:\n    golden/p: logs");
  expect(describeText(described({ volumes }))).toContain("  In Progress:  1\n  Canceling:  1");
});
