import { expect, test } from "vitest";
import { fillPaths, isPathError } from "./json-path.ts";

const object = {
  spec: { replicas: 3 },
  metadata: { labels: { "a.b/c": "x" } },
  status: {
    phase: "Running",
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Available", status: "False" },
    ],
  },
};

test.each([
  ['{{ if eq "{ $.status.phase }" "Running" }}', '{{ if eq "Running" "Running" }}'],
  ["{$.spec.replicas}", "3"],
  ["{ $.status.conditions[0].type }/{ $.status.conditions[-1].type }", "Ready/Available"],
  ["{ $.status.conditions[*].type }", "Ready Available"],
  ['{ $.status.conditions[?(@.type == "Available")].status }', "False"],
  ["{ $.status.conditions[?(@.type!='Ready')].type }", "Available"],
  ["{ $.metadata.labels['a.b/c'] }", "x"],
  ["{ $.spec[ }", ""],
  ["no path { at } all", "no path { at } all"],
])("fillPaths(%j)", (text, want) => {
  expect(fillPaths(text, object)).toBe(want);
});

test("a path that leads nowhere is not there yet", () => {
  let thrown: unknown;
  try {
    fillPaths("{ $.status.readyReplicas }", object);
  } catch (error) {
    thrown = error;
  }
  expect(isPathError(thrown)).toBe(true);
});
