import fc from "fast-check";
import { expect, test } from "vitest";
import type { Backup, PodVolumeBackup, Restore } from "../../api/index.ts";
import { look, type Tracked, track } from "../../progress/index.ts";
import { readVolume } from "../volume/read.ts";
import { readBackup, readRestore } from "./read.ts";

type BackupStatus = NonNullable<Backup["status"]>;
function backup(status: BackupStatus): Backup {
  return {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name: "nightly", namespace: "velero", uid: "u1" },
    spec: {},
    status,
  };
}

function volume(name: string, status: NonNullable<PodVolumeBackup["status"]>): PodVolumeBackup {
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { name, namespace: "velero", uid: name },
    spec: {
      node: "n1",
      pod: { kind: "Pod", namespace: "shop", name: "db-0" },
      volume: "data",
      backupStorageLocation: "default",
      repoIdentifier: "",
    },
    status,
  };
}

test.each([
  ["New", "pending"],
  ["Queued", "pending"],
  ["InProgress", "running"],
  ["WaitingForPluginOperations", "running"],
  ["Finalizing", "running"],
  ["Completed", "completed"],
  ["PartiallyFailed", "partially-failed"],
  ["Failed", "failed"],
  ["FailedValidation", "failed"],
] as const)("readBackup() reads phase %s as %s", (phase, state) => {
  expect(readBackup(backup({ phase }), []).state).toBe(state);
});

test("readBackup() tells a canceled backup from a failed one", () => {
  expect(readBackup(backup({ phase: "Failed", failureReason: "canceled by user" }), []).state).toBe(
    "canceled",
  );
});

test("readBackup() says what a queued backup waits for", () => {
  expect(readBackup(backup({ phase: "Queued", queuePosition: 3 }), []).waitingFor).toEqual({
    reason: "queue",
    message: "its turn, place 3 in the queue",
  });
});

test("readBackup() leaves out numbers that nobody has said", () => {
  const [items] = readBackup(backup({ phase: "InProgress" }), []).children ?? [];
  expect(items).toMatchObject({ id: "items", state: "running" });
  expect(items).not.toHaveProperty("progress");
});

test("readVolume() names the volume and what it waits for", () => {
  expect(readVolume(volume("v1", {}))).toMatchObject({
    title: "shop/db-0: data",
    state: "pending",
    waitingFor: { message: "a node agent to take it on node n1" },
  });
});

test.each([
  ['{"cause":"mover-silent","since":1}', ["mover-silent"]],
  ['{"cause":"boredom"}', []],
  ["no JSON", []],
  [undefined, []],
])("readVolume() takes the agent's note %j as evidence %j", (note, causes) => {
  const given = volume("v1", { phase: "InProgress" });
  const annotations = note === undefined ? {} : { "headway.dev/stall": note };
  expect(readVolume({ ...given, metadata: { ...given.metadata, annotations } }).signals).toEqual({
    causes,
  });
});

test("readBackup() marks the part that failed: the volumes where one did, else the items", () => {
  const status = { phase: "PartiallyFailed", errors: 2 } as const;
  const states = (copies: PodVolumeBackup[]) =>
    track(undefined, readBackup(backup(status), copies), 0).operation.children.map(
      ({ id, state, errors }) => [id, state, errors],
    );
  expect(states([volume("v1", { phase: "Completed" })])).toEqual([
    ["items", "partially-failed", 2],
    ["volumes", "completed", 0],
    ["finish", "completed", 0],
  ]);
  expect(states([volume("v1", { phase: "Failed" })])).toEqual([
    ["items", "completed", 0],
    ["volumes", "failed", 0],
    ["finish", "completed", 0],
  ]);
});

test("readBackup() marks no step of a backup that was refused: none began", () => {
  const { children } = readBackup(
    backup({ phase: "FailedValidation", validationErrors: ["no location"] }),
    [],
  );
  expect(children?.map(({ state }) => state)).toEqual(["skipped", "skipped"]);
});

test("readRestore() shows the phase's own words when it failed", () => {
  const restore: Restore = {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: "r", namespace: "velero" },
    spec: { backupName: "nightly" },
    status: { phase: "FailedValidation", validationErrors: ["no such backup"] },
  };
  expect(readRestore(restore, [])).toMatchObject({ state: "failed", message: "no such backup" });
});

