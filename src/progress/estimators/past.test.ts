import { expect, test } from "vitest";
import type { PastRun } from "../history.ts";
import { pastRules } from "./past.ts";

const past = (ms: number, curve = [0, 0, 1000, 1000]): PastRun => ({ ms, unit: "bytes", units: 1000, curve });
const at = (ms: number, done: number, movedMs = ms) => ({
  unit: "bytes" as const,
  ms,
  movedMs,
  done,
  total: 1000,
  marks: [],
});

test("clock goes by the middle of the earlier runs, whatever is done", () => {
  const { clock } = pastRules(at(20_000, 999), {
    runs: [past(90_000), past(100_000), past(500_000)],
    power: 0.5,
  });
  expect(clock).toBeGreaterThan(75_000);
  expect(clock).toBeLessThan(90_000);
});

test("place goes by what is done, whatever the time", () => {
  const { place } = pastRules(at(20_000, 800), { runs: [past(100_000)], power: 0.5 });
  expect(place).toBeGreaterThan(19_000);
  expect(place).toBeLessThan(22_000);
});

test("place stands where the earlier run stood still, at the time of this one", () => {
  const still = past(100_000, [0, 0, 100, 500, 800, 500, 1000, 1000]);
  const place = (ms: number) => pastRules(at(ms, 500, 10_000), { runs: [still], power: 0.5 }).place;
  expect(place(30_000)).toBeCloseTo(70_000, -3);
  expect(place(60_000)).toBeCloseTo(40_000, -3);
});

test("paced expects some of the speed of this run to go on, not all", () => {
  const { place = 0, paced } = pastRules(at(80_000, 400), { runs: [past(100_000)], power: 0.5 });
  expect(paced).toBeGreaterThan(1.1 * place);
  expect(paced).toBeLessThan(1.9 * place);
});

test("no rule ever comes to nothing", () => {
  const rules = Object.values(pastRules(at(900_000, 1000), { runs: [past(100_000)], power: 0.5 }));
  for (const each of rules.filter((ms) => ms !== undefined)) expect(each).toBeGreaterThan(500);
});

test("[ET20] where the process is known by its bytes, they are the place: units that are read ahead say nothing", () => {
  const sent = {
    ...past(100_000, [0, 0, 100, 1000, 1000, 1000]),
    carried: { bytes: 2e9, curve: [0, 0, 1000, 1000] },
  };
  const carried = { done: 1e9, movedMs: 60_000, marks: [] };
  const rules = pastRules({ ...at(60_000, 1000, 10_000), carried }, { runs: [sent], power: 0.5 });
  expect(rules.carried).toBeCloseTo(50_000, -3);
  expect(rules.carriedPaced).toBeGreaterThan(51_000);
  expect([rules.place, rules.paced]).toEqual([undefined, undefined]);
  // An earlier run that was not seen so closely is asked by its units.
  expect(
    pastRules({ ...at(60_000, 1000, 10_000), carried }, { runs: [past(100_000)], power: 0.5 }).carried,
  ).toBeUndefined();
});
