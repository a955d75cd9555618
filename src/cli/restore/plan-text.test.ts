import { expect, test } from "vitest";
import { PlanTally, type RestorePlan } from "../../kinds/index.ts";
import { planExit, planText } from "./plan-text.ts";

function planOf(fill: (tally: PlanTally) => void, more: Partial<RestorePlan> = {}): RestorePlan {
  const tally = new PlanTally();
  fill(tally);
  return {
    restore: "r",
    backup: "nightly",
    faults: [],
    ...tally.result(),
    volumes: [],
    bytes: 0,
    hooks: 0,
    hidden: [],
    notes: [],
    ...more,
  };
}

const mixed = planOf(
  (tally) => {
    tally.add({
      resource: "configmaps",
      namespace: "shop",
      name: "a",
      verdict: "create",
      notAsked: "no namespace",
    });
    tally.add({
      resource: "configmaps",
      namespace: "shop",
      name: "b",
      verdict: "conflict",
      reason: "it differs",
    });
    tally.add({ resource: "nodes", name: "n", verdict: "skip" });
  },
  {
    volumes: [
      { namespace: "shop", name: "data", pod: "db-0", method: "pod volume", mover: "kopia", bytes: 2048 },
    ],
    bytes: 2048,
    hooks: 1,
    time: { seconds: 60, low: 30, high: 120, from: "restores" },
    hidden: ["secrets"],
    notes: ["plugins are not called"],
  },
);

test("planText() tells sums, groups, what needs a look, volumes and what is not shown", () => {
  expect(planText(mixed, { details: false })).toBe(
    [
      'Restore of backup "nightly": this is a plan, nothing was changed.',
      "",
      "  create    1  to be created; admission was not asked about 1",
      "  skip      1  left alone: as in the backup already, or not wanted back",
      "  conflict  1  there with another content, and left as it is",
      "  volumes   1 of 1 with 2.0 KiB",
      "  hooks     1 command in restored pods",
      "  time      about 1m 00s (30s to 2m 00s), as restores before",
      "",
      "NAMESPACE   RESOURCE     CREATE   SKIP   CONFLICT",
      "(cluster)   nodes        0        1      0",
      "shop        configmaps   1        0      1",
      "",
      "VERDICT    ITEM                REASON",
      "conflict   configmaps shop/b   it differs",
      "",
      "VOLUME           METHOD               SIZE      TIME",
      "shop/db-0/data   pod volume (kopia)   2.0 KiB",
      "",
      "Not shown, because you may not read them where they are or would be: secrets",
      "Note: plugins are not called",
      "",
    ].join("\n"),
  );
});

test("planText() of ten thousand items is short until details are asked for", () => {
  const large = planOf((tally) => {
    for (let i = 0; i < 10_000; i += 1)
      tally.add({
        resource: `kind${i % 20}s`,
        namespace: `n${i % 50}`,
        name: `one-${i}`,
        verdict: i % 3 === 0 ? "refused" : "create",
        reason: "because",
      });
  });
  const short = planText(large, { details: false, columns: 80 }).split("\n");
  expect(short.length).toBeLessThan(60);
  expect(Math.max(...short.slice(6).map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(short.join("\n")).toContain("more like these; --details lists every item");
  expect(planText(large, { details: true }).split("\n").length).toBeGreaterThan(10_000);
});

test.each([
  [0, planOf((tally) => tally.add({ resource: "x", name: "a", verdict: "create" }))],
  [1, mixed],
  [1, planOf(() => undefined, { faults: ["there is no backup"] })],
  [5, planOf((tally) => tally.add({ resource: "x", name: "a", verdict: "unknown" }))],
  [5, planOf(() => undefined, { hidden: ["secrets"] })],
] as const)("planExit() is %i: %#", (code, plan) => {
  expect(planExit(plan)).toBe(code);
});

test("planText() of a restore that would be refused says why", () => {
  const text = planText(
    planOf(() => undefined, { faults: ['there is no backup "x"'] }),
    { details: false },
  );
  expect(text).toBe('The restore would be refused as a whole:\n  there is no backup "x"\n');
});
