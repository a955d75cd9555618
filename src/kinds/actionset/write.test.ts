import { expect, test } from "vitest";
import type { ActionSet, ActionState } from "../../api/index.ts";
import { percentText, type Sample, type Tracked, track } from "../../progress/index.ts";
import { readActionSet } from "./read.ts";
import { type SetTold, tellActionSet } from "./tell.ts";
import { type ActionSetFacts, type PhaseFacts, patchActionSet, writeActionSet } from "./write.ts";

const set: ActionSet = {
  apiVersion: "cr.kanister.io/v1alpha1",
  kind: "ActionSet",
  metadata: { name: "backup-x", namespace: "kanister", uid: "u1" },
};
const at = (text: string) => Date.parse(text);
const nowMs = at("2023-02-20T12:49:55Z");
const now = "2023-02-20T12:49:55Z";
const artifacts = {
  mysqlCloudDump: { keyValue: { s3path: "{{ .Phases.dumpToObjectStore.Output.s3path }}" } },
};
const object = { kind: "statefulset", name: "mysql", namespace: "mysql" };

type Phase = SetTold["actions"][number]["phases"][number] & PhaseFacts;
type Action = Omit<ActionSetFacts["actions"][number], "phases" | "deferPhase"> & {
  readonly object: typeof object;
  readonly phases: readonly Phase[];
  readonly deferPhase?: Phase;
};
interface Known extends SetTold {
  readonly actions: readonly Action[];
}

/** Folds and writes as the reporter does. */
class Run {
  tracked: Tracked | undefined;
  status: NonNullable<ActionSet["status"]> = {};

  tell(known: Known, atMs = nowMs, percent: ActionSetFacts["percent"] = "decimal") {
    this.tracked = track(this.tracked, tellActionSet(set, known), atMs);
    const facts = { ...known, percent, at: atMs };
    this.status = writeActionSet(this.tracked.operation, facts, this.status);
    return this.status;
  }
}

const hundredths = (done: number): Sample => ({ unit: "steps", done, total: 10_000 });

/** An example: three phases, the first complete, the second at 30 %. */
function example(dump: Phase): Known {
  const phases: Phase[] = [
    { name: "updatePermissions", state: "complete" },
    dump,
    { name: "cleanup", state: "pending" },
  ];
  return {
    state: "running",
    error: "",
    actions: [{ name: "backup", blueprint: "mysql-blueprint", object, artifacts, phases }],
  };
}
const dumping = example({
  name: "dumpToObjectStore",
  state: "running",
  work: {
    progress: { unit: "bytes", done: 30_000_000, total: 100_000_000 },
    uploadedBytes: 50_000,
    uploadTotalBytes: 100_000_000,
    etaSeconds: 120,
  },
});

