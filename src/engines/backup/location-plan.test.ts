import { expect, test } from "vitest";
import { type MarkerFacts, type MarkerStep, mayMakeBucket, planMarker } from "./location-plan.ts";

const fresh: MarkerFacts = {
  location: "default",
  place: "/mnt/b",
  known: undefined,
  isThere: false,
  found: undefined,
  holdsBackups: false,
  backups: 0,
  isReadOnly: false,
  isAdopted: false,
};
const known = { id: "one", isHere: true };
const elsewhere = { id: "one", isHere: false };

test.each<[string, Partial<MarkerFacts>, MarkerStep]>([
  ["a first use", {}, { do: "mark" }],
  ["a bucket that another server filled", { holdsBackups: true }, { do: "mark" }],
  [
    "a bucket that another cluster marked",
    { found: "two", holdsBackups: true },
    { do: "remember", id: "two" },
  ],
  ["as ever", { known, isThere: true, found: "one" }, { do: "keep" }],
  ["two markers", { known, isThere: true, found: "a-third" }, { do: "keep" }],
  ["a disk that is not mounted", { known, backups: 3 }, { do: "refuse", why: "replaced" }],
  ["the same before the first backup", { known }, { do: "refuse", why: "replaced" }],
  ["another disk", { known, found: "two", holdsBackups: true }, { do: "refuse", why: "replaced" }],
  ["a marker that was removed", { known, holdsBackups: true }, { do: "refuse", why: "replaced" }],
  ["another disk, taken on purpose", { known, found: "two", isAdopted: true }, { do: "remember", id: "two" }],
  ["an empty one, taken on purpose", { known, backups: 3, isAdopted: true }, { do: "mark" }],
  ["backups of a time without markers, and nothing there", { backups: 3 }, { do: "refuse", why: "empty" }],
  ["the same, taken on purpose", { backups: 3, isAdopted: true }, { do: "mark" }],
  [
    "backups of a time without markers, and they are there",
    { backups: 3, holdsBackups: true },
    { do: "mark" },
  ],
  ["pointed elsewhere", { known: elsewhere, backups: 3 }, { do: "mark" }],
  ["pointed elsewhere, to a marked one", { known: elsewhere, found: "two" }, { do: "remember", id: "two" }],
  [
    "the same store by another name",
    { known: elsewhere, isThere: true, found: "one" },
    { do: "remember", id: "one" },
  ],
  ["read-only without a marker", { isReadOnly: true, holdsBackups: true }, { do: "pass" }],
  ["read-only with one", { isReadOnly: true, found: "two" }, { do: "remember", id: "two" }],
  [
    "read-only without the one it had",
    { isReadOnly: true, known, found: "two" },
    { do: "refuse", why: "replaced" },
  ],
  ["read-only and suddenly empty", { isReadOnly: true, backups: 1 }, { do: "refuse", why: "empty" }],
  ["read-only and empty on purpose", { isReadOnly: true, backups: 1, isAdopted: true }, { do: "pass" }],
])("planMarker(): %s", (_name, facts, want) => {
  expect(planMarker({ ...fresh, ...facts })).toEqual(want);
});

test.each<[string, Partial<MarkerFacts>, boolean]>([
  ["a first use", {}, true],
  ["one that had a marker", { known }, false],
  ["one that had a marker, on purpose", { known, isAdopted: true }, true],
  ["one of which there are backups", { backups: 1 }, false],
  ["one that was pointed elsewhere", { known: elsewhere, backups: 1 }, true],
  ["one that may only be read", { isReadOnly: true, isAdopted: true }, false],
])("mayMakeBucket() of %s", (_name, facts, want) => {
  expect(mayMakeBucket({ ...fresh, ...facts })).toBe(want);
});
