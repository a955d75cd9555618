import { expect, test } from "vitest";
import { type Observation, type Tracked, track } from "../progress/index.ts";
import { curveOf } from "./curve.ts";

const ref = { apiVersion: "velero.io/v1", kind: "Backup", namespace: "velero", name: "b", uid: "b" };

function seen(second: number): Observation {
  const common = { ref, state: "running" as const, startedAt: 0 };
  return {
    ...common,
    id: "b",
    kind: "backup",
    title: "Backup b",
    rule: "steps",
    children: [
      {
        ...common,
        id: "items",
        kind: "items",
        title: "items",
        progress: { unit: "items", done: second, total: 100 },
      },
      {
        ...common,
        id: "volumes",
        kind: "volumes",
        title: "volumes",
        rule: "sum",
        children: [
          {
            ...common,
            id: "v",
            kind: "volume",
            title: "v",
            progress: { unit: "bytes", done: second * 1e6, total: 1e8 },
          },
        ],
      },
    ],
  };
}

test("curveOf() measures by bytes of the whole where there are some, and tells every estimate with its moment", () => {
  let tracked: Tracked | undefined;
  for (let second = 0; second <= 60; second++) tracked = track(tracked, seen(second), second * 1000);
  if (!tracked) throw new Error("nothing was tracked");
  const { work, told, ms } = curveOf(tracked);
  expect(work).toMatchObject({ title: "volumes", unit: "bytes" });
  expect(work?.marks.at(-1)).toEqual([60_000, 60e6]);
  for (const [[before], [after]] of pairs(work?.marks ?? [])) expect(after).toBeGreaterThanOrEqual(before);
  expect(ms).toBe(60_000);
  expect(told.length).toBeGreaterThan(1);
  for (const [at, end] of told) expect(end).toBeGreaterThan(at);
});

test("curveOf() has nothing to draw of what cannot be counted", () => {
  const bare = { id: "a", ref, kind: "hook", title: "hook", state: "running" } as const;
  expect(curveOf(track(undefined, bare, 0))).toEqual({ told: [], ms: 0 });
});

function pairs<T>(list: readonly T[]): (readonly [T, T])[] {
  return list.slice(1).map((each, i) => [list[i] ?? each, each] as const);
}
