import { expect, test } from "vitest";
import { matchesLabels, parseFieldSelector, parseLabelSelector } from "./selector.ts";

const labels = { app: "web", tier: "front", size: "5" };

test.each([
  ["", true],
  ["app=web", true],
  ["app==web,tier!=back", true],
  ["app in (db, web),tier notin (back)", true],
  ["app,!other", true],
  ["other!=x", true],
  ["size>4,size<6", true],
  ["app=db", false],
  ["!app", false],
  ["other", false],
  ["other in (x)", false],
])("matchesLabels() of %j is %s", (selector, fits) => {
  expect(matchesLabels(parseLabelSelector(selector), labels)).toBe(fits);
  expect(matchesLabels(parseLabelSelector(selector), undefined)).toBe(
    ["", "other!=x", "!app"].includes(selector),
  );
});

test.each(["a=b=c", "app in web", "-bad=x", "app=-"])(
  "parseLabelSelector() refuses %j with 400",
  (selector) => {
    expect(() => parseLabelSelector(selector)).toThrow(expect.objectContaining({ code: 400 }));
  },
);

test("parseFieldSelector() reads equal and different, and unescapes", () => {
  expect(parseFieldSelector("metadata.name=a,status.phase!=Running")).toEqual([
    { path: "metadata.name", value: "a", equal: true },
    { path: "status.phase", value: "Running", equal: false },
  ]);
  expect(() => parseFieldSelector("metadata.name")).toThrow(expect.objectContaining({ code: 400 }));
});
