import { expect, test } from "vitest";
import { csiWords, readCsiVolumes } from "./csi-words.ts";

const kept = {
  backupMethod: "CSISnapshot",
  pvcNamespace: "shop",
  pvcName: "data",
  snapshotDataMoved: false,
  result: "succeeded",
  csiSnapshotInfo: { operationID: "o", vscName: "c", snapshotHandle: "h", size: 1024, driver: "d" },
};
const moved = {
  backupMethod: "CSISnapshot",
  pvcNamespace: "app",
  pvcName: "db",
  snapshotDataMoved: true,
  result: "failed",
  snapshotDataMovementInfo: { operationID: "du-1", dataMover: "velero", uploaderType: "kopia", size: 7 },
};

test("csiWords() names every claim, with what there is of it on demand", () => {
  const volumes = readCsiVolumes([kept, { backupMethod: "PodVolumeBackup" }, moved]);
  expect(csiWords(volumes, false)).toBe(
    [
      "    app/db:",
      "      Data Movement: included, specify --details for more information",
      "    shop/data:",
      "      Snapshot: included, specify --details for more information",
    ].join("\n"),
  );
  expect(csiWords(volumes, true)).toBe(
    [
      "    app/db:",
      "      Data Movement:",
      "        Operation ID: du-1",
      "        Data Mover: velero",
      "        Uploader Type: kopia",
      "        Moved data Size (bytes): 7",
      "        Result: failed",
      "    shop/data:",
      "      Snapshot:",
      "        Operation ID: o",
      "        Snapshot Content Name: c",
      "        Storage Snapshot ID: h",
      "        Snapshot Size (bytes): 1024",
      "        CSI Driver: d",
      "        Result: succeeded",
    ].join("\n"),
  );
});

test.each([[undefined], [{}], ["x"], [[null, 7, "x", []]]])(
  "readCsiVolumes() of %j, which is no list of volume informations, is empty",
  (value) => {
    expect(readCsiVolumes(value)).toEqual([]);
  },
);

test("readCsiVolumes() shows nothing of what is no text and no number", () => {
  const odd = { ...kept, pvcName: { a: 1 }, csiSnapshotInfo: "no" };
  const words = csiWords(readCsiVolumes([odd]), true);
  expect(words).toBe("    shop/:\n      Snapshot:\n        Result: succeeded");
});

test("readCsiVolumes() reads what a restore says of its claims, too", () => {
  const { backupMethod: _, result: __, ...rest } = moved;
  const volumes = readCsiVolumes([{ ...rest, restoreMethod: "CSISnapshot" }]);
  expect(csiWords(volumes, true)).toBe(
    [
      "    app/db:",
      "      Data Movement:",
      "        Operation ID: du-1",
      "        Data Mover: velero",
      "        Uploader Type: kopia",
      "        Moved data Size (bytes): 7",
    ].join("\n"),
  );
});
