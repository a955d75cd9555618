import { expect, test } from "vitest";
import { findCondition } from "../../api/index.ts";
import type { Flags, PhaseName } from "./itinerary.ts";
import {
  advanceRun,
  beginRun,
  failRun,
  isOver,
  type RunStatus,
  reportRun,
  settle,
  switchRun,
  wantedItinerary,
  warnRun,
  whereIs,
} from "./run-state.ts";

const everything: Flags = { volumes: true, stagePods: true, quiesce: true, verify: true, undo: true };
const nothing: Flags = { volumes: false, stagePods: false, quiesce: false, verify: false, undo: false };
const begun = Date.parse("2026-11-15T10:00:00Z");
const at = (seconds: number) => new Date(begun + seconds * 1000).toISOString().replace(".000", "");
const settled = (status: RunStatus, now: number): RunStatus => ({
  ...status,
  conditions: settle(status, [], now),
});

/** Walks to a phase, one second a phase. */
function walk(itinerary: "Final" | "Stage", flags: Flags, to: PhaseName): { status: RunStatus; now: number } {
  let status = settled(beginRun({}, itinerary, begun), begun);
  let now = begun;
  while (whereIs(status)?.phase !== to) {
    now += 1000;
    status = settled(advanceRun(status, flags, now), now);
    if (isOver(status) && to !== "Completed") throw new Error(`never came to ${to}`);
  }
  return { status, now };
}

const brief = (status: RunStatus) =>
  (status.pipeline ?? []).map((step) =>
    Object.fromEntries(
      Object.entries(step).filter(([key]) => !["phases", "lastProgressAt", "details"].includes(key)),
    ),
  );

test("scenario 1: a run without issues ends with six completed steps", () => {
  const { status } = walk("Final", everything, "Completed");
  expect(status).toMatchObject({
    itinerary: "Final",
    phase: "Completed",
    step: "Final",
    startTimestamp: at(0),
  });
  expect(status.conditions?.map(({ type, reason, durable }) => ({ type, reason, durable }))).toEqual([
    { type: "Succeeded", reason: "Completed", durable: true },
  ]);
  expect(brief(status)).toEqual([
    { name: "Prepare", started: at(0), completed: at(4), message: "Completed" },
    { name: "Backup", started: at(4), completed: at(7), message: "Completed" },
    { name: "VolumeBackup", started: at(7), completed: at(19), message: "Completed" },
    { name: "VolumeRestore", started: at(19), completed: at(23), message: "Completed" },
    { name: "Restore", started: at(23), completed: at(31), message: "Completed" },
    { name: "Final", started: at(31), completed: at(32), message: "Completed" },
  ]);
  expect(status.pipeline?.[1]?.phases).toEqual([
    { name: "PreBackupHooks", started: at(4), completed: at(5) },
    { name: "EnsureInitialBackup", started: at(5), completed: at(6) },
    { name: "InitialBackupCreated", started: at(6), completed: at(7) },
  ]);
});

test("scenario 1: a step keeps what its objects came to, and no line of a wait that is over", () => {
  const times = (seconds: number) => ({ startedAt: at(0), completedAt: at(seconds) });
  const object = (kind: string, name: string, done: number, unit: string, seconds: number) => {
    const counts = { done, total: done, unit, ...times(seconds) };
    return { kind, namespace: "om", name, state: "completed", objectPhase: "Completed", ...counts };
  };
  const wait = (kind: string, namespace: string, name: string, message: string) => ({
    details: [{ kind, namespace, name, message, remark: true }],
  });
  const stage = "Backup om/m1-stage: 9 out of estimated total of 9 objects backed up (41s)";
  const volume = "PodVolumeBackup om/m1-stage-ab: 1.05 GB out of 1.05 GB backed up (38s)";
  const initial = "Backup om/m1-initial: 26 out of estimated total of 26 objects backed up (8s)";
  const told: Partial<Record<PhaseName, Parameters<typeof reportRun>[1]>> = {
    EnsureCloudSecretPropagated: wait("BackupStorageLocation", "om", "s", "Waiting"),
    InitialBackupCreated: { details: [object("Backup", "m1-initial", 26, "items", 8)] },
    StagePodsCreated: {
      details: [{ kind: "Pod", namespace: "shop", name: "stage-a", state: "completed", message: "Running" }],
    },
    EnsureQuiesced: wait("Pod", "shop", "a", "Terminating"),
    StageBackupCreated: {
      details: [
        object("Backup", "m1-stage", 9, "items", 41),
        object("PodVolumeBackup", "m1-stage-ab", 1_050_000_000, "bytes", 38),
      ],
    },
    EnsureStageBackupReplicated: wait("Backup", "om", "m1-stage", "Not replicated to green"),
    EnsureStagePodsTerminated: wait("Pod", "shop", "stage-a", "Terminating"),
    Verification: wait("Deployment", "shop", "shop", "1/2 ready"),
  };
  let status = beginRun({}, "Final", begun);
  const during: Record<string, readonly string[] | undefined> = {};
  for (let now = begun; !isOver(status); now += 1000) {
    const phase = whereIs(status)?.phase ?? "Created";
    const report = told[phase];
    if (report) status = reportRun(status, report, now);
    during[phase] = status.pipeline?.find(({ name }) => name === status.step)?.progress;
    status = advanceRun(status, everything, now);
  }
  expect(during).toMatchObject({
    EnsureCloudSecretPropagated: ["BackupStorageLocation om/s: Waiting"],
    StagePodsCreated: ["Pod shop/stage-a: Running"],
    EnsureQuiesced: ["Pod shop/a: Terminating"],
    StageBackupCreated: [stage, volume],
    EnsureStageBackupReplicated: [stage, volume, "Backup om/m1-stage: Not replicated to green"],
    Verification: ["Deployment shop/shop: 1/2 ready"],
  });
  expect(during["QuiesceApplications"]).toBeUndefined();
  expect(status.pipeline?.map(({ name, progress }) => ({ name, progress }))).toEqual([
    { name: "Prepare", progress: undefined },
    { name: "Backup", progress: [initial] },
    { name: "VolumeBackup", progress: [stage, volume] },
    { name: "VolumeRestore", progress: undefined },
    { name: "Restore", progress: undefined },
    { name: "Final", progress: undefined },
  ]);
});

