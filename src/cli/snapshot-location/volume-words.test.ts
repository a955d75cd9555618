import { expect, test } from "vitest";
import type { VolumePluginBackup, VolumePluginRestore } from "../../api/index.ts";
import type { Operation } from "../../progress/index.ts";
import { volumeWords } from "./volume-words.ts";

const backup = (status: object): VolumePluginBackup => ({
  apiVersion: "velero.io/v1",
  kind: "VolumePluginBackup",
  metadata: { name: "snap-1", uid: "u" },
  spec: { volume: "pv-1", backup: "b", plugin: "headway.dev/folder", pluginSpecific: { region: "eu" } },
  status: { phase: "InProgress", snapshotID: "snap-1", ...status },
});

test("volumeWords() of a snapshot that is done", () => {
  const status = {
    phase: "Completed",
    startTimestamp: "2026-11-15T10:00:00Z",
    completionTimestamp: "2026-11-15T10:01:30Z",
    progress: { totalBytes: 1024, bytesDone: 1024 },
  };
  expect(volumeWords([backup(status)], undefined)).toBe(
    [
      "    pv-1:",
      "      Snapshot ID:      snap-1",
      "      Plugin:           headway.dev/folder",
      "      Plugin specific:  region=eu",
      "      Phase:            Completed",
      "      Size:             1.0 KiB",
      "      Took:             1m 30s",
    ].join("\n"),
  );
});

test.each([
  ["of one that is watched", { id: "x", kind: "volumepluginbackup" }, "u"],
  ["of one that the operator runs", { id: "snap-1", kind: "volume" }, "of-the-backup"],
])("volumeWords() %s has share, bytes and the time that is left", (_title, names, uid) => {
  const child = {
    ...names,
    ref: { apiVersion: "velero.io/v1", kind: "VolumePluginBackup", name: "snap-1", uid },
    title: "t",
    state: "running",
    fraction: 0.5,
    eta: { seconds: 60, low: 30, high: 90 },
    warnings: 0,
    errors: 0,
    children: [],
  } as const satisfies Operation;
  const root: Operation = {
    ...child,
    id: "root",
    children: [{ ...child, id: "volumes", children: [child] }],
  };
  const text = volumeWords([backup({ progress: { totalBytes: 2048, bytesDone: 1024 } })], root);
  expect(text).toMatch(/Progress: +50/);
  expect(text).toMatch(/Bytes: +1.0 KiB of 2.0 KiB/);
  expect(text).toMatch(/Time left: +\S/);
});

test("volumeWords() of a silent plugin has no numbers, and says why", () => {
  const text = volumeWords([backup({ message: "no progress from this plugin" })], undefined);
  expect(text).not.toMatch(/%|Bytes|Size/);
  expect(text).toMatch(/Message: +no progress from this plugin/);
});

test("volumeWords() of a restore is named after its volume", () => {
  const restore: VolumePluginRestore = {
    apiVersion: "velero.io/v1",
    kind: "VolumePluginRestore",
    metadata: { name: "r", annotations: { "headway.dev/persistent-volume": "pv-1" } },
    spec: { snapshotID: "snap-1", backup: "b", plugin: "p" },
    status: { phase: "Completed", volumeID: "/v" },
  };
  expect(volumeWords([restore], undefined)).toMatch(/pv-1:\n +Snapshot ID: +snap-1\n +Volume ID: +\/v/);
});
