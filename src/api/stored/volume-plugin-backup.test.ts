import { expect, test } from "vitest";
import { readStoredSnapshotRecords } from "./volume-plugin-backup.ts";

const place = '{"location":"l","volumeID":"vol-1","volumeType":"gp3","way":"own"}';
const good = {
  metadata: {
    name: "snap-1",
    labels: { "velero.io/backup-uid": "u" },
    annotations: { "headway.dev/snapshot": place, other: "x" },
  },
  spec: { volume: "pv", backup: "b", plugin: "velero.io/aws", pluginSpecific: { "a key": "any\nvalue" } },
  status: { phase: "Completed", snapshotID: "snap-1", percent: 100 },
};
const read = (change: { readonly [part in keyof typeof good]?: object }) =>
  readStoredSnapshotRecords(
    [
      {
        metadata: { ...good.metadata, ...change.metadata },
        spec: { ...good.spec, ...change.spec },
        status: { ...good.status, ...change.status },
      },
    ],
    "f",
  );

test("readStoredSnapshotRecords() takes a record, and of its notes only where the snapshot lies", () => {
  expect(read({})).toEqual([
    {
      apiVersion: "velero.io/v1",
      kind: "VolumePluginBackup",
      metadata: { ...good.metadata, annotations: { "headway.dev/snapshot": place } },
      spec: good.spec,
      status: { ...good.status, progress: {} },
    },
  ]);
});

test.each<[string, Parameters<typeof read>[0]]>([
  ["status.snapshotID", { status: { snapshotID: "--all" } }],
  ["status.snapshotID", { status: { snapshotID: "a\0b" } }],
  ["status.percent", { status: { percent: "100" } }],
  ["spec.volume", { spec: { volume: "../pv" } }],
  ["spec.plugin", { spec: { plugin: "../../plugin" } }],
  ["metadata.name", { metadata: { name: "-x" } }],
  ["volumeID", { metadata: { annotations: { "headway.dev/snapshot": '{"volumeID":"--x"}' } } }],
  ["headway.dev/snapshot", { metadata: { annotations: { "headway.dev/snapshot": "no JSON" } } }],
  ["headway.dev/snapshot", { metadata: { annotations: { "headway.dev/snapshot": "x".repeat(9000) } } }],
])("readStoredSnapshotRecords() refuses a bad %s", (field, change) => {
  expect(() => read(change)).toThrow(
    expect.objectContaining({ code: "STORED_INVALID", message: expect.stringContaining(field) }),
  );
});
