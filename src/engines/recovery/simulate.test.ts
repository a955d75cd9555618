import fc from "fast-check";
import { expect, test } from "vitest";
import { criticalPath, type Job, type Span, simulate } from "./simulate.ts";

const job = (
  name: string,
  objectsSeconds: number,
  volumes: readonly number[],
  more: Partial<Job> = {},
): Job => ({
  name,
  objectsSeconds,
  volumes: volumes.map((seconds, i) => ({ title: `${name}-${i}`, seconds, bytes: seconds * 100 })),
  readySeconds: 0,
  ...more,
});
const endOf = (spans: readonly Span[]) => spans.at(-1)?.end ?? 0;
const titles = (spans: readonly Span[]) =>
  spans.map(({ title, backup, what }) => title ?? `${backup} ${what}`);

test.each<[string, readonly Job[], number, number]>([
  ["nothing", [], 1, 0],
  ["objects alone, one restore after the other", [job("a", 3, []), job("b", 4, [])], 2, 7],
  ["volumes after their objects, one at a time", [job("a", 1, [5, 5])], 1, 11],
  ["volumes side by side", [job("a", 1, [5, 5])], 2, 6],
  ["the next restore's objects while volumes are on their way", [job("a", 1, [5]), job("b", 3, [5])], 2, 9],
  ["a slot that waits for the next restore", [job("a", 1, [1]), job("b", 8, [2])], 1, 11],
  ["workloads after everything of theirs", [job("a", 1, [5], { readySeconds: 4 }), job("b", 1, [])], 1, 10],
])("simulate() plays %s", (_, jobs, slots, want) => {
  expect(endOf(simulate(jobs, { slots }))).toBeCloseTo(want, 6);
});

test("volumes share a link that is too narrow for them, and one alone has it to itself", () => {
  const jobs = [job("a", 0, [10, 10])];
  expect(endOf(simulate(jobs, { slots: 2, bytesPerSecond: 200 }))).toBeCloseTo(10, 6);
  expect(endOf(simulate(jobs, { slots: 2, bytesPerSecond: 100 }))).toBeCloseTo(20, 6);
  expect(endOf(simulate(jobs, { slots: 1, bytesPerSecond: 100 }))).toBeCloseTo(20, 6);
});

test("the critical path is the chain that ends last, without a gap", () => {
  const path = criticalPath(simulate([job("a", 1, [2, 9]), job("b", 1, [3])], { slots: 1 }));
  expect(titles(path)).toEqual(["a objects", "a-0", "a-1", "b-0"]);
  path.slice(1).forEach((span, i) => expect(span.start).toBeCloseTo(path[i]?.end ?? -1, 6));
});

const anyJobs = fc.array(
  fc.record({
    objects: fc.integer({ min: 0, max: 50 }),
    volumes: fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 6 }),
  }),
  { maxLength: 6 },
);

test("simulate() runs every volume once, never more at a time than there are slots, and never shorter than the work", () => {
  fc.assert(
    fc.property(anyJobs, fc.integer({ min: 1, max: 4 }), (given, slots) => {
      const jobs = given.map(({ objects, volumes }, i) => job(`j${i}`, objects, volumes));
      const spans = simulate(jobs, { slots });
      const copies = spans.filter(({ what }) => what === "volume");
      expect(copies).toHaveLength(jobs.flatMap(({ volumes }) => volumes).length);
      for (const { start } of copies) {
        const beside = copies.filter((other) => other.start <= start && other.end > start + 1e-6);
        expect(beside.length).toBeLessThanOrEqual(slots);
      }
      const work = copies.reduce((sum, { start, end }) => sum + end - start, 0);
      const objects = jobs.reduce((sum, { objectsSeconds }) => sum + objectsSeconds, 0);
      expect(endOf(spans)).toBeGreaterThanOrEqual(Math.max(objects, work / slots) - 1e-6);
      // More room never makes it longer by more than the last piece of work: lists in a fixed order may lose that much.
      const longest = Math.max(0, ...copies.map(({ start, end }) => end - start));
      expect(endOf(simulate(jobs, { slots: slots + 1 }))).toBeLessThanOrEqual(endOf(spans) + longest + 1e-6);
    }),
  );
});
