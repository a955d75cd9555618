import { expect, test } from "vitest";
import { settle, TestClock } from "../../test/harness/clock.ts";
import type { PodVolumeBackup } from "../api/index.ts";
import { AppError } from "../errors.ts";
import { Canceled, type MergePatch, type StatusTarget } from "../kube/index.ts";
import type { Look } from "../movers/index.ts";
import { Reporter } from "../report/index.ts";
import { Copy, type Telling, type Transferred } from "./copy.ts";
import { Slots } from "./slots.ts";

interface Said {
  readonly patch: MergePatch & { status?: Record<string, unknown>; metadata?: Record<string, unknown> };
  readonly phase?: string | undefined;
  readonly final?: boolean;
}

function world(
  transfer: (telling: Telling, signal: AbortSignal) => Promise<Transferred>,
  progress?: { totalBytes: number; bytesDone: number },
  measure?: (signal: AbortSignal) => Promise<number | undefined>,
) {
  const said: Said[] = [];
  const clock = new TestClock();
  const slots = new Slots(1);
  const object: PodVolumeBackup = {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { name: "b-1", namespace: "velero", uid: "u", finalizers: ["mine"] },
    ...(progress && {
      status: { phase: "InProgress" as const, startTimestamp: "2026-01-01T00:00:00Z", progress },
    }),
  };
  const status = {
    offer: (_target: StatusTarget, patch: MergePatch, phase?: string) => void said.push({ patch, phase }),
    finish: async (_target: StatusTarget, patch: MergePatch) => void said.push({ patch, final: true }),
    flush: async () => undefined,
    forget: async () => undefined,
  };
  let unlocks = 0;
  const copy = new Copy({
    object,
    finalizer: "velero.io/pod-volume-finalizer",
    node: "n1",
    report: new Reporter({ status, clock }),
    clock,
    slots,
    transfer,
    ...(measure && { measure }),
    unlock: async () => void (unlocks += 1),
  });
  return { copy, said, clock, slots, unlocks: () => unlocks };
}

const forever = new AbortController().signal;
const well: Transferred = { bytes: 100, status: { snapshotID: "s" } };
const last = (said: readonly Said[]) => said.at(-1);
const progressOf = (said: readonly Said[]) => said.flatMap(({ patch }) => patch.status?.["progress"] ?? []);

test("run() goes from InProgress over the first total to the whole, and only then to the whole", async () => {
  const { copy, said } = world(async ({ sample }) => {
    sample({ unit: "bytes", done: 10 });
    sample({ unit: "bytes", done: 20, total: 100 });
    sample({ unit: "bytes", done: 20, total: 100 });
    sample({ unit: "bytes", done: 100, total: 100 });
    return well;
  });
  await copy.run(forever);
  expect(said.map(({ phase, final }) => (final ? "end" : phase?.trim()))).toEqual([
    "InProgress",
    "InProgress",
    "InProgress measured",
    "InProgress measured",
    "end",
  ]);
  expect(progressOf(said)).toEqual([
    { bytesDone: 10 },
    { bytesDone: 20, totalBytes: 100 },
    { bytesDone: 99, totalBytes: 100 },
    { bytesDone: 100, totalBytes: 100 },
  ]);
  expect(last(said)).toMatchObject({
    patch: { metadata: { finalizers: ["mine"] }, status: { phase: "Completed", snapshotID: "s" } },
  });
  expect(said[0]?.patch.metadata?.["finalizers"]).toEqual(["mine", "velero.io/pod-volume-finalizer"]);
});

test("run() goes on from the numbers of an earlier life", async () => {
  const { copy, said } = world(
    async ({ sample }) => {
      sample({ unit: "bytes", done: 5, total: 100 });
      sample({ unit: "bytes", done: 60, total: 100 });
      return well;
    },
    { totalBytes: 100, bytesDone: 50 },
  );
  await copy.run(forever);
  expect(progressOf(said)).toEqual([
    { bytesDone: 50, totalBytes: 100 },
    { bytesDone: 60, totalBytes: 100 },
    { bytesDone: 100, totalBytes: 100 },
  ]);
  expect(said[0]?.patch.status?.["startTimestamp"]).toBe("2026-01-01T00:00:00Z");
});

