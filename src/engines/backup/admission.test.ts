import { expect, test } from "vitest";
import type { Backup, BackupStorageLocation } from "../../api/index.ts";
import { type AdmissionFacts, admit, backupDefaults, timestamp } from "./admission.ts";

function location(
  name: string,
  more: object = {},
  status: object = { phase: "Available" },
): BackupStorageLocation {
  return {
    metadata: { name },
    spec: { provider: "aws", objectStorage: { bucket: "b" }, ...more },
    status,
  } as BackupStorageLocation;
}

const facts: AdmissionFacts = {
  locations: [
    location("default", { default: true }),
    location("ro", { accessMode: "ReadOnly" }),
    location("down", {}, { phase: "Unavailable", message: "no route" }),
  ],
  snapshotLocations: [],
  labelledNamespaces: [],
  gitVersion: "v1.34.4",
  labelValue: (name) => name,
  nowMs: Date.parse("2026-11-15T10:00:00.500Z"),
  defaults: backupDefaults,
};

function backup(spec: object): Backup {
  return { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "b" }, spec } as Backup;
}

test("admit() fills in what Velero fills in", () => {
  expect(admit(backup({ includedNamespaces: ["golden"] }), facts)).toEqual({
    spec: {
      csiSnapshotTimeout: "10m0s",
      defaultVolumesToFsBackup: false,
      excludedClusterScopedResources: ["volumesnapshotcontents.snapshot.storage.k8s.io"],
      excludedNamespaceScopedResources: ["volumesnapshots.snapshot.storage.k8s.io"],
      hooks: {},
      includedNamespaces: ["golden"],
      itemOperationTimeout: "4h0m0s",
      metadata: {},
      snapshotMoveData: false,
      storageLocation: "default",
      ttl: "720h0m0s",
      volumeGroupSnapshotLabelKey: "velero.io/volume-group",
    },
    labels: { "velero.io/storage-location": "default" },
    annotations: {
      "velero.io/resource-timeout": "10m0s",
      "velero.io/source-cluster-k8s-gitversion": "v1.34.4",
      "velero.io/source-cluster-k8s-major-version": "1",
      "velero.io/source-cluster-k8s-minor-version": "34",
    },
    status: {
      version: 1,
      formatVersion: "1.1.0",
      expiration: "2026-12-15T10:00:00Z",
      startTimestamp: "2026-11-15T10:00:00Z",
    },
    faults: [],
  });
});

test.each([
  [
    "old filters get the excludes of their family",
    { includedResources: ["pods"] },
    {
      excludedResources: [
        "volumesnapshots.snapshot.storage.k8s.io",
        "volumesnapshotcontents.snapshot.storage.k8s.io",
      ],
    },
  ],
  [
    "an exclude of everything stays alone",
    { excludedClusterScopedResources: ["*"] },
    { excludedClusterScopedResources: ["*"] },
  ],
  ["no namespaces mean all", {}, { includedNamespaces: ["*"] }],
  ["the old name of the volume switch", { defaultVolumesToRestic: true }, { defaultVolumesToFsBackup: true }],
  ["a ttl of zero is none", { ttl: "0s" }, { ttl: "720h0m0s" }],
  [
    "what is said stays",
    { ttl: "1h", storageLocation: "default" },
    { ttl: "1h", storageLocation: "default" },
  ],
])("admit(): %s", (_name, spec, want) => {
  expect(admit(backup(spec), facts).spec).toMatchObject(want);
});

test("namespaces that ask to be left out join the excludes", () => {
  const { spec } = admit(backup({ excludedNamespaces: ["x"] }), { ...facts, labelledNamespaces: ["x", "y"] });
  expect(spec.excludedNamespaces).toEqual(["x", "y"]);
});