test("scenario 2: a failure in StageBackupCreated skips what follows and ends in Final", () => {
  const walked = walk("Final", everything, "StageBackupCreated");
  const line = "Backup om/m1-stage: failed. 6 out of estimated total of 9 objects backed up (2m3s)";
  const detail = {
    kind: "Backup",
    namespace: "om",
    name: "m1-stage",
    state: "failed",
    objectPhase: "Failed",
    done: 6,
    total: 9,
    startedAt: at(0),
    completedAt: at(123),
  };
  let { status, now } = { ...walked, status: reportRun(walked.status, { details: [detail] }, walked.now) };
  status = settled(failRun(status, ["Backup om/m1-stage: failed."], now), now);
  expect(status).toMatchObject({ phase: "StageBackupFailed", step: "VolumeBackup", itinerary: "Final" });
  expect(findCondition(status.conditions, "Running")).toMatchObject({
    reason: "StageBackupFailed",
    message: "Step: 18/33",
  });
  expect(wantedItinerary({ spec: { stage: false, canceled: true }, status })).toBe("Failed");
  now += 1000;
  status = settled(switchRun(status, "Failed", everything, now), now);
  expect(findCondition(status.conditions, "Running")).toMatchObject({ message: "Step: 1/7" });
  now += 1000;
  status = settled(advanceRun(status, everything, now, "Completed"), now);
  expect(status).toMatchObject({
    itinerary: "Failed",
    phase: "Completed",
    step: "Final",
    errors: ["Backup om/m1-stage: failed."],
  });
  expect(status.conditions?.map(({ type, reason }) => ({ type, reason }))).toEqual([
    { type: "Failed", reason: "StageBackupCreated" },
  ]);
  const reason = "an earlier step failed";
  expect(brief(status)).toEqual([
    { name: "Prepare", started: at(0), completed: at(4), message: "Completed" },
    { name: "Backup", started: at(4), completed: at(7), message: "Completed" },
    {
      name: "VolumeBackup",
      started: at(7),
      completed: at(17),
      failed: true,
      phase: "StageBackupCreated",
      message: "Failed",
      progress: [line],
    },
    { name: "VolumeRestore", skipped: true, message: "Skipped", reason },
    { name: "Restore", skipped: true, message: "Skipped", reason },
    { name: "Final", started: at(18), completed: at(19), message: "Completed" },
  ]);
});

test("nothing of a canceled step is at work any more, and what Final does is not written into it", () => {
  const walked = walk("Stage", everything, "StageRestoreCreated");
  const phase = "StageRestoreCreated";
  const details = ["running", "pending", "completed"].map((state, i) => ({
    kind: "PodVolumeRestore",
    name: `r-${i}`,
    phase,
    state,
  }));
  let { status, now } = { ...walked, status: reportRun(walked.status, { details }, walked.now) };
  status = switchRun(status, "Cancel", everything, now + 1000);
  for (now += 2000; !isOver(status); now += 1000) status = advanceRun(status, everything, now);
  const step = status.pipeline?.find(({ name }) => name === "VolumeRestore");
  expect(step).toMatchObject({ canceled: true, message: "Canceled" });
  expect(step?.details?.map(({ state }) => state)).toEqual(["canceled", "canceled", "completed"]);
  expect(step?.phases?.map(({ name, started, completed }) => [name, !!started, !!completed])).toEqual([
    ["EnsureStageRestore", true, true],
    ["StageRestoreCreated", true, false],
    ["EnsureStagePodsDeleted", false, false],
    ["EnsureStagePodsTerminated", false, false],
  ]);
});

