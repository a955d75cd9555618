import { expect, test } from "vitest";
import { type BackupRepository, formatTime } from "../../api/index.ts";
import { repositoryTable } from "./get.ts";

const repository: BackupRepository = {
  apiVersion: "velero.io/v1",
  kind: "BackupRepository",
  metadata: { name: "shop-default-kopia" },
  spec: {
    volumeNamespace: "shop",
    backupStorageLocation: "default",
    maintenanceFrequency: "1h",
    repositoryType: "kopia",
  },
  status: { phase: "NotReady", message: "wrong password", lastMaintenanceTime: formatTime(1_000_000) },
};

test("repositoryTable() shows the state, and the reason when wide", () => {
  const [, line = ""] = repositoryTable([repository], 1_061_000, { wide: false }).split("\n");
  expect(line.split(/ {2,}/)).toEqual([
    "shop-default-kopia",
    "NotReady",
    "shop",
    "default",
    "kopia",
    "61s ago",
  ]);
  expect(repositoryTable([repository], 1_061_000, { wide: true })).toContain("wrong password");
});
