import fc from "fast-check";
import { expect, test } from "vitest";
import type { PodVolumeBackup } from "../../api/index.ts";
import { isTerminal, type Observation, type State, type Tracked, track } from "../../progress/index.ts";
import { isVolumeEnded, volumePhaseFor, volumeStateOf } from "./phase.ts";
import { readVolume } from "./read.ts";
import { readStall, writeStall } from "./stall-note.ts";
import { writeVolume } from "./write.ts";

const copy: PodVolumeBackup = {
  apiVersion: "velero.io/v1",
  kind: "PodVolumeBackup",
  metadata: { name: "nightly-x", namespace: "velero", uid: "u1" },
  spec: {
    node: "n1",
    pod: { kind: "Pod", namespace: "shop", name: "db-0" },
    volume: "data",
    backupStorageLocation: "default",
    repoIdentifier: "",
  },
};

const states: readonly State[] = ["pending", "running", "completed", "failed", "canceled"];
const said = fc.record(
  {
    state: fc.constantFrom(...states),
    done: fc.integer({ min: 0, max: 2_000 }),
    total: fc.integer({ min: 1, max: 2_000 }),
  },
  { requiredKeys: ["state", "done"] },
);

function seen({ state, done, total }: { state: State; done: number; total?: number }): Observation {
  return {
    ...readVolume(copy),
    state,
    progress: { unit: "bytes", done, ...(total !== undefined && { total }) },
    startedAt: 5_000,
  };
}

test("[law] what is written of a copy is read back as the same operation, as far as the schema can hold it", () => {
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 12 }), (history) => {
      let tracked: Tracked | undefined;
      let status: PodVolumeBackup["status"];
      history.forEach((one, i) => {
        tracked = track(tracked, seen(one), 10_000 + i * 1_000);
        const before = status?.progress?.bytesDone ?? 0;
        const wasEnded = isVolumeEnded(status);
        status = writeVolume(tracked.operation, status) as PodVolumeBackup["status"]; // the schema's own shape
        const { operation } = tracked;
        const read = readVolume({ ...copy, ...(status && { status }) });
        expect(read.state).toBe(operation.state);
        expect(read.startedAt).toBe(operation.state === "pending" ? undefined : operation.startedAt);
        expect(read.finishedAt).toBe(operation.finishedAt);
        // In kubectl, too, no number falls and nothing is whole before it has ended well.
        const { done = 0, total } = read.progress ?? {};
        expect(done).toBeGreaterThanOrEqual(before);
        if (total !== undefined && !isTerminal(operation.state)) expect(done).toBeLessThan(total);
        if (operation.state === "completed" && !wasEnded) expect(done).toBe(total ?? done);
      });
    }),
  );
});

test.each(["pending", "running", "completed", "failed", "canceled"] as const)(
  "volumePhaseFor() writes %s as a phase that is read as the same state",
  (state) => {
    const status = { phase: volumePhaseFor(state) };
    expect(volumeStateOf(status)).toBe(state);
    expect(isVolumeEnded(status)).toBe(isTerminal(state));
  },
);

test.each([undefined, null, {}, { phase: "" }, { phase: null }])("volumeStateOf(%o) is pending", (status) => {
  expect(volumeStateOf(status)).toBe("pending");
  expect(isVolumeEnded(status)).toBe(false);
});

test("readStall() reads what writeStall() wrote, and nothing else", () => {
  const note = { cause: "lock-held", since: 5 } as const;
  const metadata = (annotations: Record<string, string | null>) =>
    ({ metadata: { ...copy.metadata, annotations } }) as PodVolumeBackup; // null is how a merge patch deletes
  expect(readStall(metadata(writeStall(note).annotations))).toEqual(note);
  expect(readStall({ metadata: { name: "x" } })).toBeUndefined();
  for (const text of ["", "null", "[]", '{"cause":"rm -rf"}', '{"cause":7}'])
    expect(readStall(metadata({ "headway.dev/stall": text })), text).toBeUndefined();
});

test("a copy that waits has the size that its restore knows, or the one that is expected of it, as a guess", () => {
  const size = { ...copy.spec, snapshotSize: 500 };
  const pvr = { ...copy, kind: "PodVolumeRestore", spec: size } as Parameters<typeof readVolume>[0];
  expect(readVolume(pvr).progress).toEqual({ unit: "bytes", done: 0, total: 500 });
  const annotations = { "headway.dev/expected-bytes": "700" };
  const waiting = { ...copy, metadata: { ...copy.metadata, annotations } };
  const seen = readVolume(waiting);
  expect(seen.progress).toEqual({ unit: "bytes", done: 0, total: 700, estimated: true });
  const { operation } = track(undefined, { ...seen, state: "running" }, 1000);
  expect(writeVolume(operation), "a guess is not written as upstream's total").not.toHaveProperty("progress");
  const status = { phase: "InProgress", progress: { totalBytes: 900, bytesDone: 1 } } as const;
  expect(readVolume({ ...waiting, status }).progress).toEqual({ unit: "bytes", done: 1, total: 900 });
});
