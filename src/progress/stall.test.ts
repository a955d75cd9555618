import { expect, test } from "vitest";
import { type Silence, silenceLimitMs, stall, stallCauses } from "./stall.ts";

// Ten silences of a second: the limit is the least one, 20 s.
const steady = Array.from({ length: 10 }, () => 1000);
const quiet = (more: Partial<Silence> = {}): Silence => ({
  movedAt: 100_000,
  gaps: steady,
  signals: {},
  isWorking: true,
  ...more,
});
const mute = { heartbeatAt: 100_000 };

test.each([
  ["[ST2] few silences are no rhythm", [1000, 1000], 120_000],
  ["[ST2] a fast rhythm has the least limit", steady, 20_000],
  ["[ST2] a slow rhythm has a long one", steady.map(() => 15_000), 120_000],
])("%s", (_rule, gaps, want) => {
  expect(silenceLimitMs(gaps)).toBe(want);
});

test.each([
  ["[ST1] moving work is not stalled", quiet({ signals: mute }), 119_999, undefined],
  [
    "[ST1] silence of the limit with a silent heartbeat is",
    quiet({ signals: mute }),
    120_000,
    "mover-silent",
  ],
  ["[ST3] a clock that ran backwards is no silence", quiet({ signals: mute }), 1_000, undefined],
  ["[ST5] silence alone is not enough", quiet(), 179_999, undefined],
  ["[ST5] silence alone must last four times as long", quiet(), 180_000, "mover-silent"],
  ["[ST5] other work that moves confirms it", quiet({ othersMovedAt: 119_000 }), 120_000, "mover-silent"],
  ["[ST5] other work that rests confirms nothing", quiet({ othersMovedAt: 90_000 }), 120_000, undefined],
  ["[ST6] a talking worker gets more time", quiet({ signals: { heartbeatAt: 119_000 } }), 120_000, undefined],
  [
    "[ST6] a talking worker does not get for ever",
    quiet({ signals: { heartbeatAt: 179_000 } }),
    180_000,
    "no-movement",
  ],
  [
    "[ST6] a living process does not get for ever",
    quiet({ signals: { alive: true } }),
    180_000,
    "no-movement",
  ],
  [
    "[ST6] others moving do not hurry a living process",
    quiet({ signals: { alive: true }, othersMovedAt: 119_000 }),
    120_000,
    undefined,
  ],
  [
    "[ST7] a counter that grows is movement",
    quiet({ signals: { ...mute, busyAt: 119_000 } }),
    130_000,
    undefined,
  ],
  [
    "[ST8] a missing agent needs no rhythm",
    quiet({ gaps: [], signals: { causes: ["agent-missing"] } }),
    120_000,
    "agent-missing",
  ],
  [
    "[ST8] a mover whose agent hears nothing needs no rhythm",
    quiet({ gaps: [], signals: { causes: ["mover-silent"] } }),
    120_000,
    "mover-silent",
  ],
  [
    "[ST8] broken before the start is told",
    quiet({ gaps: [], isWorking: false, signals: { causes: ["image-pull"] } }),
    120_000,
    "image-pull",
  ],
  [
    "[ST8] a held lock has the limit",
    quiet({ gaps: [], signals: { causes: ["lock-held"] } }),
    120_000,
    undefined,
  ],
  [
    "[ST8] a held lock past the limit",
    quiet({ gaps: [], signals: { causes: ["lock-held"] } }),
    220_000,
    "lock-held",
  ],
  [
    "[ST8] not even evidence stalls at once",
    quiet({ signals: { causes: ["agent-missing"] } }),
    119_000,
    undefined,
  ],
  [
    "[ST9] the first cause in the list is told",
    quiet({ signals: { causes: ["pod-pending", "image-pull"] } }),
    120_000,
    "image-pull",
  ],
  ["[ST10] a process that is gone", quiet({ signals: { alive: false } }), 120_000, "mover-gone"],
  [
    "[ST10] a missing agent explains the process that is gone",
    quiet({ signals: { alive: false, causes: ["agent-missing"] } }),
    120_000,
    "agent-missing",
  ],
  ["[ST12] what does not work is not stalled by silence", quiet({ isWorking: false }), 9_000_000, undefined],
] as const)("%s", (_rule, silence, nowMs, cause) => {
  expect(stall(silence, nowMs)?.cause).toBe(cause);
});

test("[ST1] a stall says since when", () => {
  expect(stall(quiet({ signals: mute }), 150_000)).toEqual({ since: 100_000, cause: "mover-silent" });
});

test("stallCauses is a list without doubles", () => {
  expect(new Set(stallCauses).size).toBe(stallCauses.length);
});
