import { expect, test } from "vitest";
import { type ActionRun, type PhaseState, readStatus, type SetState, writeStatus } from "./status.ts";

const at = (text: string) => Date.parse(text);
const decimal = { percent: "decimal" } as const;
const artifacts = {
  mysqlCloudDump: { keyValue: { s3path: "{{ .Phases.dumpToObjectStore.Output.s3path }}" } },
};
const object = { kind: "statefulset", name: "mysql", namespace: "mysql" };

/** The example of the design: three phases, the first complete, the second at 30 %. */
const example: SetState = {
  state: "running",
  error: "",
  changedAt: at("2023-02-20T12:49:55Z"),
  actions: [
    {
      name: "backup",
      blueprint: "mysql-blueprint",
      object,
      artifacts,
      phases: [
        { name: "updatePermissions", state: "complete", changedAt: at("2023-02-20T12:48:55Z") },
        {
          name: "dumpToObjectStore",
          state: "running",
          changedAt: at("2023-02-20T12:49:55Z"),
          progress: {
            percent: 30,
            uploadedBytes: 50_000,
            uploadTotalBytes: 100_000_000,
            etaSeconds: 120,
          },
        },
        { name: "cleanup", state: "pending" },
      ],
    },
  ],
};

test("the design's example is written field for field: 100.00, 30.00 and pending make 43.33", () => {
  expect(writeStatus(example, decimal)).toEqual({
    state: "running",
    actions: [
      {
        name: "backup",
        blueprint: "mysql-blueprint",
        object,
        artifacts,
        phases: [
          {
            name: "updatePermissions",
            state: "complete",
            progress: { progressPercent: "100.00", lastTransitionTime: "2023-02-20T12:48:55Z" },
          },
          {
            name: "dumpToObjectStore",
            state: "running",
            progress: {
              progressPercent: "30.00",
              lastTransitionTime: "2023-02-20T12:49:55Z",
              sizeUploadedB: 50_000,
              estimatedTimeSeconds: 120,
              estimatedUploadSizeB: 100_000_000,
            },
          },
          { name: "cleanup", state: "pending" },
        ],
        progress: {
          percentCompleted: "43.33",
          runningPhase: "dumpToObjectStore",
          lastTransitionTime: "2023-02-20T12:49:55Z",
          sizeUploadedB: 50_000,
          estimatedUploadSizeB: 100_000_000,
        },
      },
    ],
    error: { message: "" },
    progress: {
      lastTransitionTime: "2023-02-20T12:49:55Z",
      percentCompleted: "43.33",
      runningPhase: "dumpToObjectStore",
      sizeUploadedB: 50_000,
      estimatedUploadSizeB: 100_000_000,
    },
  });
});

test("whole percents are for programs with upstream's types, which misspell the estimate", () => {
  const status = writeStatus(example, { percent: "integer" });
  expect(status.progress?.percentCompleted).toBe("43");
  expect(status.actions?.[0]?.phases?.[1]?.progress).toMatchObject({
    progressPercent: "30",
    estimatedTimeSeconds: 120,
    estinatedTimeSeconds: 120,
  });
});

test("readStatus() takes up what writeStatus() wrote", () => {
  const again = readStatus(writeStatus(example, decimal));
  expect(writeStatus(again ?? example, decimal)).toEqual(writeStatus(example, decimal));
});

test("readStatus() reads what Go writes, and nothing out of nothing", () => {
  expect(readStatus(undefined)).toBeUndefined();
  const set = readStatus({
    state: "running",
    actions: [
      { name: "a", phases: [{ name: "p", state: "completed", progress: {} }], deferPhase: { name: "" } },
    ],
  });
  expect(set?.actions[0]).toMatchObject({ phases: [{ name: "p", state: "complete" }] });
  expect(set?.actions[0]?.deferPhase).toBeUndefined();
});

const phase = (state: PhaseState["state"], more: Partial<PhaseState> = {}): PhaseState => ({
  name: `p-${state}`,
  state,
  ...more,
});
const action = (...phases: PhaseState[]): ActionRun => ({
  name: "a",
  object,
  blueprint: "b",
  artifacts: {},
  phases,
});
const write = (state: SetState["state"], ...actions: ActionRun[]) =>
  writeStatus({ state, actions, error: "" }, decimal);

test("the set is the mean over all phases of all actions, and names all phases that run", () => {
  const status = write(
    "running",
    action(phase("complete"), phase("running", { progress: { percent: 50, uploadedBytes: 5 } })),
    action(phase("running", { name: "other", progress: { uploadedBytes: 7 } })),
  );
  expect(status.progress).toEqual({
    percentCompleted: "50.00",
    runningPhase: "p-running",
    runningPhases: ["p-running", "other"],
    sizeUploadedB: 12,
  });
});

test("a set whose phases are complete shows 99.99 until it has ended, and the deferred phase as running", () => {
  const deferring = { ...action(phase("complete")), deferPhase: phase("running", { name: "cleanup" }) };
  expect(write("running", deferring).progress).toMatchObject({
    percentCompleted: "99.99",
    runningPhase: "cleanup",
  });
  expect(write("complete", { ...deferring, deferPhase: phase("complete") }).progress).toEqual({
    percentCompleted: "100.00",
  });
});

test("a failed phase keeps its numbers without an estimate, and shows 100 never", () => {
  const failed = phase("failed", { progress: { percent: 100, etaSeconds: 5, uploadedBytes: 3, step: "x" } });
  const status = write("failed", action(phase("complete"), failed, phase("pending")));
  expect(status.actions?.[0]?.phases?.[1]).toEqual({
    name: "p-failed",
    state: "failed",
    progress: { progressPercent: "99.99", sizeUploadedB: 3 },
  });
  expect(status.progress).toEqual({ percentCompleted: "66.66", sizeUploadedB: 3 });
});

test("no actions, no phases: no division by nothing", () => {
  expect(write("running").progress).toEqual({ percentCompleted: "0.00" });
  expect(write("complete").progress).toEqual({ percentCompleted: "100.00" });
  expect(write("pending", action(phase("pending"))).progress).toEqual({});
});

test("what a phase waits for is its step", () => {
  const waiting = phase("running", { progress: { step: "starting", waitingFor: "image x is not there" } });
  expect(write("running", action(waiting)).actions?.[0]?.phases?.[0]?.step).toBe("image x is not there");
});
