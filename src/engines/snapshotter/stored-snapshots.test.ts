import { expect, test } from "vitest";
import { snapshotIds, storedSnapshots } from "./stored-snapshots.ts";

const good = {
  spec: { persistentVolumeName: "pv", location: "l", volumeType: "gp3", volumeAZ: "a", volumeIOPS: 100 },
  status: { providerSnapshotID: "s", phase: "Completed" },
};

test("storedSnapshots() takes the usable ones and passes over the rest", () => {
  const failed = { ...good, status: { providerSnapshotID: "f", phase: "Failed" } };
  const list = [null, 7, {}, { spec: null }, failed, good];
  expect([...storedSnapshots(list, "f")]).toEqual([
    [
      "pv",
      { volume: "pv", snapshotID: "s", location: "l", volumeType: "gp3", volumeAZ: "a", volumeIOPS: 100 },
    ],
  ]);
  expect(snapshotIds(list, "f")).toEqual({
    ids: [
      { location: "l", id: "f" },
      { location: "l", id: "s" },
    ],
    errors: [],
  });
});

test.each([
  ["status.providerSnapshotID", { ...good, status: { ...good.status, providerSnapshotID: "--all" } }],
  ["status.providerSnapshotID", { ...good, status: { ...good.status, providerSnapshotID: "a\nb" } }],
  ["spec.location", { ...good, spec: { ...good.spec, location: "../l" } }],
])("a bad %s is named, and does not keep the others from being removed", (field, bad) => {
  expect(() => storedSnapshots([bad], "f")).toThrow(
    expect.objectContaining({ code: "STORED_INVALID", message: expect.stringContaining(`[0].${field}`) }),
  );
  const { ids, errors } = snapshotIds([bad, good], "f");
  expect(ids).toEqual([{ location: "l", id: "s" }]);
  expect(errors).toEqual([expect.stringContaining(field)]);
});
