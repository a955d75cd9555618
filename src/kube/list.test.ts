import { expect, test } from "vitest";
import { nextLimit, withKind } from "./list.ts";

const configMaps = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };

test.each([
  ['{"metadata":{"name":"a"}}', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}'],
  ['{"apiVersion":"v1","kind":"X"}', '{"apiVersion":"v1","kind":"X"}'],
  ['{ "kind":"X"}', '{ "kind":"X"}'],
  ["{}", '{"apiVersion":"v1","kind":"ConfigMap"}'],
])("withKind() of %s", (item, want) => {
  expect(withKind(Buffer.from(item), configMaps).toString()).toBe(want);
});

test.each([
  ["small items keep the page long", 500, 500, 500_000, 500],
  ["big items make it short", 500, 500, 500 << 20, 4],
  ["one item is always asked for", 500, 1, 50 << 20, 1],
  ["an empty page says nothing", 500, 0, 100, 500],
])("nextLimit(): %s", (_name, wanted, items, bytes, want) => {
  expect(nextLimit(wanted, items, bytes)).toBe(want);
});
