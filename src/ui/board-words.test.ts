import { expect, test } from "vitest";
import type { Board, NamespaceProtection } from "../observe/index.ts";
import { age, boardProblems, everyWords, plannedRuns, protectionWords, verdict } from "./board-words.ts";

const empty: Board = { namespaces: [], more: 0, schedules: [], locations: [], repositories: [], unread: [] };
const row = (state: NamespaceProtection["state"], more: Partial<NamespaceProtection> = {}) =>
  ({ name: state, state, isSystem: false, schedules: [], ...more }) satisfies NamespaceProtection;
const of = (...namespaces: readonly NamespaceProtection[]): Board => ({ ...empty, namespaces });

test.each<[string, Board, string, boolean]>([
  ["nothing", empty, "There is no namespace of an application yet", true],
  ["one", of(row("protected")), "The one namespace is protected", true],
  ["two", of(row("protected"), row("protected")), "All 2 namespaces are protected", true],
  [
    "Kubernetes' own",
    of(row("protected"), row("unprotected", { isSystem: true })),
    "The one namespace is protected",
    true,
  ],
  [
    "each kind",
    of(row("protected"), row("unprotected"), row("failing"), row("late")),
    "Of 4 namespaces: 1 without a good backup, 1 whose last backup failed, 1 late",
    false,
  ],
  [
    "no right",
    { ...empty, unread: ["namespaces"] },
    "You may not list namespaces, so what is protected cannot be said",
    false,
  ],
])("verdict() of %s", (_, board, text, isSafe) => {
  expect(verdict(board)).toEqual({ text, isSafe });
});

test("protectionWords() tells a part from nothing, and a plan from none", () => {
  const part = { namespace: "velero", name: "some", at: 0, phase: "Completed" };
  expect(protectionWords(row("unprotected"))).toBe("Not protected");
  expect(protectionWords(row("unprotected", { part }))).toBe("Only in part");
  expect(protectionWords(row("protected"))).toBe("Protected, no schedule");
  expect(protectionWords(row("protected", { schedules: ["nightly"] }))).toBe("Protected");
});

test.each([
  [10_000, "less than a minute"],
  [90_000, "1 min"],
  [47 * 3_600_000, "47 h"],
  [49 * 3_600_000, "2 d"],
])("age() of %s ms", (ago, words) => {
  expect(age(1_000_000_000, 1_000_000_000 + ago)).toBe(words);
});

test("everyWords() is as short as age()", () => {
  expect(everyWords(3_600_000)).toBe("every 1 h");
  expect(everyWords(7 * 86_400_000)).toBe("every 7 d");
});

test("boardProblems() names locations that are away and schedules that were refused, with the command that helps", () => {
  const place = { namespace: "velero", provider: "aws", isDefault: true, isReadOnly: false, backups: 1 };
  const problems = boardProblems({
    ...empty,
    locations: [
      { ...place, name: "good", isAvailable: true },
      { ...place, name: "new" },
      { ...place, name: "away", isAvailable: false, message: "no such bucket" },
    ],
    schedules: [{ namespace: "velero", name: "odd", isPaused: false, refused: "no cron", upcoming: [] }],
  });
  expect(problems.map(({ text, help }) => `${text} | ${help}`)).toEqual([
    "The storage location away is unavailable: no such bucket | headway location get away",
    "The schedule odd makes no backups: no cron | headway schedule describe odd",
  ]);
});

test("plannedRuns() places runs in the coming day", () => {
  const hour = 3_600_000;
  const schedule = { namespace: "v", name: "s", isPaused: false, upcoming: [12 * hour, 25 * hour] };
  expect(plannedRuns({ ...schedule, usualMs: 6 * hour }, 0)).toEqual([
    { at: 12 * hour, from: 0.5, to: 0.75 },
  ]);
  expect(plannedRuns(schedule, 0)).toEqual([{ at: 12 * hour, from: 0.5, to: 0.5 }]);
});
