import fc from "fast-check";
import { expect, test } from "vitest";
import { composePatches, type MergePatch } from "./merge-patch.ts";

/** RFC 7396, section 2, as the reference. */
function apply(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  const result = new Map<string, unknown>(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, apply(result.get(key), value));
  }
  return Object.fromEntries(result);
}

const key = fc.constantFrom("a", "b", "c");
const { patch } = fc.letrec<{ patch: MergePatch; value: unknown }>((tie) => ({
  patch: fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  // A null followed by an object is the one pair that a single patch cannot say; see the test below.
  value: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.constant([1]), tie("patch")),
}));
const withNulls = fc.dictionary(key, fc.oneof(fc.constant(null), fc.integer()));

test("composePatches() does in one step what two patches do", () => {
  fc.assert(
    fc.property(patch, patch, withNulls, (target, first, next) => {
      const once = apply(target, composePatches(first, next));
      expect(once).toEqual(apply(apply(target, first), next));
    }),
  );
});

test("composePatches() lets a later object win over a removal", () => {
  expect(composePatches({ a: null }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
});

test("composePatches() takes __proto__ as a key", () => {
  const odd = composePatches({}, JSON.parse('{"__proto__":{"x":1}}') as MergePatch);
  expect(JSON.stringify(odd)).toBe('{"__proto__":{"x":1}}');
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});