/** A run as upstream writes it: totals that move, all items done long before the end, volumes after items. */
function* upstreamRun(seed: readonly number[]): Generator<{ backup: Backup; volumes: PodVolumeBackup[] }> {
  const [items = 10, bytes = 100, extra = 3, collapse = 2] = seed;
  yield { backup: backup({}), volumes: [] };
  yield { backup: backup({ phase: "InProgress" }), volumes: [] };
  for (const done of [0, 0.3, 0.6, 1]) {
    const totalItems = items + (done > 0.5 ? extra : 0);
    const itemsBackedUp = Math.floor(totalItems * done);
    yield {
      backup: backup({ phase: "InProgress", progress: { totalItems, itemsBackedUp } }),
      volumes: [
        volume("v1", {
          phase: "InProgress",
          progress: { bytesDone: Math.floor(bytes * done * 0.4), totalBytes: bytes },
        }),
      ],
    };
  }
  const progress = { totalItems: items - collapse, itemsBackedUp: items - collapse };
  for (const share of [0.6, 0.5, 1]) {
    yield {
      backup: backup({ phase: "InProgress", progress }),
      volumes: [
        volume("v1", {
          phase: "InProgress",
          progress: { bytesDone: Math.floor(bytes * share), totalBytes: bytes },
        }),
      ],
    };
  }
  const done = volume("v1", { phase: "Completed", progress: { bytesDone: bytes, totalBytes: bytes } });
  yield { backup: backup({ phase: "Finalizing", progress }), volumes: [done] };
  yield { backup: backup({ phase: "Completed", progress }), volumes: [done] };
}

test("a backup written by upstream never falls back and reads 100 % only at its end", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 4, max: 1e6 }), { minLength: 4, maxLength: 4 }), (seed) => {
      let tracked: Tracked | undefined;
      let before = 0;
      let now = 0;
      for (const { backup: seen, volumes } of upstreamRun(seed)) {
        now += 10_000;
        tracked = track(tracked, readBackup(seen, volumes), now);
        const { fraction = 0, state } = tracked.operation;
        expect(fraction).toBeGreaterThanOrEqual(before);
        if (state !== "completed") expect(fraction).toBeLessThan(1);
        before = fraction;
      }
      expect(tracked?.operation).toMatchObject({ state: "completed", fraction: 1 });
    }),
    { numRuns: 200 },
  );
});

test.each([
  ["at N of N, as newer servers do", { totalItems: 240, itemsBackedUp: 240 }],
  ["before the next item, as older servers do", { totalItems: 240, itemsBackedUp: 212 }],
])("a backup whose items wait for its volumes %s is not stalled while they move", (_how, progress) => {
  const [start, gib] = [Date.parse("2026-01-01T03:00:00Z"), 1024 ** 3];
  const startTimestamp = "2026-01-01T03:00:00Z";
  let tracked: Tracked | undefined;
  const observe = (second: number, volumeStatus: NonNullable<PodVolumeBackup["status"]>) => {
    const now = start + second * 1000;
    const seen = readBackup(backup({ phase: "InProgress", startTimestamp, progress }), [
      volume("v1", { startTimestamp: "2026-01-01T03:00:30Z", ...volumeStatus }),
    ]);
    tracked = track(tracked, seen, now);
    return look(tracked, now);
  };
  for (let second = 60; second < 3_600; second += 10) {
    const { stall, children } = observe(second, {
      phase: "InProgress",
      progress: { bytesDone: second * 1e6, totalBytes: 100 * gib },
    });
    expect(stall).toBeUndefined();
    expect(children.map((child) => child.stall)).toEqual([undefined, undefined, undefined]);
    // Met on its way, each step still tells when it began.
    expect(children.map(({ startedAt }) => startedAt)).toEqual([start, start + 30_000, undefined]);
  }
  // When the volumes are there and nothing follows, the wait is over and the silence counts.
  const bytes = { bytesDone: 100 * gib, totalBytes: 100 * gib };
  let after = observe(3_600, { phase: "Completed", progress: bytes });
  expect(after.stall).toBeUndefined();
  for (let second = 3_610; second < 4_800; second += 10) {
    after = observe(second, { phase: "Completed", progress: bytes });
  }
  expect(after.stall?.since).toBe(start + 3_600_000);
});
