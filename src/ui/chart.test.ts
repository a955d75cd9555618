import { expect, test } from "vitest";
import { area, linePath, niceEnd, scaleTo, stepPath, throughput } from "./chart.ts";

test("throughput() is what was done between marks, a second", () => {
  expect(
    throughput([
      [0, 0],
      [1_000, 100],
      [3_000, 500],
      [4_000, 500],
    ]),
  ).toEqual([
    [1_000, 100],
    [3_000, 200],
    [4_000, 0],
  ]);
  expect(throughput([])).toEqual([]);
});

test("throughput() does not fall to zero at its end because the last slice is not over", () => {
  const marks = Array.from({ length: 81 }, (_, i) => [i * 500, i * 50] as const);
  const rates = throughput([...marks, [40_010, 4_000]]);
  expect(rates.at(-1)?.[1]).toBeGreaterThan(95);
});

test("throughput() takes marks together that are too close to tell anything", () => {
  const marks = Array.from({ length: 1_000 }, (_, i) => [i, i] as const);
  expect(throughput(marks).length).toBeLessThanOrEqual(40);
  for (const [, rate] of throughput(marks)) expect(rate).toBeCloseTo(1_000);
});

test.each([
  [0, 1],
  [3, 5],
  [10, 10],
  [11, 20],
  [0.03, 0.05],
])("niceEnd(%d) is %d", (value, want) => {
  expect(niceEnd(value)).toBeCloseTo(want);
});

test("niceEnd() of bytes stands on their units", () => {
  expect(niceEnd(3 * 1024 ** 2, 1024)).toBe(5 * 1024 ** 2);
});

test("paths stay inside the chart", () => {
  const scale = scaleTo(10, 10);
  expect(scale.x(10)).toBe(area.left + area.width);
  expect(scale.y(20)).toBe(area.top);
  expect(linePath([], scale)).toBe("");
  expect(
    linePath(
      [
        [0, 0],
        [10, 10],
      ],
      scale,
    ),
  ).toBe("M4.0 146.0L496.0 22.0");
  expect(stepPath([[10, 5]], scale)).toBe("M4.0 146.0V84.0H496.0V146.0Z");
});
