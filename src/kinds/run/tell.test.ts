import fc from "fast-check";
import { expect, test } from "vitest";
import type {
  Backup,
  PodVolumeBackup,
  PodVolumeRestore,
  Restore,
  VolumePluginRestore,
} from "../../api/index.ts";
import { adviceOf, headline, look, type Observation, track } from "../../progress/index.ts";
import { readBackup, readRestore } from "./read.ts";
import { type BackupTold, type RestoreTold, tellBackup, tellEnd, tellRestore } from "./tell.ts";

const metadata = { name: "r", namespace: "velero", uid: "u" };
const backup: Backup = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata,
  status: { phase: "InProgress" },
};
const restore: Restore = {
  apiVersion: "velero.io/v1",
  kind: "Restore",
  metadata,
  status: { phase: "InProgress" },
};

const storing: BackupTold = {
  step: "items",
  items: { done: 3, failed: 0, total: 10 },
  present: "configmaps shop/c3",
  volumes: [],
  warnings: 0,
  errors: 1,
};
const restoring: RestoreTold = {
  step: "items",
  archive: { done: 100, total: 100 },
  items: { totalItems: 10, itemsRestored: 4 },
  types: [
    { groupResource: "secrets", total: 3, done: 3 },
    { groupResource: "configmaps", total: 5, done: 1 },
  ],
  present: "configmaps shop/c1",
  volumes: [],
  warnings: 2,
  errors: 1,
};
const pvr: PodVolumeRestore = {
  apiVersion: "velero.io/v1",
  kind: "PodVolumeRestore",
  metadata: { name: "r-1", namespace: "velero", uid: "v" },
  status: { phase: "InProgress", progress: { bytesDone: 1, totalBytes: 4 } },
};
const childrenOf = (told: RestoreTold) => tellRestore(restore, told).children ?? [];

test("tellBackup() shows the steps so far, the present item beside the items", () => {
  const { children, state, errors } = tellBackup(backup, storing);
  expect({ state, errors }).toEqual({ state: "running", errors: 1 });
  expect(children?.map((child) => `${child.id} ${child.state}`)).toEqual([
    "collect completed",
    "items running",
    "finish pending",
  ]);
  expect(children?.[1]).toMatchObject({
    progress: { unit: "items", done: 3, total: 10 },
    message: "configmaps shop/c3",
  });
});

test("a step has the same name live, in watch mode and afterwards", () => {
  const namesOf = ({ children = [] }: Observation) => children.map(({ id, title }) => `${id}: ${title}`);
  const progress = { totalBytes: 4, bytesDone: 1 };
  const pvb: PodVolumeBackup = {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { name: "b-1", namespace: "velero" },
    status: { phase: "InProgress", progress },
  };
  const live = {
    backup: namesOf(tellBackup(backup, { ...storing, volumes: [pvb] })),
    restore: namesOf(tellRestore(restore, { ...restoring, volumes: [pvr] })),
  };
  for (const phase of ["InProgress", "Completed"] as const) {
    const seen = readBackup({ ...backup, status: { phase } }, [pvb]);
    expect(live.backup, phase).toEqual(expect.arrayContaining(namesOf(seen)));
    const brought = readRestore({ ...restore, status: { phase } }, [pvr]);
    expect(live.restore, phase).toEqual(expect.arrayContaining(namesOf(brought)));
    expect(namesOf(seen).length + namesOf(brought).length, phase).toBe(6);
  }
});

test("tellBackup() marks the items when they had errors, and not for errors that come later", () => {
  const states = (...tellings: BackupTold[]) =>
    tellings
      .reduce<ReturnType<typeof track> | undefined>(
        (was, told) => track(was, tellBackup(backup, told), 0),
        undefined,
      )
      ?.operation.children.map(({ id, state }) => `${id} ${state}`);
  const finishing: BackupTold = { ...storing, step: "finish" };
  expect(states(storing, finishing)).toEqual([
    "collect completed",
    "items partially-failed",
    "finish running",
  ]);
  expect(states({ ...storing, errors: 0 }, { ...finishing, errors: 0 }, finishing)?.[1]).toBe(
    "items completed",
  );
});

