import { expect, test } from "vitest";
import type { PodVolumeBackup, Restore } from "../../api/index.ts";
import type { Item } from "./archive/item-json.ts";
import { itemContext } from "./settings.ts";

const item = (name: string, rest: object = {}, annotations = {}): Item => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name, annotations },
  ...rest,
});
const copy = (pod: string, claim: string, snapshotID: string): PodVolumeBackup => ({
  apiVersion: "velero.io/v1",
  kind: "PodVolumeBackup",
  metadata: { name: `${pod}-${claim}`, annotations: { "velero.io/pvc-name": claim } },
  spec: { pod: { namespace: "shop", name: pod }, volume: claim } as NonNullable<PodVolumeBackup["spec"]>,
  status: { snapshotID },
});

function contextOf(spec: Restore["spec"], more: object = {}, excludes: readonly string[] = []) {
  const given = {
    restore: { apiVersion: "velero.io/v1", kind: "Restore", metadata: { name: "r" }, spec },
    filters: { types: { includes: [], excludes } },
    served: { resolve: (word: string) => (word === "job" ? "jobs.batch" : undefined) },
    podVolumeBackups: [copy("web", "data", "s1"), copy("web", "half", "")],
    snapshots: { has: (name: string) => name === "snapped" },
    volumeInfos: [],
    settings: {},
    ...more,
  };
  return itemContext(given as unknown as Parameters<typeof itemContext>[0]); // what decides about items is all there
}

test.each([
  ["nothing is asked for", undefined, {}, false],
  ["an empty wish", {}, {}, false],
  ["its type by another name", { includedResources: ["job"] }, {}, true],
  ["every type", { includedResources: ["*"] }, {}, true],
  ["every type but this", { includedResources: ["*"], excludedResources: ["job"] }, {}, false],
  ["only another is left out", { excludedResources: ["pods"] }, {}, false],
  ["the item asks for it", undefined, { "velero.io/restore-status": "True" }, true],
  ["the item refuses", { includedResources: ["*"] }, { "velero.io/restore-status": "false" }, false],
  ["the item mumbles", { includedResources: ["*"] }, { "velero.io/restore-status": "maybe" }, true],
])("a status comes back when %s", (_title, restoreStatus, annotations, want) => {
  const { restoresStatus } = contextOf(restoreStatus && { restoreStatus });
  expect(restoresStatus("jobs.batch", item("j", {}, annotations))).toBe(want);
});

test.each([
  ["a snapshot of it", item("snapped"), [], "NativeSnapshot"],
  [
    "a copy of its claim",
    item("v", { spec: { claimRef: { namespace: "shop", name: "data" } } }),
    [],
    "PodVolumeBackup",
  ],
  ["neither", item("v", { spec: { claimRef: { namespace: "other", name: "data" } } }), [], "none"],
  ["no claim", item("v"), [], "none"],
  [
    "its own record, which wins",
    item("snapped"),
    [{ pvName: "snapped", backupMethod: "PodVolumeBackup" }],
    "PodVolumeBackup",
  ],
  ["a record that it was skipped", item("snapped"), [{ pvName: "snapped", skipped: true }], "none"],
])("how a volume with %s comes back", (_title, volume, volumeInfos, want) => {
  expect(contextOf(undefined, { volumeInfos }).volumeMethod(volume)).toBe(want);
});

test("volumes are restored into a pod from copies that were finished, unless claims or volumes stay out", () => {
  const names = (excludes: readonly string[]) =>
    contextOf(undefined, {}, excludes)
      .volumeBackups("shop", "web")
      .map(({ metadata }) => metadata.name);
  expect(names([])).toEqual(["web-data"]);
  expect(names(["persistentvolumeclaims"])).toEqual([]);
  expect(names(["persistentvolumes"])).toEqual([]);
  expect(contextOf(undefined).volumeBackups("shop", "other")).toEqual([]);
});
