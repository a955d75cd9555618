import fc from "fast-check";
import { expect, test } from "vitest";
import { applyMergePatch } from "../../api/index.ts";
import { type Json, mergePatch, same, update } from "./json.ts";

/** Objects without null, which a merge patch cannot express. */
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), fc.boolean(), tie("list"), tie("map")),
  list: fc.array(tie("any"), { maxLength: 3 }),
  map: fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__", "constructor"), tie("any"), { maxKeys: 4 }),
}));

test("mergePatch() leads from one object to the other, whatever their keys", () => {
  fc.assert(
    fc.property(value.map, value.map, (from, to) => {
      const a = JSON.parse(JSON.stringify(from)) as Json;
      const b = JSON.parse(JSON.stringify(to)) as Json;
      const patch = mergePatch(a, b);
      expect(same(patch === undefined ? a : applyMergePatch(a, patch), b)).toBe(true);
      expect(patch === undefined).toBe(same(a, b));
    }),
  );
  expect(Object.prototype).not.toHaveProperty("a");
});

test("update() builds no way to nothing and takes undefined away", () => {
  const object = { spec: { a: 1, b: 2 } };
  expect(update(object, ["spec", "a"], () => undefined)).toEqual({ spec: { b: 2 } });
  expect(update(object, ["other", "a"], () => 1)).toBe(object);
  expect(update(object, ["spec", "a"], (old) => old)).toBe(object);
});
