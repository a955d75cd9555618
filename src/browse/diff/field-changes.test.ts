import { expect, test } from "vitest";
import { canonical, fieldChanges, withoutNoise } from "./field-changes.ts";

const plain = { isSecret: false, limit: 100 };

test("withoutNoise() keeps what a person has decided, and drops what servers write", () => {
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "a",
      uid: "1",
      resourceVersion: "2",
      managedFields: [{}],
      generation: 3,
      creationTimestamp: "t",
      labels: { app: "web" },
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", kept: "yes" },
      ownerReferences: [{ kind: "ReplicaSet", name: "r", uid: "9" }],
    },
    spec: { a: 1 },
    status: { phase: "Running" },
  };
  expect(withoutNoise(object)).toEqual({
    metadata: {
      name: "a",
      labels: { app: "web" },
      annotations: { kept: "yes" },
      ownerReferences: [{ kind: "ReplicaSet", name: "r" }],
    },
    spec: { a: 1 },
  });
  // An object that has nothing but noise there is equal to one that has nothing.
  const bare = { metadata: { name: "a", annotations: { "deployment.kubernetes.io/revision": "4" } } };
  expect(canonical(withoutNoise(bare))).toBe(canonical(withoutNoise({ metadata: { name: "a" } })));
});

test("fieldChanges() names fields, and things of lists by their names", () => {
  const containers = (image: string, ...more: string[]) => [
    ...more.map((name) => ({ name })),
    { name: "web", image },
  ];
  const before = { spec: { replicas: 1, containers: containers("a:1"), args: ["x", "y"], gone: null } };
  const after = { spec: { replicas: 2, containers: containers("a:2", "log"), args: ["x", "z", "w"] } };
  expect(fieldChanges(before, after, plain)).toEqual([
    { path: "spec.replicas", before: 1, after: 2 },
    { path: "spec.containers[web].image", before: "a:1", after: "a:2" },
    { path: "spec.containers[log]", after: { name: "log" } },
    { path: "spec.args[1]", before: "y", after: "z" },
    { path: "spec.args[2]", after: "w" },
    { path: "spec.gone", before: null },
  ]);
});

test("fieldChanges() hides the values of Secrets, and shows that they differ", () => {
  const before = { data: { key: "canary-1", same: "s" }, stringData: { a: "canary" }, type: "Opaque" };
  const after = { data: { key: "canary-2", same: "s", new: "canary-3" }, type: "tls" };
  const changes = fieldChanges(before, after, { isSecret: true, limit: 100 });
  expect(JSON.stringify(changes)).not.toContain("canary");
  expect(changes.map(({ path }) => path)).toEqual(["data.key", "data.new", "stringData", "type"]);
  // All of data at once is hidden as well.
  expect(
    JSON.stringify(fieldChanges({ data: { k: "canary" } }, {}, { isSecret: true, limit: 1 })),
  ).not.toContain("canary");
});

test("fieldChanges() is bounded: so many fields, so much of each", () => {
  const wide = (n: number) => Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, n]));
  expect(fieldChanges(wide(1), wide(2), { isSecret: false, limit: 7 })).toHaveLength(7);
  const [long] = fieldChanges({ a: "x".repeat(10_000) }, {}, plain);
  expect(String(long?.before)).toHaveLength(2_001);
});

test("fieldChanges() says nothing of the same value, whatever the order of its fields", () => {
  expect(fieldChanges({ a: 1, b: [{ name: "x" }] }, { b: [{ name: "x" }], a: 1 }, plain)).toEqual([]);
});

test("names with dots stand in brackets", () => {
  expect(fieldChanges({ labels: { "a.b/c": "1" } }, { labels: { "a.b/c": "2" } }, plain)[0]?.path).toBe(
    'labels["a.b/c"]',
  );
});
