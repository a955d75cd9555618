import { expect, test } from "vitest";
import type { PodVolumeBackup } from "../../api/index.ts";
import type { Verdict } from "../../kinds/index.ts";
import { type DataFacts, dataOf } from "./plan-data.ts";

const copy = {
  apiVersion: "velero.io/v1",
  kind: "PodVolumeBackup",
  metadata: { name: "c", annotations: { "velero.io/pvc-name": "data" } },
  spec: { pod: { namespace: "shop", name: "db-0" }, volume: "disk", uploaderType: "kopia" },
  status: {
    snapshotID: "s",
    startTimestamp: "2026-01-01T00:00:00Z",
    completionTimestamp: "2026-01-01T00:01:30Z",
    progress: { totalBytes: 5_000, bytesDone: 5_000 },
  },
} as unknown as PodVolumeBackup; // what is read of it

function facts(verdict: Verdict | undefined, more: Partial<DataFacts> = {}): DataFacts {
  return {
    restore: {},
    infos: [],
    backups: [copy],
    copiesVolumes: true,
    target: (namespace) => `${namespace}-try`,
    verdict: () => verdict,
    ...more,
  };
}

test("dataOf() tells a pod's volume by its claim, with its size and how long the backup took", () => {
  expect(dataOf(facts("create"))).toEqual([
    {
      namespace: "shop-try",
      name: "data",
      pod: "db-0",
      volume: "disk",
      method: "pod volume",
      mover: "kopia",
      bytes: 5_000,
      time: { seconds: 90, from: "backup" },
    },
  ]);
  expect(dataOf(facts(undefined))).toEqual([]);
});

test.each([
  ["conflict", /there already: its data is left/],
  ["skip", /its data is left/],
  ["refused", /its pod is refused/],
  ["unknown", /not known/],
] as const)("dataOf() says that the data of a pod stays out: %s", (verdict, words) => {
  expect(dataOf(facts(verdict))[0]?.leftOut).toMatch(words);
});

const info = { pvcNamespace: "shop", pvcName: "data", pvName: "pv-1", backupMethod: "CSISnapshot" };

test.each([
  [
    { ...info, csiSnapshotInfo: { size: 7 } },
    { method: "CSI snapshot", bytes: 7 },
  ],
  [
    { ...info, snapshotDataMoved: true, snapshotDataMovementInfo: { size: 8, uploaderType: "kopia" } },
    { method: "moved data", bytes: 8, mover: "kopia" },
  ],
  [{ ...info, backupMethod: "NativeSnapshot" }, { method: "snapshot" }],
] as const)("dataOf() reads volume infos: %#", (given, told) => {
  const found = dataOf(facts("create", { backups: [], infos: [given] }));
  expect(found).toEqual([{ namespace: "shop-try", name: "data", ...told }]);
  const without = { backups: [], infos: [given], restore: { spec: { restorePVs: false } } };
  expect(dataOf(facts("create", without))[0]?.leftOut).toBe("the restore brings no volumes back");
});

test.each([{ ...info, skipped: true }, { ...info, backupMethod: "PodVolumeBackup" }, {}])(
  "dataOf() passes over infos that hold no snapshot: %#",
  (given) => {
    expect(dataOf(facts("create", { backups: [], infos: [given] }))).toEqual([]);
  },
);
