import { expect, test } from "vitest";
import { type Claim, isAuthorOf, isSettled } from "./authorship.ts";

const object = { metadata: { name: "nightly", namespace: "velero" } };
const running = { author: "velero", state: "running", ageMs: 9_000 } as const;

test.each<[string, Partial<Claim>, boolean]>([
  ["its own engine does the work", { told: true, stored: running }, true],
  ["the object lives beside it", { me: "velero", stored: { ...running, author: "headway" } }, true],
  ["nobody has written it", { stored: undefined }, true],
  ["an older version wrote it", { stored: { ...running, author: undefined } }, true],
  ["it was first", { stored: { ...running, author: "headway" } }, true],
  ["somebody else was first", { stored: running }, false],
  ["the author has fallen silent", { stored: { ...running, ageMs: 45_000 } }, true],
  ["the end needs no author", { stored: { ...running, state: "completed", ageMs: 1e9 } }, false],
])("isAuthorOf() where %s: %#", (_, claim, is) => {
  expect(isAuthorOf({ me: "headway", object, told: false, stored: running, ...claim })).toBe(is);
});

const made = { metadata: { ...object.metadata, creationTimestamp: "1970-01-01T00:00:10Z" } };

test.each<[string, Partial<Claim>, number, boolean]>([
  ["nobody has written it", { stored: undefined }, 11_000, false],
  ["nobody could write it for long", { stored: undefined }, 26_000, true],
  ["somebody wrote it", { stored: running }, 11_000, true],
  ["its own engine does the work", { stored: undefined, told: true }, 11_000, true],
  ["the object lives beside it", { stored: undefined, me: "velero" }, 11_000, true],
])("isSettled() where %s: %#", (_, claim, nowMs, is) => {
  const all = { me: "headway", object: made, told: false, stored: running, ...claim };
  expect(isSettled(all, nowMs)).toBe(is);
});
