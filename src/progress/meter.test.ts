import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { type Meter, measure, rateOf } from "./meter.ts";
import type { Operation } from "./operation.ts";

const mib = 1024 ** 2;

function volume(done: number): Operation {
  return anOperation("v", { progress: { unit: "bytes", done, movedAt: 0 } });
}

function backup(done: number, state: Operation["state"] = "running"): Operation {
  const items = anOperation("i", { progress: { unit: "items", done: 5, movedAt: 0 } });
  return anOperation("a", { state, children: [items, volume(done), volume(0)] });
}

test("rateOf() is bytes a second over the last half minute", () => {
  let meter: Meter | undefined;
  for (let second = 0; second <= 60; second++) meter = measure(meter, backup(second * mib), second * 1000);
  expect(rateOf(meter, 60_000)).toBeCloseTo(mib, -4);
});

test.each([[500], [1_000], [10_000]])(
  "rateOf() of a steady copy that is told every %i ms does not fall and rise with each report",
  (everyMs) => {
    let meter: Meter | undefined;
    const rates: number[] = [];
    for (let ms = 0; ms <= 120_000; ms += 250) {
      const told = Math.floor(ms / everyMs) * everyMs;
      meter = measure(meter, backup((told * mib) / 1000), ms);
      if (ms > 30_000) rates.push(rateOf(meter, ms) ?? 0);
    }
    expect(Math.min(...rates)).toBeGreaterThan(0.97 * mib);
    expect(Math.max(...rates)).toBeLessThan(1.03 * mib);
  },
);

test("rateOf() of a quick reporter still covers more than a moment", () => {
  let meter: Meter | undefined;
  for (let ms = 0; ms <= 30_000; ms += 100) meter = measure(meter, backup(ms * 1000), ms);
  const [first, last] = [meter?.marks[0]?.[0] ?? 0, meter?.marks.at(-1)?.[0] ?? 0];
  expect(last - first).toBeGreaterThan(20_000);
});

test("rateOf() knows nothing from one moment, and forgets what stood still for long", () => {
  const first = measure(undefined, backup(0), 0);
  expect(rateOf(first, 1_000)).toBeUndefined();
  const second = measure(first, backup(10 * mib), 1_000);
  expect(rateOf(second, 1_000)).toBe(10 * mib);
  expect(rateOf(second, 11_000)).toBeLessThan(2 * mib);
  expect(rateOf(second, 60_000)).toBeUndefined();
});

test("measure() counts items where there are no bytes, and nothing after the end", () => {
  const items = anOperation("a", { progress: { unit: "items", done: 5, movedAt: 0 } });
  expect(measure(undefined, items, 0)).toEqual({ unit: "items", marks: [[0, 5]] });
  expect(measure(undefined, backup(1, "completed"), 0)).toBeUndefined();
  expect(measure(undefined, anOperation("none"), 0)).toBeUndefined();
});

test("measure() starts again when the unit changes, and stays small", () => {
  const items = measure(undefined, anOperation("a", { progress: { unit: "items", done: 5, movedAt: 0 } }), 0);
  let meter = measure(items, volume(1), 1);
  expect(meter).toEqual({ unit: "bytes", marks: [[1, 1]] });
  for (let i = 0; i < 10_000; i++) meter = measure(meter, volume(i), i);
  expect(meter?.marks.length).toBeLessThanOrEqual(33);
});
