import { expect, test } from "vitest";
import { backupSpecOf, pairsOf, parseSelector } from "./spec.ts";

test("backupSpecOf() turns flags into the spec, and leaves out what nobody said", () => {
  expect(backupSpecOf({ args: [], flags: {} })).toEqual({});
  expect(
    backupSpecOf({
      args: [],
      flags: {
        "include-namespaces": ["a", "b"],
        "include-cluster-resources": "false",
        "ordered-resources": "pods=ns1/a,ns1/b;persistentvolumes=x",
        "resource-policies-configmap": "rules",
        "parallel-files-upload": "8",
        selector: "app=web",
        ttl: "24h",
      },
    }),
  ).toEqual({
    includedNamespaces: ["a", "b"],
    includeClusterResources: false,
    orderedResources: { pods: "ns1/a,ns1/b", persistentvolumes: "x" },
    resourcePolicy: { kind: "configmap", name: "rules" },
    uploaderConfig: { parallelFilesUpload: 8 },
    labelSelector: { matchLabels: { app: "web" } },
    ttl: "24h",
  });
});

test.each([
  ["a=b,c=d", { matchLabels: { a: "b", c: "d" } }],
  ["a==b", { matchLabels: { a: "b" } }],
  ["a!=b", { matchExpressions: [{ key: "a", operator: "NotIn", values: ["b"] }] }],
  ["a in (b, c)", { matchExpressions: [{ key: "a", operator: "In", values: ["b", "c"] }] }],
  [
    "a notin (b),x=y",
    { matchLabels: { x: "y" }, matchExpressions: [{ key: "a", operator: "NotIn", values: ["b"] }] },
  ],
  [
    "a,!b",
    {
      matchExpressions: [
        { key: "a", operator: "Exists" },
        { key: "b", operator: "DoesNotExist" },
      ],
    },
  ],
])("parseSelector() reads %s", (text, want) => {
  expect(parseSelector(text)).toEqual(want);
});

test("wrong use is told", () => {
  expect(() => parseSelector("a = b = c")).toThrow("is not a label selector");
  expect(() => pairsOf({ args: [], flags: { labels: ["=x"] } }, "labels")).toThrow(
    'takes key=value, not "=x"',
  );
  expect(() => backupSpecOf({ args: [], flags: { ttl: "3 days" } })).toThrow(
    '--ttl takes a duration such as 72h or 1h30m, not "3 days"',
  );
  expect(() => backupSpecOf({ args: [], flags: { "ordered-resources": "pods" } })).toThrow(
    "--ordered-resources takes",
  );
});