test("tellRestore() does not blame the items for a volume that failed", () => {
  const failed: PodVolumeRestore = { ...pvr, status: { phase: "Failed" } };
  const after = childrenOf({ ...restoring, step: "volumes", volumes: [failed] });
  expect(after.find(({ id }) => id === "items")?.state).toBe("completed");
});

test("tellEnd() leaves no item behind that could be taken for the reason of an end", () => {
  const running = track(undefined, tellBackup(backup, storing), 0);
  const { operation } = track(running, tellEnd(backup, { phase: "PartiallyFailed", errors: 1 }), 1);
  expect(operation).toMatchObject({ state: "partially-failed", errors: 1 });
  expect(operation.message).toBeUndefined();
  expect(operation.children.map(({ id }) => id)).toEqual(["collect", "items", "finish"]);
});

test("tellRestore() shows the steps there are, the types below the items, and what no type has yet", () => {
  const children = childrenOf(restoring);
  expect(children.map(({ id, state }) => `${id} ${state}`)).toEqual([
    "archive completed",
    "items running",
    "finish pending",
  ]);
  const types = children[1]?.children?.map(({ id, state, progress }) => [
    id,
    state,
    progress?.done,
    progress?.total,
  ]);
  expect(types).toEqual([
    ["secrets", "completed", 3, 3],
    ["configmaps", "running", 1, 5],
    ["others", "running", 0, 2],
  ]);
  expect(tellRestore(restore, restoring)).toMatchObject({ warnings: 2, errors: 1 });
});

test("tellRestore() shows volumes and hooks when there are any", () => {
  const ids = (more: Partial<RestoreTold>) => childrenOf({ ...restoring, ...more }).map(({ id }) => id);
  const all = ["archive", "items", "volumes", "hooks", "finish"];
  expect(ids({ volumes: [pvr], hooks: { done: 0, total: 2 } })).toEqual(all);
  expect(ids({ volumes: [], hooks: { done: 0, total: 0 } })).toEqual(["archive", "items", "finish"]);
});

test("tellRestore() has volumes running while objects are still restored, with the numbers of their objects", () => {
  const snapshot: VolumePluginRestore = {
    apiVersion: "velero.io/v1",
    kind: "VolumePluginRestore",
    metadata: {
      name: "r-2",
      namespace: "velero",
      annotations: { "headway.dev/persistent-volume": "pv-1" },
    },
    spec: { snapshotID: "s", plugin: "folder" } as VolumePluginRestore["spec"] & object, // what a title needs
    status: { phase: "Completed", volumeID: "v", progress: { bytesDone: 7, totalBytes: 7 } },
  };
  const volumes = childrenOf({ ...restoring, volumes: [pvr, snapshot] }).find(({ id }) => id === "volumes");
  expect(volumes).toMatchObject({
    state: "running",
    rule: "sum",
    children: [
      { id: "podvolumerestore/velero/r-1", progress: { unit: "bytes", done: 1, total: 4 } },
      { title: "pv-1 (folder)", state: "completed" },
    ],
  });
});

test("tellRestore() tells what the present step waits for", () => {
  const waits = (more: Partial<RestoreTold>) =>
    childrenOf({ ...restoring, waitingFor: "it", ...more }).flatMap(
      ({ waitingFor }) => waitingFor?.reason ?? [],
    );
  expect(waits({})).toEqual(["cluster"]);
  expect(waits({ step: "hooks", hooks: { done: 0, total: 1 } })).toEqual(["hook"]);
  expect(waits({ step: "finish" })).toEqual(["volume"]);
});

test("the types and the others make up the whole, and the whole never falls, whatever joins on the way", () => {
  const step = fc.record({ grows: fc.nat(3), done: fc.nat(4) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let [total, done, last] = [6, 0, 0];
      let tracked: ReturnType<typeof track> | undefined;
      for (const [at, one] of steps.entries()) {
        total += one.grows;
        done = Math.min(total, done + one.done);
        const told = {
          ...restoring,
          items: { totalItems: total, itemsRestored: done },
          types: [{ groupResource: "configmaps", total: 5, done: Math.min(5, done) }],
        };
        const parts = childrenOf(told)[1]?.children ?? [];
        expect(parts.reduce((sum, part) => sum + (part.progress?.total ?? 0), 0)).toBe(total);
        expect(parts.reduce((sum, part) => sum + (part.progress?.done ?? 0), 0)).toBe(done);
        tracked = track(tracked, tellRestore(restore, told), at * 1000);
        expect(tracked.operation.fraction ?? 0).toBeGreaterThanOrEqual(last);
        last = tracked.operation.fraction ?? 0;
      }
    }),
  );
});

