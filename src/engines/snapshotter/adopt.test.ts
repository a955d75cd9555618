import { expect, test } from "vitest";
import type { VolumePluginBackup } from "../../api/index.ts";
import { adoption } from "./adopt.ts";

const wanted = { backup: "b", backupUid: "u", volume: "pv", snapshotID: "snap" };
const object = (change: { metadata?: object; spec?: object; status?: object } = {}): VolumePluginBackup => ({
  apiVersion: "velero.io/v1",
  kind: "VolumePluginBackup",
  metadata: { name: "snap", ...change.metadata },
  spec: { volume: "pv", backup: "b", plugin: "p", ...change.spec },
  status: { phase: "InProgress", snapshotID: "snap", ...change.status },
});

test.each([
  ["an honest one", {}, { remarks: [] }],
  [
    "one of another backup",
    { spec: { backup: "other" } },
    { fault: 'VolumePluginBackup "snap" belongs to backup "other", not to this one' },
  ],
  [
    "one of another volume",
    { spec: { volume: "x" } },
    { fault: 'VolumePluginBackup "snap" is of volume "x", not of "pv"' },
  ],
  [
    "one that a former backup owns",
    { metadata: { labels: { "velero.io/backup-uid": "old" } } },
    { fault: 'VolumePluginBackup "snap" belongs to an earlier backup of this name' },
  ],
  [
    "one without a snapshot id",
    { status: { snapshotID: "" } },
    { remarks: ['VolumePluginBackup "snap" does not say its snapshot id'] },
  ],
  [
    "one with another snapshot id",
    { status: { snapshotID: "y" } },
    { remarks: ['VolumePluginBackup "snap" says snapshot "y", the plugin returned "snap"'] },
  ],
])("adoption() of %s", (_name, change, want) => {
  expect(adoption(object(change), wanted)).toEqual(want);
});

test("adoption() tells a phase outside the set", () => {
  expect(adoption(object({ status: { phase: "Uploading" } }), wanted)).toEqual({
    remarks: [expect.stringContaining('says phase "Uploading", which is none of New, InProgress, Completed')],
  });
});