test("a cancel ends the step that it interrupts, and Final undoes the rest", () => {
  let { status, now } = walk("Stage", everything, "EnsureQuiesced");
  expect(wantedItinerary({ spec: { stage: true, canceled: true }, status })).toBe("Cancel");
  now += 1000;
  status = settled(switchRun(status, "Cancel", everything, now), now);
  expect(findCondition(status.conditions, "Running")).toMatchObject({
    reason: "Canceling",
    message: "Step: 1/10",
  });
  expect(
    brief(status).map(({ name, message, completed }) => ({ name, message, over: completed !== undefined })),
  ).toEqual([
    { name: "Prepare", message: "Completed", over: true },
    { name: "VolumeBackup", message: "Canceled", over: true },
    { name: "VolumeRestore", message: "Skipped", over: false },
    { name: "Final", message: "The migration is being canceled", over: false },
  ]);
  while (!isOver(status)) {
    now += 1000;
    status = settled(advanceRun(status, everything, now), now);
  }
  expect(brief(status).map(({ message }) => message)).toEqual([
    "Completed",
    "Canceled",
    "Skipped",
    "Completed",
  ]);
});

test("steps that have nothing to do are skipped with the reason", () => {
  const { status } = walk("Final", nothing, "Completed");
  expect(brief(status).filter(({ skipped }) => skipped)).toEqual(
    ["VolumeBackup", "VolumeRestore"].map((name) => ({
      name,
      skipped: true,
      message: "Skipped",
      reason: "the plan moves no persistent volumes",
    })),
  );
  expect(status.pipeline?.[2]?.phases?.every(({ skipped }) => skipped)).toBe(true);
});

test("the time of Running is when its phase was entered; progress does not move it", () => {
  const { status, now } = walk("Final", everything, "StageBackupCreated");
  const entered = findCondition(status.conditions, "Running")?.lastTransitionTime;
  const told = {
    ...status,
    conditions: (status.conditions ?? []).map((one) => ({ ...one, progress: "6/9" })),
  };
  const running = findCondition(settle(told, [], now + 60_000), "Running");
  expect(running).toMatchObject({ progress: "6/9", lastTransitionTime: entered, message: "Step: 18/33" });
});

test("reportRun() moves lastProgressAt with the numbers and the words, not with the clock", () => {
  const { status, now } = walk("Final", everything, "StageBackupCreated");
  const backup = { kind: "Backup", namespace: "a", name: "b", done: 1, total: 2, objectPhase: "InProgress" };
  const tell = (more: object, before: RunStatus, later: number) =>
    reportRun(before, { details: [{ ...backup, startedAt: at(0), ...more }] }, later);
  const stepOf = (of: RunStatus) => of.pipeline?.find(({ name }) => name === "VolumeBackup");
  const first = tell({}, status, now);
  const same = tell({}, first, now + 9000);
  expect(stepOf(same)?.progress).not.toEqual(stepOf(first)?.progress);
  expect(stepOf(same)?.lastProgressAt).toBe(stepOf(first)?.lastProgressAt);
  for (const more of [{ done: 2 }, { message: "slow" }, { objectPhase: "Finalizing" }]) {
    expect(stepOf(tell(more, first, now + 9000))?.lastProgressAt).not.toBe(stepOf(first)?.lastProgressAt);
  }
});

test("a warning of a run is told at its step and changes how it ends", () => {
  const { status, now } = walk("Final", everything, "FinalRestoreCreated");
  let warned = warnRun(
    status,
    { type: "VeleroFinalRestorePartiallyFailed", message: "the restore partially failed" },
    now,
  );
  expect(warned.pipeline?.find(({ name }) => name === "Restore")?.warnings).toEqual([
    "the restore partially failed",
  ]);
  while (!isOver(warned)) warned = settled(advanceRun(warned, everything, now), now);
  expect(warned.conditions?.map(({ type }) => type)).toEqual([
    "VeleroFinalRestorePartiallyFailed",
    "SucceededWithWarnings",
  ]);
});

test("settle() drops what no longer holds and keeps what is durable", () => {
  const condition = (type: string, durable: boolean) => ({
    type,
    status: "True",
    category: "Critical",
    lastTransitionTime: at(0),
    durable,
  });
  const status = {
    ...beginRun({}, "Final", begun),
    conditions: [condition("PlanNotReady", false), condition("StagePodsCreated", true)],
  };
  const types = settle(status, [{ type: "Ready", status: "True", category: "Required" }], begun).map(
    ({ type }) => type,
  );
  expect(types).toEqual(["StagePodsCreated", "Ready", "Running"]);
});
