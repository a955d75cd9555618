import { expect, test } from "vitest";
import { readPolicies, volumeAction, wantedClass } from "./policies.ts";

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
- conditions: {pvcVolumeMode: Block, pvcAccessModes: [ReadWriteMany, ReadWriteOnce]}
  action: {type: snapshot, parameters: {dataMover: velero-block, snapshotClass: gold, other: 1}}
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
  [
    "mode and access of the claim",
    { capacityBytes: 2 ** 33, pvcVolumeMode: "Block", pvcAccessModes: ["ReadWriteOnce", "ReadWriteMany"] },
    "snapshot",
  ],
  [
    "fewer ways of access",
    { capacityBytes: 2 ** 33, pvcVolumeMode: "Block", pvcAccessModes: ["ReadWriteOnce"] },
    undefined,
  ],
  ["large", { capacityBytes: 2 ** 40 }, "skip"],
])("volumeAction(): %s", (_name, facts, want) => {
  const policies = readPolicies({ policy: text });
  if (typeof policies === "string") throw new Error(policies);
  expect(volumeAction(policies, facts)).toBe(want);
});

test.each<readonly [string, Record<string, string> | undefined, string]>([
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
  ...(
    [
      ["a section that is misspelt", "volumePolicys: []", '"volumePolicys" of the policy is not known'],
      [
        "a type on both sides",
        "includeExcludePolicy: {includedClusterScopedResources: [nodes], excludedClusterScopedResources: [nodes]}",
        '"nodes" is both included and excluded',
      ],
      [
        "rules for items that cannot be read",
        "namespacedFilterPolicies: [{}]",
        "namespacedFilterPolicies[0] names no namespace",
      ],
      [
        "a key of a policy",
        "volumePolicies: [{condition: {}, action: {type: skip}}]",
        '"condition" of a volume policy',
      ],
      [
        "a key of csi",
        "volumePolicies: [{conditions: {csi: {drive: x}}, action: {type: skip}}]",
        '"drive" of the condition csi',
      ],
      [
        "attributes without a driver",
        "volumePolicies: [{conditions: {csi: {volumeAttributes: {a: b}}}, action: {type: skip}}]",
        "volumeAttributes and no driver",
      ],
      [
        "a mover for a skipped volume",
        "volumePolicies: [{conditions: {}, action: {type: skip, parameters: {dataMover: velero}}}]",
        'for the action "snapshot" only',
      ],
      [
        "an unknown mover",
        "volumePolicies: [{conditions: {}, action: {type: snapshot, parameters: {dataMover: odd}}}]",
        '"odd" is none of',
      ],
    ] as const
  ).map(([name, lines, want]) => [name, { a: `version: v1\n${lines}` }, want] as const),
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

test("wantedClass() is the class of the first policy that holds", () => {
  const snapshot = "action: {type: snapshot, parameters: {snapshotClass: fast}}";
  const lines = `version: v1\nvolumePolicies: [{conditions: {storageClass: [a]}, ${snapshot}}, {conditions: {}, action: {type: snapshot}}]`;
  const policies = readPolicies({ a: lines });
  if (typeof policies === "string") throw new Error(policies);
  expect(wantedClass(policies, { storageClass: "a" })).toBe("fast");
  expect(wantedClass(policies, { storageClass: "b" })).toBeUndefined();
});

test.each(["0,0", ",", "0,", ",0"])("the capacity %j holds for every volume", (capacity) => {
  const line = `version: v1\nvolumePolicies: [{conditions: {capacity: "${capacity}"}, action: {type: skip}}]`;
  const policies = readPolicies({ a: line });
  if (typeof policies === "string") throw new Error(policies);
  expect(volumeAction(policies, { capacityBytes: 2 ** 40 })).toBe("skip");
});
