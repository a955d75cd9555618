import { expect, test } from "vitest";
import type { Backup, PodVolumeBackup, PodVolumeRestore } from "../api/index.ts";
import { newPodVolumeBackup, newPodVolumeRestore } from "../engines/podvolume/objects.ts";
import { askerOf, refusalOf } from "./authority.ts";

const backup: Backup = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "b", namespace: "velero", uid: "u1" },
  status: { phase: "InProgress" },
};
const pod = { metadata: { name: "web", namespace: "shop", uid: "p" }, spec: { nodeName: "n1" } };
const ours: PodVolumeBackup = {
  ...newPodVolumeBackup({ backup, pod, volume: "data", uploader: "restic" }),
  metadata: {
    name: "b-1",
    ...newPodVolumeBackup({ backup, pod, volume: "data", uploader: "restic" }).metadata,
  },
};
/** As upstream's server (1.16) makes it. */
const upstream: PodVolumeBackup = {
  ...ours,
  metadata: {
    name: "b-x7k2p",
    labels: { "velero.io/backup-name": "b", "velero.io/backup-uid": "u1", "velero.io/pvc-uid": "c" },
    ownerReferences: [{ apiVersion: "velero.io/v1", kind: "Backup", name: "b", uid: "u1", controller: true }],
  },
};
const [owner] = upstream.metadata.ownerReferences ?? [];

test.each([
  ["ours", ours],
  ["upstream's", upstream],
])("askerOf() finds the Backup of %s", (_name, copy) => {
  expect(askerOf(copy)).toEqual({ kind: "Backup", name: "b", uid: "u1" });
});

test("askerOf() finds the Restore of ours", () => {
  const restore = {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: "r", uid: "u2" },
  } as const;
  const made = newPodVolumeRestore({
    restore,
    pod: { namespace: "shop", name: "web", uid: "p" },
    backup: { ...ours, status: { snapshotID: "0123abcd" } },
    sourceNamespace: "shop",
  });
  const copy: PodVolumeRestore = { ...made, metadata: { name: "r-1", ...made.metadata } };
  expect(askerOf(copy)).toEqual({ kind: "Restore", name: "r", uid: "u2" });
});

test.each<[string, PodVolumeBackup["metadata"]]>([
  ["no owner", { ...upstream.metadata, ownerReferences: [] }],
  ["no label", { ...upstream.metadata, labels: {} }],
  ["another's label", { ...upstream.metadata, labels: { "velero.io/backup-uid": "u2" } }],
  [
    "an owner of another kind",
    {
      ...upstream.metadata,
      ownerReferences: [{ apiVersion: "velero.io/v1", kind: "Restore", name: "b", uid: "u1" }],
    },
  ],
  [
    "an owner of another group",
    {
      ...upstream.metadata,
      ownerReferences: [{ apiVersion: "evil.io/v1", kind: "Backup", name: "b", uid: "u1" }],
    },
  ],
  ["two owners", { ...upstream.metadata, ownerReferences: owner === undefined ? [] : [owner, owner] }],
])("askerOf() finds nobody where there is %s", (_name, metadata) => {
  expect(askerOf({ ...upstream, metadata })).toBeUndefined();
  expect(refusalOf("PodVolumeBackup", undefined, backup)).toContain("does not say which Backup");
});

const asker = { kind: "Backup", name: "b", uid: "u1" } as const;

test("refusalOf() lets a copy run whose Backup is in progress", () => {
  expect(refusalOf("PodVolumeBackup", asker, backup)).toBeUndefined();
});

test.each<[string, Backup | undefined, string]>([
  ["is gone", undefined, "does not exist"],
  ["is another one", { ...backup, metadata: { ...backup.metadata, uid: "u3" } }, "does not exist"],
  ["was imported", { ...backup, status: { phase: "Completed" } }, "is Completed, not InProgress"],
  ["is over", { ...backup, status: { phase: "Failed" } }, "is Failed"],
  ["has not begun", { ...backup, status: {} }, "is New"],
])("refusalOf() says why a copy does not run whose Backup %s", (_name, found, words) => {
  expect(refusalOf("PodVolumeBackup", asker, found)).toContain(words);
});
