import { expect, test } from "vitest";
import { type Signs, silenceOf } from "./silence.ts";

const start: Signs = { startedAt: 0, gaps: [], isConnected: false };

test.each<[string, Partial<Signs>, number, object | undefined]>([
  ["a mover that has just begun", {}, 50_000, undefined],
  ["one that never said a word", {}, 60_000, { cause: "mover-silent", since: 0 }],
  ["one whose process works, however slowly", { heardAt: 1_000, busyAt: 590_000 }, 600_000, undefined],
  ["one whose process does nothing", { busyAt: 5_000 }, 25_000, { cause: "mover-silent", since: 5_000 }],
  [
    "one that prints, while nothing comes from the store",
    { heardAt: 24_900, busyAt: 5_000, isConnected: true },
    25_000,
    { cause: "store-unreachable", since: 5_000 },
  ],
  [
    "one that somebody stopped",
    { busyAt: 9_000, stoppedAt: 10_000 },
    12_000,
    { cause: "mover-silent", since: 10_000 },
  ],
  ["one that is stopped for a moment", { busyAt: 9_000, stoppedAt: 10_000 }, 11_000, undefined],
  ["lines alone, in their rhythm", { heardAt: 1_000, gaps: [9_000, 11_000] }, 80_000, undefined],
  [
    "lines alone, out of it",
    { heardAt: 1_000, gaps: [9_000, 11_000] },
    90_000,
    { cause: "mover-silent", since: 1_000 },
  ],
  [
    "quick lines that stop",
    { heardAt: 1_000, gaps: [250, 300] },
    21_000,
    { cause: "mover-silent", since: 1_000 },
  ],
])("silenceOf() judges %s", (_what, signs, now, want) => {
  expect(silenceOf({ ...start, ...signs }, now)).toEqual(want);
});
