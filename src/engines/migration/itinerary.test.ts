import { expect, test } from "vitest";
import { description } from "./descriptions.ts";
import {
  chooseItinerary,
  type Flags,
  failurePhases,
  type ItineraryName,
  itineraries,
  itineraryNamed,
  nextPhase,
  phaseNames,
  phaseOf,
  position,
  stepOf,
  stepsOf,
} from "./itinerary.ts";

// Final n, Stage n, phase, flag, step in Final, step in Stage: one row for each phase.
const table = `
1 1 Created - Prepare Prepare
2 2 Started - Prepare Prepare
3 3 Prepare - Prepare Prepare
4 4 EnsureCloudSecretPropagated - Prepare Prepare
5 - PreBackupHooks - Backup -
6 - EnsureInitialBackup - Backup -
7 - InitialBackupCreated - Backup -
8 5 EnsureStagePodsFromRunning volumes VolumeBackup VolumeBackup
9 6 EnsureStagePodsFromTemplates volumes VolumeBackup VolumeBackup
10 7 EnsureStagePodsFromOrphanedPVCs volumes VolumeBackup VolumeBackup
11 8 StagePodsCreated stagePods VolumeBackup VolumeBackup
12 9 AnnotateResources volumes VolumeBackup VolumeBackup
13 10 RestartRestic stagePods VolumeBackup VolumeBackup
14 11 ResticRestarted stagePods VolumeBackup VolumeBackup
15 12 QuiesceApplications quiesce VolumeBackup VolumeBackup
16 13 EnsureQuiesced quiesce VolumeBackup VolumeBackup
17 14 EnsureStageBackup volumes VolumeBackup VolumeBackup
18 15 StageBackupCreated volumes VolumeBackup VolumeBackup
19 16 EnsureStageBackupReplicated volumes VolumeBackup VolumeBackup
20 17 EnsureStageRestore volumes VolumeRestore VolumeRestore
21 18 StageRestoreCreated volumes VolumeRestore VolumeRestore
22 19 EnsureStagePodsDeleted stagePods VolumeRestore VolumeRestore
23 20 EnsureStagePodsTerminated stagePods VolumeRestore VolumeRestore
24 21 EnsureAnnotationsDeleted volumes Restore Final
25 - EnsureInitialBackupReplicated - Restore -
26 - PostBackupHooks - Restore -
27 - PreRestoreHooks - Restore -
28 - EnsureFinalRestore - Restore -
29 - FinalRestoreCreated - Restore -
30 22 EnsureLabelsDeleted - Restore Final
31 - PostRestoreHooks - Restore -
32 - Verification verify Final -
33 23 Completed - Final Final`;
const failed = `
1 MigrationFailed -
2 EnsureStagePodsDeleted stagePods
3 EnsureAnnotationsDeleted volumes
4 DeleteMigrated undo
5 EnsureMigratedDeleted undo
6 UnQuiesceApplications quiesce
7 Completed -`;
const cancel = `
1 Canceling -
2 DeleteBackups -
3 DeleteRestores -
4 EnsureStagePodsDeleted stagePods
5 EnsureAnnotationsDeleted volumes
6 DeleteMigrated -
7 EnsureMigratedDeleted -
8 UnQuiesceApplications quiesce
9 Canceled -
10 Completed -`;

const rows = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
const written = (name: ItineraryName) =>
  itineraries[name].map(({ phase, step, needs = "-" }) => {
    expect(stepOf(name, phase)).toBe(step);
    return [String(position(name, phase).at), phase, needs, step];
  });

test("the itinerary Final has the 33 phases of MTC, each with its number, flag and step", () => {
  const want = rows(table).map(([n, , phase, flag, step]) => [n, phase, flag, step]);
  expect(written("Final")).toEqual(want);
  expect(position("Final", "InitialBackupCreated")).toEqual({ at: 7, of: 33 });
  expect(position("Final", "StageBackupCreated")).toEqual({ at: 18, of: 33 });
  expect(position("Final", "StageRestoreCreated")).toEqual({ at: 21, of: 33 });
});

