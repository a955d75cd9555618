import fc from "fast-check";
import { expect, test } from "vitest";
import { type Observation, track } from "../progress/index.ts";
import { replacing, statusOf } from "./status-patch.ts";

const ref = { apiVersion: "velero.io/v1", kind: "Backup", name: "b" };

function tree(volumes: number): Observation {
  const leaf = (id: string): Observation => ({
    id,
    ref,
    kind: "volume",
    title: `volume ${id}`,
    state: "running",
    progress: { unit: "bytes", done: 1, total: 2 },
  });
  const group = { id: "volumes", ref, kind: "volumes", title: "volumes", rule: "sum" as const };
  const children = Array.from({ length: volumes }, (_, i) => leaf(`v/${i}`));
  return { id: "b", ref, kind: "backup", title: "b", state: "running", children: [{ ...group, children }] };
}

test.each([
  [3, true, 3],
  [100, false, 100],
  [5_000, false, 0],
])("statusOf() fits %i volumes into an object", (volumes, hasEvidence, kept) => {
  const status = statusOf(track(undefined, tree(volumes), 1_000));
  expect(JSON.stringify(status).length).toBeLessThan(1_000_000);
  expect(status.children[0]?.children).toHaveLength(kept);
  expect(status.children[0]?.progress).toMatchObject({ done: volumes, total: 2 * volumes });
  expect(status.memory?.run, "the whole keeps its evidence").toBeDefined();
  expect(status.memory?.children[0]?.children[0]?.run !== undefined).toBe(hasEvidence);
});

test("statusOf() leaves the steps of volumes out before it leaves out volumes", () => {
  const step = (id: string): Observation => ({ id, ref, kind: "volume-step", title: id, weight: 0 });
  const volume = (id: string): Observation => ({
    id,
    ref,
    kind: "dataupload",
    title: id,
    state: "running",
    rule: "sum",
    children: ["a", "b", "c", "d", "e", "f"].map(step),
  });
  const children = Array.from({ length: 200 }, (_, i) => volume(`v/${i}`));
  const whole: Observation = { id: "b", ref, kind: "backup", title: "b", state: "running", children };
  const status = statusOf(track(undefined, whole, 1_000));
  expect(status.children).toHaveLength(200);
  expect(status.children[0]?.children).toEqual([]);
  const few = { ...whole, children: children.slice(0, 30) };
  expect(statusOf(track(undefined, few, 1_000)).children[0]?.children).toHaveLength(6);
});

/** What a server does with a merge patch. */
function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === "object" && target !== null && !Array.isArray(target);
  const result: Record<string, unknown> = isObject ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}

test("replacing() leaves exactly the next value, whatever was before", () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer()), tie("object")),
    object: fc.dictionary(fc.constantFrom("a", "b", "c", "d"), tie("value"), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(json.object, json.object, (before, next) => {
      expect(merge(before, replacing(before, next as object))).toEqual(next);
    }),
  );
});
