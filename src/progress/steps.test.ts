import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import type { State } from "./operation.ts";
import { kindWord, skipReason, stepsOf, titleOf } from "./steps.ts";

test.each([
  ["step", "VolumeBackup", "Back up volumes"],
  ["step", "StageBackup", "Back up volumes"],
  ["step", "CleanupHelpers", "Clean up helpers"],
  ["step", "SomethingNew", "SomethingNew"],
  ["items", "storing objects", "Storing objects"],
  ["phase", "dump", "Dump"],
  ["podvolumebackup", "shop/db-0: data", "shop/db-0: data"],
  ["type", "deployments.apps", "deployments.apps"],
  ["backup", "Backup nightly", "Backup nightly"],
])("[WD11] the %s %s is titled %s", (kind, title, want) => {
  expect(titleOf(anOperation("a", { kind, title }))).toBe(want);
});

test("stepsOf() takes the phases of an action set with one action", () => {
  const phases = [anOperation("dump", { kind: "phase" })];
  const action = anOperation("backup", { kind: "action", children: phases });
  expect(stepsOf(anOperation("s", { children: [action] }))).toBe(phases);
  expect(stepsOf(anOperation("s", { children: [action, action] }))).toHaveLength(2);
});

test.each([
  ["completed", ["completed", "skipped"], "nothing to do"],
  ["failed", ["failed", "skipped"], "after the failure"],
  ["canceled", ["canceled", "skipped"], "after the cancel"],
  ["failed", ["skipped", "skipped"], "never started"],
  ["completed", ["completed", "completed"], ""],
] as const)("skipReason() in a %s run of %j is %j", (whole, states, want) => {
  const children = states.map((state: State, i) => anOperation(`${i}`, { kind: "step", state }));
  const [, last] = children;
  expect(last && skipReason(last, anOperation("m", { state: whole, children }))).toBe(want);
});

test("kindWord() is the word for a person", () => {
  expect(["actionset", "backup", "dataupload"].map(kindWord)).toEqual(["Action", "Backup", "Volume"]);
});
