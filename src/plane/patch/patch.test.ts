import { expect, test } from "vitest";
import type { JsonMap } from "../object.ts";
import { jsonPatch } from "./json-patch.ts";
import { mergePatch } from "./merge-patch.ts";
import { strategicPatch } from "./strategic.ts";

test.each([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
] as const)("mergePatch() of %j with %j", (target, patch, want) => {
  expect(mergePatch(target, patch)).toEqual(want);
});

test.each([
  [{ a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
  [{ a: [1, 3] }, [{ op: "add", path: "/a/1", value: 2 }], { a: [1, 2, 3] }],
  [{ a: [1] }, [{ op: "add", path: "/a/-", value: 2 }], { a: [1, 2] }],
  [{ a: 1, b: 2 }, [{ op: "remove", path: "/a" }], { b: 2 }],
  [{ a: 1 }, [{ op: "replace", path: "/a", value: null }], { a: null }],
  [{ a: { "x/y": 1 } }, [{ op: "move", from: "/a/x~1y", path: "/b" }], { a: {}, b: 1 }],
  [{ a: [1] }, [{ op: "copy", from: "/a", path: "/b" }], { a: [1], b: [1] }],
  [{ a: 1 }, [{ op: "test", path: "/a", value: 1 }], { a: 1 }],
] as const)("jsonPatch() of %j with %j", (target, patch, want) => {
  expect(jsonPatch(target, patch)).toEqual(want);
});

test.each([
  [[{ op: "remove", path: "/nope" }]],
  [[{ op: "test", path: "/a", value: 2 }]],
  [[{ op: "replace", path: "/x/y", value: 2 }]],
  [[{ op: "spin", path: "/a" }]],
] as const)("jsonPatch() refuses %j", (patch) => {
  expect(() => jsonPatch({ a: 1 }, patch)).toThrow(/rejected our request/);
});

const pod = (...containers: JsonMap[]): JsonMap => ({ spec: { containers } });

test.each([
  [
    "items are paired by their merge key",
    pod({ name: "a", image: "1" }, { name: "b", image: "1" }),
    pod({ name: "b", image: "2" }),
    pod({ name: "a", image: "1" }, { name: "b", image: "2" }),
  ],
  ["a new item is appended", pod({ name: "a" }), pod({ name: "b" }), pod({ name: "a" }, { name: "b" })],
  [
    "$patch: delete removes an item",
    pod({ name: "a" }, { name: "b" }),
    pod({ name: "a", $patch: "delete" }),
    pod({ name: "b" }),
  ],
  [
    "$patch: replace takes the rest of the list",
    pod({ name: "a" }),
    pod({ name: "b" }, { $patch: "replace" }),
    pod({ name: "b" }),
  ],
  ["null removes a key", pod({ name: "a", image: "1" }), pod({ name: "a", image: null }), pod({ name: "a" })],
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
    "lists of scalars with a merge strategy are sets",
    { metadata: { finalizers: ["a/a"] } },
    { metadata: { finalizers: ["b/b"], "$deleteFromPrimitiveList/finalizers": ["a/a"] } },
    { metadata: { finalizers: ["b/b"] } },
  ],
  [
    "$setElementOrder sorts",
    pod({ name: "a" }, { name: "b" }),
    { spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] } },
    pod({ name: "b" }, { name: "a" }),
  ],
])("strategicPatch(): %s", (_name, target, patch, want) => {
  const sorted = (value: JsonMap): JsonMap => JSON.parse(JSON.stringify(value));
  expect(sorted(strategicPatch("Pod", target, patch))).toEqual(want);
});
