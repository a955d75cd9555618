import { expect, test } from "vitest";
import { discoverVolumes, type Found, volumeFaults } from "./discover-volumes.ts";
import type { Claim } from "./shapes.ts";

const claim = (name: string, spec: object = {}, phase = "Bound"): Claim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "shop" },
  spec: { volumeName: `pv-${name}`, storageClassName: "fast", accessModes: ["ReadWriteOnce"], ...spec },
  status: { phase },
});
const storageClass = (name: string, isDefault = false) => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name, annotations: { "storageclass.kubernetes.io/is-default-class": String(isDefault) } },
});
const found = (...claims: readonly Claim[]): Found => ({
  claims,
  volumes: [
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "pv-nfs" },
      spec: { nfs: {}, capacity: { storage: "3Gi" } },
    },
  ],
  used: new Set(["shop/data"]),
  targets: [storageClass("slow", true), storageClass("other")],
  canSnapshot: false,
});

test("discoverVolumes() finds bound claims, sorted, with what can be done and what is proposed", () => {
  const volumes = discoverVolumes(
    [],
    found(claim("nfs"), claim("data"), claim("raw", { volumeMode: "Block" }), claim("new", {}, "Pending")),
  );
  expect(
    volumes.map(({ name, supported, selection, pvc, capacity }) => ({
      name,
      supported,
      selection,
      used: pvc?.hasReference,
      capacity,
    })),
  ).toEqual([
    {
      name: "pv-data",
      used: true,
      capacity: undefined,
      supported: { actions: ["copy", "skip"], copyMethods: ["filesystem"] },
      selection: { action: "copy", copyMethod: "filesystem", storageClass: "slow" },
    },
    {
      name: "pv-nfs",
      used: false,
      capacity: "3Gi",
      supported: { actions: ["copy", "move", "skip"], copyMethods: ["filesystem"] },
      selection: { action: "copy", copyMethod: "filesystem", storageClass: "slow" },
    },
    {
      name: "pv-raw",
      used: false,
      capacity: undefined,
      supported: { actions: ["skip"], copyMethods: [] },
      selection: { action: "skip" },
    },
  ]);
});

test("discoverVolumes() offers snapshots of volumes whose CSI driver takes them, and proposes them for devices", () => {
  const driven = (name: string, driver: string) => ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: { csi: { driver } },
  });
  const all = discoverVolumes([], {
    ...found(claim("data"), claim("raw", { volumeMode: "Block" })),
    volumes: [driven("pv-data", "d"), driven("pv-raw", "d")],
    snapshotDrivers: new Set(["d"]),
  });
  expect(all.map(({ supported, selection }) => [supported.copyMethods, selection.copyMethod])).toEqual([
    [["filesystem", "snapshot"], "filesystem"],
    [["snapshot"], "snapshot"],
  ]);
});

test("discoverVolumes() keeps what was chosen and drops what is gone", () => {
  const [first] = discoverVolumes([], found(claim("data")));
  const chosen = { ...first, supported: { actions: [], copyMethods: [] }, selection: { action: "skip" } };
  const again = discoverVolumes([chosen, { ...chosen, name: "pv-gone" }], found(claim("data")));
  expect(again).toHaveLength(1);
  expect(again[0]).toMatchObject({ supported: { actions: ["copy", "skip"] }, selection: { action: "skip" } });
});

test("a class of the same name is taken before the default one", () => {
  const [volume] = discoverVolumes([], found(claim("data", { storageClassName: "other" })));
  expect(volume?.selection.storageClass).toBe("other");
});

test.each([
  ["what was proposed", {}, []],
  ["an action that cannot be", { action: "move" }, ["PvInvalidAction"]],
  ["a class that is not there", { storageClass: "gold" }, ["PvInvalidStorageClass"]],
  ["no class", { storageClass: "" }, ["PvNoStorageClassSelection"]],
  ["no copy method", { copyMethod: "" }, ["PvNoCopyMethodSelection"]],
  ["a copy method that cannot be", { copyMethod: "snapshot" }, ["PvInvalidCopyMethod"]],
  ["an access mode that the destination may have", { accessMode: "ReadWriteMany" }, []],
  ["an access mode that does not exist", { accessMode: "RWX" }, ["PvInvalidAccessMode"]],
  ["a volume that is skipped with such a mode", { action: "skip", accessMode: "RWX" }, []],
  ["a volume that is skipped", { action: "skip", storageClass: "gold" }, []],
])("volumeFaults() with %s", (_what, selection, want) => {
  const given = found(claim("data"));
  const volumes = discoverVolumes([], given).map((volume) => ({
    ...volume,
    selection: { ...volume.selection, ...selection },
  }));
  expect(volumeFaults(volumes, given.targets).map(({ type }) => type)).toEqual(want);
});

test("volumeFaults() names the claim, what the destination has, and where to choose", () => {
  const given = found(claim("data"));
  const volumes = discoverVolumes([], given).map((volume) => ({
    ...volume,
    selection: { ...volume.selection, storageClass: "gold" },
  }));
  const [fault] = volumeFaults(volumes, given.targets);
  expect(fault?.message).toContain("pv-data of claim shop/data");
  expect(fault?.message).toContain("The destination has other, slow");
  expect(volumeFaults(volumes, [])[0]?.message).toContain("The destination has none");
});
