import { expect, test } from "vitest";
import { handlers } from "./handlers.ts";
import type { Flags, ItineraryName } from "./itinerary.ts";
import type { Run } from "./run.ts";
import { advanceRun, beginRun, type RunStatus } from "./run-state.ts";
import { applyOutcome, settled } from "./turn.ts";

const now = Date.parse("2026-11-15T10:00:00Z");

/** A run at its phase Started: what that phase makes of it, and how the run ends then. */
async function start(itinerary: ItineraryName, volumes: boolean): Promise<RunStatus> {
  const flags: Flags = { volumes, stagePods: false, quiesce: false, verify: false, undo: false };
  let status = advanceRun(beginRun({}, itinerary, now), flags, now);
  // Only these are looked at.
  const run = { migration: { status }, flags } as unknown as Run;
  status = applyOutcome(status, await handlers.Started(run, new AbortController().signal), () => flags, now);
  while (status.phase !== "Completed") status = advanceRun(status, flags, now);
  return settled(status, [], now);
}

test("a stage run without volumes says that it does nothing", async () => {
  const { conditions, pipeline } = await start("Stage", false);
  expect(conditions?.map(({ type, category, durable }) => [type, category, durable])).toEqual([
    ["StageNoOp", "Warn", true],
    ["SucceededWithWarnings", "Advisory", true],
  ]);
  expect(pipeline?.[0]).toMatchObject({ name: "Prepare", warnings: [expect.stringContaining("no volumes")] });
});

test.each([
  ["StageBackupCreated", false, undefined],
  ["EnsureFinalRestore", false, undefined],
  ["FinalRestoreCreated", false, "Completed"],
  ["FinalRestoreCreated", true, undefined],
  ["Verification", false, "Completed"],
] as const)("after a failure in %s with roll-back: %s the next phase is %s", async (reason, rollback, to) => {
  const conditions = [
    { type: "Failed", status: "True", category: "Advisory", reason, lastTransitionTime: "" },
  ];
  // Only these are looked at.
  const run = { migration: { status: { conditions } }, settings: { rollback } } as unknown as Run;
  const outcome = await handlers.MigrationFailed(run, new AbortController().signal);
  expect(outcome).toEqual(to === undefined ? { do: "advance" } : { do: "advance", to });
});

test.each([
  ["Stage", true],
  ["Final", false],
] as const)("a %s run with volumes: %s has nothing to say about it", async (itinerary, volumes) => {
  const { conditions } = await start(itinerary, volumes);
  expect(conditions?.map(({ type }) => type)).toEqual(["Succeeded"]);
});
