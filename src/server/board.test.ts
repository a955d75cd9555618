import { expect, test } from "vitest";
import type { Backup, Schedule } from "../api/index.ts";
import { boardOf, type Upcoming } from "./board.ts";

const hour = 3_600_000;
const now = Date.parse("2026-11-18T12:00:00Z");
const iso = (ago: number) => new Date(now - ago).toISOString();

const namespace = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

function backup(name: string, phase: string, agoMs: number, spec: object = {}, schedule?: string): Backup {
  const metadata = {
    name,
    namespace: "velero",
    labels: schedule === undefined ? {} : { "velero.io/schedule-name": schedule },
  };
  const status = { phase, startTimestamp: iso(agoMs + 60_000), completionTimestamp: iso(agoMs) };
  // The fields that the board reads.
  return { apiVersion: "velero.io/v1", kind: "Backup", metadata, spec, status } as Backup;
}

function schedule(name: string, template: object, more: object = {}): Schedule {
  const metadata = { name, namespace: "velero" };
  const spec = { schedule: "@every 1h", template, ...more };
  return { apiVersion: "velero.io/v1", kind: "Schedule", metadata, spec } as Schedule;
}

const hourly: Upcoming = (_schedule, from, count) =>
  Array.from({ length: count }, (_, i) => from + (i + 1) * hour);
const shop = { includedNamespaces: ["shop"] };

function stateOf(backups: readonly Backup[], schedules: readonly Schedule[] = []) {
  return boardOf({ backups, schedules, namespaces: [namespace("shop")] }, hourly, now).namespaces[0];
}

test.each([
  ["no backup", [], "unprotected"],
  ["a good one", [backup("a", "Completed", hour, shop)], "protected"],
  ["a good one of everything", [backup("a", "Completed", hour, {})], "protected"],
  [
    "a good one of everything but this",
    [backup("a", "Completed", hour, { excludedNamespaces: ["shop"] })],
    "unprotected",
  ],
  ["a pattern", [backup("a", "Completed", hour, { includedNamespaces: ["sh*"] })], "protected"],
  ["only a failed one", [backup("a", "Failed", hour, shop)], "unprotected"],
  [
    "a failed one after a good one",
    [backup("a", "Completed", 2 * hour, shop), backup("b", "PartiallyFailed", hour, shop)],
    "failing",
  ],
  [
    "a good one after a failed one",
    [backup("a", "Failed", 2 * hour, shop), backup("b", "Completed", hour, shop)],
    "protected",
  ],
  ["one that runs", [backup("a", "InProgress", 0, shop)], "unprotected"],
  ["one that is being deleted", [backup("a", "Deleting", hour, shop)], "unprotected"],
] as const)("boardOf() judges a namespace with %s", (_, backups, state) => {
  expect(stateOf(backups)?.state).toBe(state);
});

test.each([
  ["labels", { ...shop, labelSelector: { matchLabels: { app: "web" } } }],
  ["either of labels", { ...shop, orLabelSelectors: [{ matchLabels: { app: "web" } }] }],
  ["kinds", { ...shop, includedResources: ["secrets"] }],
  ["namespaced kinds", { ...shop, includedNamespaceScopedResources: ["secrets"] }],
])("boardOf() takes no backup narrowed by %s for protection, and names it", (_, spec) => {
  const row = stateOf([backup("some", "Completed", hour, spec)]);
  expect(row?.state).toBe("unprotected");
  expect(row?.part?.name).toBe("some");
});

test.each([
  [1.4, {}, "protected"],
  [1.6, {}, "late"],
  [1.6, { paused: true }, "protected"],
] as const)("boardOf() holds the age, %s intervals, against the schedule with %j", (ago, more, state) => {
  const row = stateOf([backup("a", "Completed", ago * hour, shop)], [schedule("often", shop, more)]);
  expect(row?.state).toBe(state);
  expect(row?.schedules).toEqual(state === "protected" && "paused" in more ? [] : ["often"]);
});

test("boardOf() lists the worst first, and those of Kubernetes and of the server last", () => {
  const names = ["b-good", "kube-system", "velero", "a-none", "c-late"].map(namespace);
  const backups = [
    backup("g", "Completed", hour, { includedNamespaces: ["b-good"] }),
    backup("l", "Completed", 5 * hour, { includedNamespaces: ["c-late"] }),
  ];
  const schedules = [schedule("often", { includedNamespaces: ["c-late"] })];
  const board = boardOf({ backups, schedules, namespaces: names }, hourly, now);
  expect(board.namespaces.map(({ name, state }) => `${name} ${state}`)).toEqual([
    "a-none unprotected",
    "c-late late",
    "b-good protected",
    "kube-system unprotected",
    "velero unprotected",
  ]);
});

test("boardOf() tells of a schedule its next day, its last run and how long it usually takes", () => {
  const backups = [
    backup("often-2", "PartiallyFailed", hour, shop, "often"),
    backup("often-1", "Completed", 2 * hour, shop, "often"),
    backup("other", "Completed", hour, shop, "another"),
  ];
  const { schedules } = boardOf({ backups, schedules: [schedule("often", shop)] }, hourly, now);
  expect(schedules[0]?.upcoming).toHaveLength(24);
  expect(schedules[0]?.last?.name).toBe("often-2");
  expect(schedules[0]?.usualMs).toBe(60_000);
  const daily: Upcoming = (_schedule, from, count) =>
    hourly(_schedule, from, count).map((at) => at + 24 * hour);
  expect(
    boardOf({ backups, schedules: [schedule("often", shop)] }, daily, now).schedules[0]?.upcoming,
  ).toHaveLength(5);
  const paused = boardOf({ backups, schedules: [schedule("often", shop, { paused: true })] }, hourly, now);
  expect(paused.schedules[0]).toMatchObject({ isPaused: true, upcoming: [] });
});

test("boardOf() names what could not be read", () => {
  expect(boardOf({ backups: [] }, hourly, now).unread).toEqual([
    "namespaces",
    "schedules",
    "storage locations",
    "backup repositories",
  ]);
});
