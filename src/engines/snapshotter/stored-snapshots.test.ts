import { expect, test } from "vitest";
import { snapshotIds, storedSnapshots } from "./stored-snapshots.ts";

const good = {
  spec: { persistentVolumeName: "pv", location: "l", volumeType: "gp3", volumeAZ: "a", volumeIOPS: 100 },
  status: { providerSnapshotID: "s", phase: "Completed" },
};

test("storedSnapshots() takes the usable ones and passes over the rest", () => {
  const failed = { ...good, status: { providerSnapshotID: "f", phase: "Failed" } };
  const list = [null, 7, {}, { spec: null }, failed, good];
  expect([...storedSnapshots(list)]).toEqual([
    [
      "pv",
      { volume: "pv", snapshotID: "s", location: "l", volumeType: "gp3", volumeAZ: "a", volumeIOPS: 100 },
    ],
  ]);
  expect(snapshotIds(list)).toEqual([
    { location: "l", id: "f" },
    { location: "l", id: "s" },
  ]);
});