test("run() tries a mover that died again, and removes locks of the dead", async () => {
  const errors = [new AppError("MOVER_EXIT", "killed by SIGKILL"), new AppError("MOVER_LOCKED", "locked")];
  const { copy, said, clock, unlocks } = world(async () => {
    const error = errors.shift();
    if (error) throw error;
    return well;
  });
  const done = copy.run(forever);
  await clock.advance(20_000);
  await done;
  expect(unlocks()).toBe(1);
  const notes = said.map(({ patch }) => patch.metadata?.["annotations"]).filter(Boolean);
  expect(notes).toEqual([
    { "headway.dev/stall": expect.stringContaining("mover-gone") },
    { "headway.dev/stall": expect.stringContaining("lock-held") },
    { "headway.dev/busy": null, "headway.dev/stall": null },
  ]);
  expect(last(said)?.patch.status?.["phase"]).toBe("Completed");
});

test("run() tells what a person has to mend", async () => {
  const { copy, said } = world(() => Promise.reject(new AppError("MOVER_PASSWORD", "wrong password")));
  await copy.run(forever);
  expect(last(said)).toMatchObject({ patch: { status: { phase: "Failed", message: "wrong password" } } });
});

test("run() says that the mover is silent, and that it is not any more", async () => {
  const end = Promise.withResolvers<Transferred>();
  let tell: Telling | undefined;
  const { copy, said, clock } = world((telling) => {
    tell = telling;
    return end.promise;
  });
  const done = copy.run(forever);
  await settle();
  tell?.sample({ unit: "bytes", done: 1, total: 9 });
  await clock.advance(15_000);
  expect(last(said)?.patch.metadata?.["annotations"]).toBeUndefined();
  await clock.advance(10_000);
  expect(last(said)?.patch.metadata?.["annotations"]).toEqual({
    "headway.dev/stall": expect.stringContaining("mover-silent"),
  });
  tell?.sample({ unit: "bytes", done: 2, total: 9 });
  expect(said.at(-2)?.patch.metadata?.["annotations"]).toEqual({ "headway.dev/stall": null });
  end.resolve(well);
  await done;
  expect(clock.waiting).toBe(0);
});

/** A run of a mover that looks once a second at a process, as `look` makes it. */
async function watched(seconds: number, look: (second: number) => Look) {
  const end = Promise.withResolvers<Transferred>();
  let tell: Telling | undefined;
  const { copy, said, clock } = world((telling) => {
    tell = telling;
    return end.promise;
  });
  const done = copy.run(forever);
  await settle();
  tell?.sample({ unit: "bytes", done: 1, total: 9 });
  for (let second = 0; second < seconds; second += 1) {
    tell?.look(look(second), 2 ** 22 + 1);
    await clock.advance(1_000);
  }
  const notes = said.flatMap(({ patch }) => (patch.metadata?.["annotations"] as object | undefined) ?? []);
  end.resolve(well);
  await done;
  return { notes, last: last(said)?.patch.metadata?.["annotations"] };
}

test("a copy whose numbers stand while its process works is no stall, and viewers hear of the work", async () => {
  const look = (second: number) => ({ state: "S", readBytes: second * 10_000, writtenBytes: 0 });
  const { notes, last: end } = await watched(120, look);
  const stalls = notes.filter((note) => "headway.dev/stall" in note);
  expect(stalls).toEqual([]);
  // Once in a while, not once a second.
  expect(notes.length).toBeGreaterThan(3);
  expect(notes.length).toBeLessThan(12);
  for (const note of notes) expect(note).toEqual({ "headway.dev/busy": expect.stringMatching(/^\d+$/) });
  expect(end).toEqual({ "headway.dev/busy": null, "headway.dev/stall": null });
});

