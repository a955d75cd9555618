import { expect, test } from "vitest";
import { rootOf } from "./relations.ts";

const object = (kind: string, rest: object) => ({
  apiVersion: "velero.io/v1",
  kind,
  metadata: { namespace: "velero", name: "x" },
  ...rest,
});

test.each([
  [
    "a label",
    object("PodVolumeBackup", {
      metadata: { namespace: "velero", name: "x", labels: { "velero.io/backup-name": "b" } },
    }),
    "Backup/velero/b",
  ],
  [
    "an owner",
    object("PodVolumeRestore", {
      metadata: {
        namespace: "velero",
        name: "x",
        ownerReferences: [{ apiVersion: "velero.io/v1", kind: "Restore", name: "r", uid: "1" }],
      },
    }),
    "Restore/velero/r",
  ],
  ["a plugin's own words", object("VolumePluginBackup", { spec: { backup: "b" } }), "Backup/velero/b"],
  ["nothing", object("PodVolumeBackup", {}), undefined],
  ["a kind that is not ours", { ...object("Pod", {}), apiVersion: "v1" }, undefined],
])("rootOf() finds the root by %s", (_name, seen, want) => {
  expect(rootOf(seen)).toBe(want);
});