test("an example is written field for field: 100.00, 30.00 and pending make 43.33", () => {
  const run = new Run();
  run.tell(example({ name: "dumpToObjectStore", state: "pending" }), at("2023-02-20T12:48:55Z"));
  expect(run.tell(dumping, at("2023-02-20T12:49:55Z"))).toEqual({
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
  const status = new Run().tell(dumping, nowMs, "integer");
  expect(status.progress?.percentCompleted).toBe("43");
  expect(status.actions?.[0]?.phases?.[1]?.progress).toMatchObject({
    progressPercent: "30",
    estimatedTimeSeconds: 120,
    estinatedTimeSeconds: 120,
  });
});

test("a process that takes it up writes what the one before it wrote, without having been told a number", () => {
  const { status } = Object.assign(new Run(), { status: new Run().tell(dumping) });
  const again = new Run();
  again.tracked = track(undefined, readActionSet({ ...set, status }), nowMs + 60_000);
  again.status = status;
  const eta = { estimatedTimeSeconds: 120 };
  const written = again.tell(example({ name: "dumpToObjectStore", state: "running" }), nowMs + 60_000);
  // How long the mover takes from here only the mover knows; that it is gone is a change.
  const dump = written.actions?.[0]?.phases?.[1];
  expect({ ...dump?.progress, ...eta }).toEqual({
    ...status.actions?.[0]?.phases?.[1]?.progress,
    lastTransitionTime: "2023-02-20T12:50:55Z",
  });
  expect(written.progress).toEqual(status.progress);
  expect(written.actions?.[0]?.progress).toEqual(status.actions?.[0]?.progress);
});

const phase = (state: ActionState, more: Partial<Phase> = {}): Phase => ({
  name: `p-${state}`,
  state,
  ...more,
});
const action = (...phases: Phase[]): Action => ({ name: "a", object, blueprint: "b", artifacts: {}, phases });
const write = (state: ActionState, ...actions: Action[]) =>
  new Run().tell({ state, actions, error: state === "failed" ? "no luck" : "" });

test("the set is the mean over all phases of all actions, and names all phases that run", () => {
  const status = write(
    "running",
    action(phase("complete"), phase("running", { work: { progress: hundredths(5_000), uploadedBytes: 5 } })),
    action(phase("running", { name: "other", work: { uploadedBytes: 7 } })),
  );
  expect(status.progress).toEqual({
    percentCompleted: "50.00",
    runningPhase: "p-running",
    runningPhases: ["p-running", "other"],
    sizeUploadedB: 12,
    lastTransitionTime: now,
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
    lastTransitionTime: now,
  });
});

test("a failed phase keeps its numbers without an estimate, and shows 100 never", () => {
  const work = { progress: hundredths(10_000), etaSeconds: 5, uploadedBytes: 3, step: "x" };
  const failed = phase("failed", { work });
  const status = write("failed", action(phase("complete"), failed, phase("pending")));
  expect(status.actions?.[0]?.phases?.[1]).toEqual({
    name: "p-failed",
    state: "failed",
    progress: { progressPercent: "99.99", sizeUploadedB: 3, lastTransitionTime: now },
  });
  expect(status.progress).toEqual({
    percentCompleted: "66.66",
    sizeUploadedB: 3,
    lastTransitionTime: now,
  });
  expect(status.actions?.[0]?.phases?.[2]).toEqual({ name: "p-pending", state: "pending" });
});

test("no actions, no phases: no division by nothing", () => {
  expect(write("running").progress).toEqual({ percentCompleted: "0.00", lastTransitionTime: now });
  expect(write("complete").progress).toEqual({ percentCompleted: "100.00", lastTransitionTime: now });
  expect(write("pending", action(phase("pending"))).progress).toEqual({});
});

test("what a phase waits for is its step", () => {
  const waiting = phase("running", { work: { step: "starting", waitingFor: "image x is not there" } });
  expect(write("running", action(waiting)).actions?.[0]?.phases?.[0]?.step).toBe("image x is not there");
});

test("bytes that went to the store never become less, and what is gone from the patch is said", () => {
  const run = new Run();
  const sent = (uploadedBytes: number, uploadTotalBytes?: number): Known => ({
    state: "running",
    error: "",
    actions: [action(phase("running", { work: { uploadedBytes, uploadTotalBytes } }))],
  });
  run.tell(sent(900, 1_000));
  expect(run.tell(sent(400)).progress).toMatchObject({ sizeUploadedB: 900, estimatedUploadSizeB: 1_000 });
  expect(run.tell(sent(950)).actions?.[0]?.phases?.[0]?.progress).toMatchObject({ sizeUploadedB: 950 });
  const ended = { ...sent(950), actions: [action(phase("complete", { name: "p-running" }))] };
  const { operation } = track(run.tracked, tellActionSet(set, ended), nowMs);
  const patch = patchActionSet(operation, { ...ended, percent: "decimal", at: nowMs }, run.status);
  expect(patch).toMatchObject({ progress: { runningPhase: null, sizeUploadedB: 950 } });
});

test("a canceled set ends the phase that ran, and leaves those that never began pending", () => {
  const run = new Run();
  const begun = phase("running", { name: "dump", startedAt: nowMs - 60_000 });
  const known: Known = { state: "running", error: "", actions: [action(begun, phase("pending"))] };
  run.tell(known);
  const status = run.tell({ ...known, state: "failed", error: "canceled by request" });
  expect(status).toMatchObject({ state: "failed", error: { message: "canceled by request" } });
  expect(status.actions?.[0]?.phases).toMatchObject([
    { state: "failed", startTime: "2023-02-20T12:48:55Z", endTime: now },
    { state: "pending" },
  ]);
  expect(status.actions?.[0]?.phases?.[1]).not.toHaveProperty("endTime");
});

test("the pods of a function make its phase: bytes are added up, and it waits when all of them wait", () => {
  const bytes = (done: number, total: number) => ({
    progress: { unit: "bytes", done, total } as const,
    uploadedBytes: done,
    uploadTotalBytes: total,
  });
  const wait = { waitingFor: "the repository has not answered for 25 s" };
  const over = (first: object, second: object) =>
    write(
      "running",
      action(
        phase("running", {
          work: { step: "0 of 2 pods done" },
          parts: [
            { name: "db-0", state: "running", work: { ...bytes(10, 20), ...first } },
            { name: "db-1", state: "running", work: { ...bytes(10, 80), ...second } },
          ],
        }),
      ),
    ).actions?.[0]?.phases?.[0];
  expect(over({}, wait)).toMatchObject({
    step: "0 of 2 pods done",
    progress: { progressPercent: "20.00", sizeUploadedB: 20, estimatedUploadSizeB: 100 },
  });
  expect(over(wait, wait)?.step).toBe(wait.waitingFor);
  // Where one does not count, one pod is worth as much as another.
  expect(over({ progress: undefined }, {})?.progress?.progressPercent).toBe("6.25");
});

test.each([
  [1, "100.00", "100"],
  [0.301, "30.10", "30"],
  [0.082, "8.20", "8"],
  [0, "0.00", "0"],
  [0.99999, "99.99", "99"],
  [2 / 3, "66.66", "66"],
  [3, "100.00", "100"],
])("a share of %d is written as %s, cut off", (share, decimal, integer) => {
  expect(percentText(share, 2)).toBe(decimal);
  expect(percentText(share, 0)).toBe(integer);
});