test("tellEnd() knows the moment of the end better than the status does", () => {
  const status = { phase: "Completed", completionTimestamp: "2026-11-16T10:00:01Z" };
  const now = Date.parse("2026-11-16T10:00:01.900Z");
  expect(tellEnd(restore, status, now).finishedAt).toBe(now);
  expect(tellEnd(restore, { phase: "FailedValidation" }, now).finishedAt).toBeUndefined();
});

const planned = [
  { namespace: "shop", pod: "db-0", volume: "data", bytes: 1000 },
  { namespace: "shop", pod: "db-1", volume: "data", bytes: 3000 },
];

test("tellRestore() has all volumes in its plan from the start, with the sizes that the backup knows", () => {
  const { operation } = track(undefined, tellRestore(restore, { ...restoring, planned }), 1000);
  const volumes = operation.children.find(({ id }) => id === "volumes");
  expect(volumes).toMatchObject({ state: "running", progress: { unit: "bytes", done: 0, total: 4000 } });
  expect(volumes?.children.map(({ title, state }) => [title, state])).toEqual([
    ["shop/db-0: data", "pending"],
    ["shop/db-1: data", "pending"],
  ]);
});

test("tellRestore() puts the copy in the place of what was planned, and drops plans that nothing came of", () => {
  const begun: PodVolumeRestore = {
    ...pvr,
    spec: { pod: { namespace: "shop", name: "db-0" }, volume: "data", snapshotSize: 1000 } as never, // what is read
    status: { phase: "New" },
  };
  const told = { ...restoring, planned, volumes: [begun] };
  const volumesOf = (seen: RestoreTold) =>
    track(undefined, tellRestore(restore, seen), 1000).operation.children.find(({ id }) => id === "volumes");
  expect(volumesOf(told)).toMatchObject({ progress: { total: 4000 } });
  expect(volumesOf(told)?.children).toHaveLength(2);
  expect(volumesOf({ ...told, step: "volumes" })?.children).toHaveLength(1);
});

test("tellRestore() does not say most of it is done when the objects are and the volumes are not", () => {
  const seen: RestoreTold = {
    ...restoring,
    items: { totalItems: 2007, itemsRestored: 2000 },
    types: [{ groupResource: "configmaps", total: 2007, done: 2000 }],
    planned: [{ namespace: "big", pod: "p", volume: "v", bytes: 1.8 * 2 ** 30 }],
  };
  const { fraction = 1 } = track(undefined, tellRestore(restore, seen), 1000).operation;
  expect(fraction).toBeGreaterThan(0.1);
  expect(fraction).toBeLessThan(0.45);
});

const hanging = {
  waitingFor: 'plugin "example/mark" to answer about configmaps shop/c1',
  waitingCause: "plugin-silent",
} as const;
const waits: [string, (told: object) => Observation][] = [
  ["backup", (told) => tellBackup(backup, { ...storing, ...told })],
  ["restore", (told) => tellRestore(restore, { ...restoring, ...told })],
];
test.each(waits)("a plugin that hangs in a %s is a stall with its cause, until it answers", (_, tell) => {
  const begin = Date.parse("2026-11-15T10:00:00Z");
  let tracked = track(undefined, tell({}), begin);
  tracked = track(tracked, tell(hanging), begin + 10_000);
  const soon = look(tracked, begin + 15_000);
  expect(headline(soon, begin + 15_000)).toBe(`waiting for ${hanging.waitingFor}`);
  const late = look(tracked, begin + 40_000);
  expect(headline(late, begin + 40_000)).toMatch(
    /: stalled for 40s: a plugin does not answer; waiting for plugin "example\/mark" to answer about configmaps shop\/c1$/,
  );
  expect(adviceOf(late)).toMatch(/^Read the operator's log/);
  tracked = track(tracked, tell({}), begin + 41_000);
  expect(look(tracked, begin + 42_000).children.every(({ stall }) => stall === undefined)).toBe(true);
});