test("the itinerary Stage has the 23 phases of MTC", () => {
  const want = rows(table)
    .filter(([, n]) => n !== "-")
    .map(([, n, phase, flag, , step]) => [n, phase, flag, step]);
  expect(written("Stage")).toEqual(want);
  expect(position("Stage", "Completed")).toEqual({ at: 23, of: 23 });
});

test.each([
  ["Failed", failed],
  ["Cancel", cancel],
] as const)("the itinerary %s does all of its phases in the step Final", (name, text) => {
  expect(written(name)).toEqual(rows(text).map((row) => [...row, "Final"]));
});

test("the steps of every itinerary are contiguous, so that none is entered twice", () => {
  for (const stops of Object.values(itineraries)) {
    const changes = stops.filter(({ step }, i) => step !== stops[i - 1]?.step).map(({ step }) => step);
    expect(changes).toEqual([...new Set(changes)]);
    expect(stops.length).toBeGreaterThan(6);
  }
  expect(stepsOf("Final")).toEqual([
    "Prepare",
    "Backup",
    "VolumeBackup",
    "VolumeRestore",
    "Restore",
    "Final",
  ]);
  expect(stepsOf("Stage")).toEqual(["Prepare", "VolumeBackup", "VolumeRestore", "Final"]);
});

test("every phase is in an itinerary and has a sentence; phases of failure are in none", () => {
  const used = new Set(Object.values(itineraries).flatMap((stops) => stops.map(({ phase }) => phase)));
  expect([...used].toSorted()).toEqual([...phaseNames].toSorted());
  expect(new Set(phaseNames.map(description)).size).toBe(phaseNames.length);
  for (const name of Object.values(failurePhases)) expect(phaseOf(name)).toBeUndefined();
});

const flags = (...on: readonly (keyof Flags)[]): Flags => ({
  volumes: on.includes("volumes"),
  stagePods: on.includes("stagePods"),
  quiesce: on.includes("quiesce"),
  verify: on.includes("verify"),
  undo: on.includes("undo"),
});

test.each([
  ["Final", "InitialBackupCreated", flags("volumes"), "EnsureStagePodsFromRunning", 0],
  ["Final", "InitialBackupCreated", flags(), "EnsureInitialBackupReplicated", 17],
  ["Final", "InitialBackupCreated", flags("quiesce"), "QuiesceApplications", 7],
  ["Final", "PostRestoreHooks", flags(), "Completed", 1],
  ["Final", "PostRestoreHooks", flags("verify"), "Verification", 0],
  ["Stage", "EnsureCloudSecretPropagated", flags(), "EnsureLabelsDeleted", 17],
  ["Failed", "MigrationFailed", flags("undo"), "DeleteMigrated", 2],
  ["Failed", "MigrationFailed", flags("quiesce"), "UnQuiesceApplications", 4],
  ["Stage", "Verification", flags("verify"), "Completed", 0],
] as const)("nextPhase() in %s after %s", (itinerary, phase, given, want, skipped) => {
  const next = nextPhase(itinerary, phase, given);
  expect(next.phase).toBe(want);
  expect(next.skipped).toHaveLength(skipped);
});

test("chooseItinerary(): a failure wins over a cancel, a cancel over the rest", () => {
  expect(chooseItinerary({ failed: true, canceled: true, rollback: true, stage: true })).toBe("Failed");
  expect(chooseItinerary({ failed: false, canceled: true, rollback: true, stage: true })).toBe("Cancel");
  expect(chooseItinerary({ failed: false, canceled: false, rollback: true, stage: false })).toBe("Rollback");
  const none = { failed: false, canceled: false, rollback: false };
  expect(chooseItinerary({ ...none, stage: true })).toBe("Stage");
  expect(chooseItinerary({ ...none, stage: false })).toBe("Final");
});

test("texts of the resource: an empty phase is Created, an odd itinerary is none", () => {
  expect(phaseOf("")).toBe("Created");
  expect(phaseOf(undefined)).toBe("Created");
  expect(phaseOf("StageBackupFailed")).toBeUndefined();
  expect(itineraryNamed("Rollback")).toBe("Rollback");
  expect(itineraryNamed("constructor")).toBeUndefined();
});
