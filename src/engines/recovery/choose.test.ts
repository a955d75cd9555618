import { expect, test } from "vitest";
import { type Candidate, choose } from "./choose.ts";

const one = (name: string, atMs: number, more: Partial<Candidate> = {}): Candidate => ({
  name,
  atMs,
  phase: "Completed",
  isPartial: false,
  namespaces: ["shop"],
  ...more,
});
const names = (all: readonly Candidate[]) => {
  const { chosen, failed } = choose(all);
  return { chosen: chosen.map(({ name }) => name), failed: failed.map(({ name }) => name) };
};

test.each<[string, readonly Candidate[], { chosen: string[]; failed: string[] }]>([
  ["nothing of nothing", [], { chosen: [], failed: [] }],
  [
    "the newest good one of a schedule",
    [
      one("n-1", 1, { schedule: "n" }),
      one("n-3", 3, { schedule: "n", phase: "PartiallyFailed" }),
      one("n-2", 2, { schedule: "n" }),
    ],
    { chosen: ["n-3"], failed: [] },
  ],
  [
    "the one before a failed one, and tells the failure",
    [one("n-1", 1, { schedule: "n" }), one("n-2", 2, { schedule: "n", phase: "Failed" })],
    { chosen: ["n-1"], failed: ["n-2"] },
  ],
  [
    "not what failed long ago",
    [one("n-1", 1, { schedule: "n", phase: "Failed" }), one("n-2", 2, { schedule: "n" })],
    { chosen: ["n-2"], failed: [] },
  ],
  [
    "not what newer ones cover",
    [
      one("by-hand", 1, { namespaces: ["shop", "bank"] }),
      one("shop", 2),
      one("bank", 3, { namespaces: ["bank"] }),
    ],
    { chosen: ["bank", "shop"], failed: [] },
  ],
  [
    "what a newer one covers only in part",
    [one("old", 1), one("new", 2, { schedule: "n", isPartial: true })],
    { chosen: ["new", "old"], failed: [] },
  ],
  [
    "only the newer whole cluster",
    [one("shop", 1), one("all", 2, { namespaces: [] })],
    { chosen: ["all"], failed: [] },
  ],
  [
    "the older whole cluster beside a newer namespace",
    [one("all", 1, { namespaces: ["*"] }), one("shop", 2)],
    { chosen: ["shop", "all"], failed: [] },
  ],
  [
    "a backup without a time",
    [{ ...one("x", 0), atMs: undefined } as unknown as Candidate],
    { chosen: ["x"], failed: [] },
  ],
])("choose() takes %s", (_, all, want) => {
  expect(names(all)).toEqual(want);
});
