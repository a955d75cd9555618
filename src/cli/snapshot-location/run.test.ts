import { expect, test } from "vitest";
import type { VolumeSnapshotLocation } from "../../api/index.ts";
import { locationTable } from "./run.ts";

test("locationTable() has the settings of each location", () => {
  const location: VolumeSnapshotLocation = {
    apiVersion: "velero.io/v1",
    kind: "VolumeSnapshotLocation",
    metadata: { name: "folders" },
    spec: { provider: "folder", config: { path: "/srv", method: "copy" } },
  };
  expect(locationTable([location])).toMatch(
    /^NAME +PROVIDER +CONFIG\s+folders +folder +path=\/srv,method=copy\s*$/,
  );
});
