import { expect, test } from "vitest";
import { readPolicies, volumeAction } from "./policies.ts";

const text = `
version: v1
volumePolicies:
- conditions: {capacity: "0,1Gi"}
  action: {type: skip}
- conditions: {storageClass: [fast, faster], volumeTypes: [csi]}
  action: {type: snapshot}
- conditions: {nfs: {server: nas}}
  action: {type: fs-backup}
- conditions: {nfs: {}}
  action: {type: skip}
- conditions: {csi: {driver: d, volumeAttributes: {a: b}}}
  action: {type: custom}
- conditions: {pvcLabels: {tier: gold}, pvcPhase: [Bound]}
  action: {type: fs-backup}
- conditions: {capacity: "100Gi,"}
  action: {type: skip}
`;

test.each([
  ["small", { capacityBytes: 2 ** 20 }, "skip"],
  ["a class and a type", { capacityBytes: 2 ** 33, storageClass: "fast", type: "csi" }, "snapshot"],
  ["a class of another type", { capacityBytes: 2 ** 33, storageClass: "fast", type: "nfs" }, undefined],
  ["a server", { capacityBytes: 2 ** 33, nfs: { server: "nas", path: "/" } }, "fs-backup"],
  ["any nfs", { capacityBytes: 2 ** 33, nfs: { server: "other", path: "/" } }, "skip"],
  [
    "a driver with attributes",
    { capacityBytes: 2 ** 33, csi: { driver: "d", attributes: { a: "b" } } },
    "custom",
  ],
  [
    "a driver with others",
    { capacityBytes: 2 ** 33, csi: { driver: "d", attributes: { a: "c" } } },
    undefined,
  ],
  [
    "labels and phase of the claim",
    { capacityBytes: 2 ** 33, pvcLabels: { tier: "gold" }, pvcPhase: "Bound" },
    "fs-backup",
  ],
  ["large", { capacityBytes: 2 ** 40 }, "skip"],
])("volumeAction(): %s", (_name, facts, want) => {
  const policies = readPolicies({ policy: text });
  if (typeof policies === "string") throw new Error(policies);
  expect(volumeAction(policies, facts)).toBe(want);
});

test.each([
  ["no data", undefined, "exactly one key"],
  ["two keys", { a: text, b: text }, "exactly one key"],
  ["another version", { a: "version: v2" }, 'version must be "v1"'],
  ["no mapping", { a: "[]" }, "is no mapping"],
  ["no YAML", { a: "a: [" }, ""],
  [
    "an unknown action",
    { a: "version: v1\nvolumePolicies: [{conditions: {}, action: {type: copy}}]" },
    '"copy"',
  ],
  [
    "an unknown condition",
    { a: "version: v1\nvolumePolicies: [{conditions: {size: 1}, action: {type: skip}}]" },
    '"size" is not known',
  ],
  [
    "no range",
    { a: 'version: v1\nvolumePolicies: [{conditions: {capacity: "10Gi"}, action: {type: skip}}]' },
    "is not a range",
  ],
  [
    "a star in the lists",
    { a: 'version: v1\nincludeExcludePolicy: {includedClusterScopedResources: ["*"]}' },
    'must not contain "*"',
  ],
])("readPolicies() refuses %s", (_name, data, want) => {
  const found = readPolicies(data);
  expect(typeof found).toBe("string");
  expect(found).toContain(want);
});