test("what the process of a backup writes is told as it grows, and taken away with the end", async () => {
  const look = (second: number) => ({
    state: "S",
    readBytes: 9e9,
    writtenBytes: second < 5 ? second * 1_000 : second * 1e6,
  });
  const { notes, last: end } = await watched(10, look);
  const told = notes.flatMap((note) => ("headway.dev/carried-bytes" in note ? [Object.values(note)] : []));
  expect(told).toEqual(["5000000", "6000000", "7000000", "8000000", "9000000"].map((bytes) => [bytes]));
  expect(end).toEqual({
    "headway.dev/busy": null,
    "headway.dev/carried-bytes": null,
    "headway.dev/stall": null,
  });
});

test("a mover that somebody stopped is told at once", async () => {
  const look = (second: number) => ({
    state: second < 5 ? "R" : "T",
    readBytes: Math.min(second, 5) * 10_000,
    writtenBytes: 0,
  });
  const { notes } = await watched(9, look);
  expect(notes).toEqual([{ "headway.dev/stall": expect.stringContaining("mover-silent") }]);
});

test.each([
  ["a cancel is written", new Canceled("canceled: by request"), "Canceled"],
  ["the agent's end leaves the object as it is", new Error("the agent ends"), undefined],
])("run(): %s", async (_name, reason, phase) => {
  const stop = new AbortController();
  const { copy, said } = world(
    (_telling, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      ),
  );
  const done = copy.run(stop.signal);
  await settle();
  stop.abort(reason);
  await done;
  expect(said.find(({ final }) => final)?.patch.status?.["phase"]).toBe(phase);
});

test("run() says that it waits for a slot", async () => {
  const { copy, said, slots } = world(async () => well);
  const gate = Promise.withResolvers<void>();
  const other = slots.run(() => gate.promise, forever);
  const done = copy.run(forever);
  await settle();
  expect(said.map(({ phase }) => phase?.trim())).toEqual(["Prepared", "Prepared  step slot"]);
  gate.resolve();
  await Promise.all([other, done]);
  const phases = said.map(({ patch }) => patch.status?.["phase"]);
  expect([...new Set(phases)]).toEqual(["Prepared", "InProgress", "Completed"]);
});

const expectedOf = (said: readonly Said[]) =>
  said.flatMap(({ patch }) => {
    const { annotations } = (patch.metadata ?? {}) as { annotations?: Record<string, string> };
    return annotations?.["headway.dev/expected-bytes"] ?? [];
  });

test("a copy that waits for a slot is measured meanwhile, so that the whole knows its size", async () => {
  const { copy, said, slots } = world(
    async () => well,
    undefined,
    async () => 700,
  );
  const gate = Promise.withResolvers<void>();
  const other = slots.run(() => gate.promise, forever);
  const done = copy.run(forever);
  await settle();
  expect(expectedOf(said)).toEqual(["700"]);
  expect(last(said)?.patch.status?.["phase"], "it is measured, and has not begun").toBe("Prepared");
  gate.resolve();
  await Promise.all([other, done]);
  expect(expectedOf(said), "once").toEqual(["700"]);
});

test.each([
  ["cannot be measured", () => Promise.reject(new Error("no folder")), undefined],
  ["holds nothing", async () => 0, undefined],
  ["was measured by its mover in an earlier life", async () => 700, { totalBytes: 100, bytesDone: 50 }],
])("nothing is expected of a volume that %s", async (_name, measure, progress) => {
  const { copy, said } = world(async () => well, progress, measure);
  await copy.run(forever);
  expect(expectedOf(said)).toEqual([]);
  expect(last(said)?.patch.status?.["phase"]).toBe("Completed");
});

test("what is measured after the end is not told", async () => {
  const late = Promise.withResolvers<number>();
  let signal: AbortSignal | undefined;
  const { copy, said } = world(
    async () => well,
    undefined,
    (stop) => {
      signal = stop;
      return late.promise;
    },
  );
  await copy.run(forever);
  expect(signal?.aborted).toBe(true);
  late.resolve(700);
  await settle();
  expect(last(said)?.final).toBe(true);
});
