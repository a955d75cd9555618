import fc from "fast-check";
import { expect, test } from "vitest";
import { applyJsonPatch, type JsonOperation } from "./json-patch.ts";
import { isRecord, type JsonRecord, sameJson } from "./json-value.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { PatchError } from "./patch-error.ts";
import { applyStrategicPatch } from "./strategic-merge.ts";

test.each([
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [[1, 2], [2, 1], false],
  [{ a: undefined }, {}, false],
  [null, {}, false],
  [1, "1", false],
  [raw("1"), 1, true],
  [raw("12345678901234567890"), raw("12345678901234567891"), false],
])("sameJson(%j, %j) is %s", (a, b, want) => {
  expect(sameJson(a, b)).toBe(want);
});

test("isRecord() is false for lists, null and numbers that were kept as text", () => {
  expect([{}, [], null, "x", raw("1.0")].map(isRecord)).toEqual([true, false, false, false, false]);
});

test.each([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [{ a: { b: 1 } }, { a: raw("1.00") }, { a: raw("1.00") }],
])("applyMergePatch() of %j with %j", (target, patch, want) => {
  expect(applyMergePatch(target, patch)).toEqual(want);
});

test.each<[JsonRecord, JsonOperation[], JsonRecord]>([
  [{ a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
  [{ a: [1, 3] }, [{ op: "add", path: "/a/1", value: 2 }], { a: [1, 2, 3] }],
  [{ a: [1] }, [{ op: "add", path: "/a/-", value: 2 }], { a: [1, 2] }],
  [{ a: [1, 2] }, [{ op: "add", path: "/a/-1", value: 3 }], { a: [1, 2, 3] }],
  [{ a: [1, 2] }, [{ op: "replace", path: "/a/-1", value: 3 }], { a: [1, 3] }],
  [{ a: [1, 2] }, [{ op: "remove", path: "/a/-2" }], { a: [2] }],
  [{ a: 1, b: 2 }, [{ op: "remove", path: "/a" }], { b: 2 }],
  [{ a: 1 }, [{ op: "replace", path: "/a" }], { a: null }],
  [{ a: { "x/y": 1 } }, [{ op: "move", from: "/a/x~1y", path: "/b" }], { a: {}, b: 1 }],
  [{ a: [1] }, [{ op: "copy", from: "/a", path: "/b" }], { a: [1], b: [1] }],
  [{ a: 1 }, [{ op: "test", path: "/a", value: 1 }], { a: 1 }],
  [{ a: 1 }, [{ op: "test", path: "/b", value: null }], { a: 1 }],
  [{ a: 1 }, [{ op: "replace", path: "", value: { b: 2 } }], { b: 2 }],
])("applyJsonPatch() of %j with %j", (target, patch, want) => {
  const before = structuredClone(target);
  expect(applyJsonPatch(target, patch)).toEqual(want);
  expect(target, "what was given stays as it is").toEqual(before);
});

test.each<[string, unknown]>([
  ["nothing to remove", { op: "remove", path: "/nope" }],
  ["another value", { op: "test", path: "/a", value: 2 }],
  ["no parent", { op: "test", path: "/x/y", value: null }],
  ["no parent", { op: "replace", path: "/x/y", value: 2 }],
  ["no field", { op: "replace", path: "/x", value: 2 }],
  ["a parent that is no object", { op: "add", path: "/a/b", value: 2 }],
  ["beyond a list's end", { op: "add", path: "/l/2", value: 2 }],
  ["before a list's beginning", { op: "remove", path: "/l/-2" }],
  ["no place in a list", { op: "replace", path: "/l/x", value: 2 }],
  ["the end, which nothing is at", { op: "replace", path: "/l/-", value: 2 }],
  ["what all objects have", { op: "add", path: "/__proto__/x", value: 2 }],
  ["an unknown operation", { op: "spin", path: "/a" }],
  ["no pointer", { op: "add", path: "a", value: 1 }],
  ["no path", { op: "add" }],
  ["no operation", null],
])("applyJsonPatch() refuses %s", (_title, operation) => {
  expect(() => applyJsonPatch({ a: 1, l: [1] }, [operation as JsonOperation])).toThrow(PatchError);
});

test("applyJsonPatch() adds by replacing where the rules say so, but not to a list", () => {
  const replace = (path: string) => [{ op: "replace", path, value: 2 }];
  expect(applyJsonPatch({ a: [] }, replace("/b"), { replaceAdds: true })).toEqual({ a: [], b: 2 });
  expect(() => applyJsonPatch({ a: [] }, replace("/a/0"), { replaceAdds: true })).toThrow(PatchError);
  expect(() => applyJsonPatch({ a: [] }, replace("/b/c"), { replaceAdds: true })).toThrow(PatchError);
});

const pod = (...containers: JsonRecord[]): JsonRecord => ({ spec: { containers } });

test.each<[string, JsonRecord, JsonRecord, JsonRecord]>([
  [
    "elements are paired by their merge key",
    pod({ name: "a", image: "1" }, { name: "b", image: "1" }),
    pod({ name: "b", image: "2" }),
    pod({ name: "a", image: "1" }, { name: "b", image: "2" }),
  ],
  [
    "elements of elements too",
    pod({ name: "a", env: [{ name: "E", value: "1" }], ports: [{ containerPort: 80, name: "web" }] }),
    pod({ name: "a", env: [{ name: "F", value: "2" }], ports: [{ containerPort: 80, name: "http" }] }),
    pod({
      name: "a",
      env: [
        { name: "E", value: "1" },
        { name: "F", value: "2" },
      ],
      ports: [{ containerPort: 80, name: "http" }],
    }),
  ],
  [
    "a service's ports have another key",
    { spec: { ports: [{ port: 80, name: "web" }] } },
    { spec: { ports: [{ port: 80, nodePort: 30080 }] } },
    { spec: { ports: [{ port: 80, name: "web", nodePort: 30080 }] } },
  ],
  ["a new element is appended", pod({ name: "a" }), pod({ name: "b" }), pod({ name: "a" }, { name: "b" })],
  [
    "$patch: delete removes an element",
    pod({ name: "a" }, { name: "b" }),
    pod({ name: "a", $patch: "delete" }, { name: "none", $patch: "delete" }),
    pod({ name: "b" }),
  ],
  ["$patch: delete removes a field", { a: { b: 1 }, c: 1 }, { a: { $patch: "delete" } }, { c: 1 }],
  ["$patch: replace replaces", { a: { b: 1 } }, { a: { c: 2, $patch: "replace" } }, { a: { c: 2 } }],
  [
    "$patch: replace takes the rest of the list",
    pod({ name: "a" }),
    pod({ name: "b" }, { $patch: "replace" }),
    pod({ name: "b" }),
  ],
  [
    "null removes a field",
    pod({ name: "a", image: "1" }),
    pod({ name: "a", image: null }),
    pod({ name: "a" }),
  ],
  [
    "a list without merge key is replaced",
    pod({ name: "a", args: ["x"] }),
    pod({ name: "a", args: ["y"] }),
    pod({ name: "a", args: ["y"] }),
  ],
  [
    "$retainKeys drops the others",
    { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
    { spec: { volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" } }] } },
    { spec: { volumes: [{ name: "v", hostPath: { path: "/" } }] } },
  ],
  [
    "a set is joined, and values are taken out of it",
    { metadata: { finalizers: ["a/a", "c/c"] } },
    { metadata: { finalizers: ["b/b", "c/c"], "$deleteFromPrimitiveList/finalizers": ["a/a"] } },
    { metadata: { finalizers: ["c/c", "b/b"] } },
  ],
  [
    "$setElementOrder sorts, and what it does not name stays where it is",
    pod({ name: "a" }, { name: "x" }, { name: "b" }),
    { spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] } },
    pod({ name: "b" }, { name: "x" }, { name: "a" }),
  ],
])("applyStrategicPatch(): %s", (_title, target, patch, want) => {
  expect(applyStrategicPatch(target, patch)).toEqual(want);
});

test.each([
  ["an element without its key", { containers: [{ image: "x" }] }, "merge key: name"],
  ["an element that is no object", { containers: ["x"] }, "Invalid JSON document"],
])("applyStrategicPatch() refuses %s", (_title, patch, reason) => {
  expect(() => applyStrategicPatch({ containers: [{ name: "a" }] }, patch)).toThrow(reason);
});

test("no patch changes what it was given, and none gets at what all objects have", () => {
  const odd = fc.constantFrom("a", "b", "__proto__", "constructor", "containers", "$patch");
  const { any } = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), tie("list"), tie("map")),
    list: fc.array(tie("any"), { maxLength: 3 }),
    map: fc.dictionary(odd, tie("any"), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(fc.dictionary(odd, any), fc.dictionary(odd, any), (target, patch) => {
      const before = JSON.stringify([target, patch]);
      applyMergePatch(target, patch);
      try {
        applyStrategicPatch(target, patch);
      } catch (error) {
        expect(error).toBeInstanceOf(PatchError);
      }
      expect(JSON.stringify([target, patch])).toBe(before);
    }),
  );
  expect(Object.keys(Object.prototype)).toEqual([]);
});

/** A number as an archive's reader keeps it. */
function raw(text: string): unknown {
  const json: unknown = JSON;
  return (json as { rawJSON(text: string): unknown }).rawJSON(text); // newer than the types
}
