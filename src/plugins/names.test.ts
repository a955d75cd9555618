import { expect, test } from "vitest";
import { isActionName, pluginNames } from "./names.ts";

test("pluginNames() looks where upstream does, then here", () => {
  expect(pluginNames("aws")).toEqual(["velero.io/aws", "headway.dev/aws"]);
  expect(pluginNames("example.com/disks")).toEqual(["example.com/disks"]);
});

test.each([
  ["example.com/name", true],
  ["openshift.io/01-common", true],
  ["name", false],
  ["a/b/c", false],
  ["/b", false],
  ["Example/b", false],
])("isActionName() of %s", (name, want) => {
  expect(isActionName(name)).toBe(want);
});