test.each([
  ["no such location", { storageLocation: "none" }, '"none" does not exist'],
  ["a read-only location", { storageLocation: "ro" }, '"ro" is read-only'],
  ["an unavailable location", { storageLocation: "down" }, '"down" is unavailable: no route'],
  [
    "both families",
    { includedResources: ["a"], excludedNamespaceScopedResources: ["b"] },
    "filters by scope",
  ],
  ["* beside a name", { includedNamespaces: ["*", "a"] }, "must be the only entry"],
  ["* excluded", { excludedResources: ["*"] }, "cannot be excluded"],
  ["both sides", { includedNamespaces: ["a"], excludedNamespaces: ["a"] }, "both included and excluded"],
  ["an impossible namespace", { includedNamespaces: ["A_b"] }, "cannot be the name of a namespace"],
  [
    "* excluded beside includes",
    { includedNamespaceScopedResources: ["a"], excludedNamespaceScopedResources: ["*"] },
    "nothing can be included",
  ],
  ["two selectors", { labelSelector: {}, orLabelSelectors: [{}] }, "cannot be used together"],
  [
    "an operator that is none",
    { labelSelector: { matchExpressions: [{ key: "a", operator: "Like" }] } },
    '"Like"',
  ],
  ["no such snapshot location", { volumeSnapshotLocations: ["v9"] }, '"v9" does not exist'],
  ["a negative number", { uploaderConfig: { parallelFilesUpload: -1 } }, "must not be negative"],
  ["no duration", { ttl: "soon" }, '"soon" is not a duration'],
  ["a ttl that is over before it begins", { ttl: "1ns" }, 'ttl "1ns" is shorter than a second'],
  ["a ttl beyond all dates", { ttl: "99999999999h" }, '"99999999999h" is not a duration'],
  [
    "a selector that no API server takes",
    { labelSelector: { matchLabels: { "bad key!": "x" } } },
    '"bad key!" cannot be the key of a label',
  ],
  [
    "such a selector among several",
    {
      orLabelSelectors: [
        { matchLabels: { a: "b" } },
        { matchExpressions: [{ key: "/", operator: "Exists" }] },
      ],
    },
    '"/" cannot be the key of a label',
  ],
])("admit() refuses %s", (_name, spec, want) => {
  expect(admit(backup(spec), facts).faults.join("\n")).toContain(want);
});

const several = {
  ...facts,
  snapshotLocations: [
    { name: "v1", provider: "aws" },
    { name: "v2", provider: "aws" },
    { name: "g1", provider: "gcp" },
  ],
};
const byDefault = { ...several, defaults: { ...backupDefaults, snapshotLocations: { aws: "v2" } } };

test.each([
  ["one of each provider is named", { volumeSnapshotLocations: ["v1"] }, several, ["v1", "g1"]],
  ["the server has a default", {}, byDefault, ["v2", "g1"]],
  ["the backup knows better", { volumeSnapshotLocations: ["v1", "g1"] }, byDefault, ["v1", "g1"]],
  ["no snapshots are wanted", { snapshotVolumes: false }, several, undefined],
])("admit() chooses snapshot locations: %s", (_name, spec, given, want) => {
  const admitted = admit(backup(spec), given);
  expect(admitted.faults).toEqual([]);
  expect(admitted.spec.volumeSnapshotLocations).toEqual(want);
});

test.each([
  ["two of one provider", { volumeSnapshotLocations: ["v1", "v2"] }, 'both of provider "aws"'],
  [
    "a provider with several locations of which none is named",
    {},
    'provider "aws" has several volume snapshot locations ("v1", "v2"): name one',
  ],
])("admit() refuses %s", (_name, spec, want) => {
  expect(admit(backup(spec), several).faults).toEqual([expect.stringContaining(want)]);
});

test("admit() tells why a policy cannot be read", () => {
  const spec = { resourcePolicy: { kind: "configmap", name: "p" } };
  expect(admit(backup(spec), { ...facts, policies: "no" }).faults).toEqual(['resource policy "p": no']);
});

test.each([
  { lists: { includedNamespaceScopedResources: ["pods"] } },
  { lists: {}, rules: { cluster: [], namespaced: [] } },
])("admit() refuses filters without scope beside a policy that chooses types or items", (policy) => {
  const policies = { volumes: [], ...policy };
  const want = "cannot be used together with a resource policy that chooses types or items";
  expect(admit(backup({ includedResources: ["pods"] }), { ...facts, policies }).faults).toEqual([
    expect.stringContaining(want),
  ]);
  expect(admit(backup({}), { ...facts, policies }).faults).toEqual([]);
});

test("timestamp() has seconds and no more", () => expect(timestamp(1_999)).toBe("1970-01-01T00:00:01Z"));
