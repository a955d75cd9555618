import { expect, test } from "vitest";
import { errorWords, firstErrors } from "./first-errors.ts";

test.each([
  ["resource: /pods name: /web message: /cannot be read error: /gone", 'pods "web": cannot be read: gone'],
  ["resource: /pods name: /web message: /cannot be read", 'pods "web": cannot be read'],
  ["resource: /pods message: /cannot be listed error: /no: really", "pods: cannot be listed: no: really"],
  ["name: /db message: /volume \u001b[2Jdata", '"db": volume  [2Jdata'],
  ["message: /odd", "odd"],
  ["error: /only this", "only this"],
  ["some other words", "some other words"],
])("errorWords(%s)", (stored, words) => {
  expect(errorWords(stored)).toBe(words);
});

test("firstErrors() tells five, with their namespaces, and how many more there are", () => {
  const shop = ["a", "b", "c", "d", "e"].map((name) => `resource: /pods name: /${name} message: /gone`);
  const told = firstErrors({ errors: { velero: ["message: /the store is full"], namespaces: { shop } } });
  expect(told).toEqual([
    "the store is full",
    ...["a", "b", "c", "d"].map((name) => `shop: pods "${name}": gone`),
    "… and 1 more",
  ]);
});

test.each([undefined, "text", { errors: 3 }])("firstErrors(%j) is none", (results) => {
  expect(firstErrors(results)).toEqual([]);
});
