import { expect, test } from "vitest";
import { type BackupRepository, formatTime } from "../../api/index.ts";
import { afterMaintenance, dueInMs, maintenancePeriod } from "./maintenance.ts";

const hour = 3_600_000;
const now = 1_000 * hour;

function repository(frequency: string, status: BackupRepository["status"] = {}): BackupRepository {
  return {
    apiVersion: "velero.io/v1",
    kind: "BackupRepository",
    metadata: { name: "r" },
    spec: {
      volumeNamespace: "n",
      backupStorageLocation: "l",
      maintenanceFrequency: frequency,
      repositoryType: "kopia",
    },
    status: status ?? {},
  };
}

test.each<[string, BackupRepository, number | undefined]>([
  ["never maintained", repository("1h"), 0],
  ["maintained just now", repository("1h", { lastMaintenanceTime: formatTime(now) }), hour],
  ["long ago", repository("1h", { lastMaintenanceTime: formatTime(now - 3 * hour) }), 0],
  [
    "failed just now",
    repository("1h", { recentMaintenance: [{ result: "Failed", completeTimestamp: formatTime(now) }] }),
    hour,
  ],
  ["switched off", repository("0s"), undefined],
  ["a loop of less than a second", repository("1ns", { lastMaintenanceTime: formatTime(now) }), hour],
  ["negative", repository("-1h", { lastMaintenanceTime: formatTime(now) }), hour],
  ["30 days", repository("720h", { lastMaintenanceTime: formatTime(now) }), 720 * hour],
  [
    "a clock that was a day ahead and is right again",
    repository("1h", {
      lastMaintenanceTime: formatTime(now + 24 * hour),
      recentMaintenance: [
        { result: "Succeeded", completeTimestamp: formatTime(now - hour / 2) },
        { result: "Succeeded", completeTimestamp: formatTime(now + 24 * hour) },
      ],
    }),
    hour / 2,
  ],
  ["no duration", repository("often", { lastMaintenanceTime: formatTime(now) }), hour],
])("dueInMs(): %s", (_name, given, want) => {
  expect(dueInMs(given, now)).toBe(want);
});

test("afterMaintenance() keeps the newest 25 runs, and the time of the last good one", () => {
  let given = repository("1h");
  for (let i = 0; i < 30; i += 1) {
    const run = { startedMs: now + i, endedMs: now + i * 1_000, ...(i === 29 && { error: "locked" }) };
    given = { ...given, status: { ...given.status, ...afterMaintenance(given, run) } };
  }
  expect(given.status?.recentMaintenance).toHaveLength(25);
  expect(given.status?.recentMaintenance?.at(-1)).toMatchObject({ result: "Failed", message: "locked" });
  expect(given.status?.lastMaintenanceTime).toBe(formatTime(now + 28_000));
});

test("maintenancePeriod() says why a frequency is not used", () => {
  expect(maintenancePeriod(repository("1ns"))).toEqual({
    ms: hour,
    fault: 'maintenanceFrequency "1ns" is shorter than a second: 1h0m0s is used instead',
  });
  expect(maintenancePeriod(repository("2h"))).toEqual({ ms: 2 * hour });
});
