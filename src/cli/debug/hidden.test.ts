import { expect, test } from "vitest";
import { hidden } from "./hidden.ts";

test.each([
  [
    "an environment",
    { env: [{ name: "AWS_SECRET_ACCESS_KEY", value: "s" }] },
    { env: [{ name: "AWS_SECRET_ACCESS_KEY", value: "***" }] },
  ],
  ["a field", { config: { password: "s", region: "eu" } }, { config: { password: "***", region: "eu" } }],
  ["a list of objects", [{ token: "s" }], [{ token: "***" }]],
  ["the name of a Secret, which is none", { secretName: "cloud" }, { secretName: "cloud" }],
  ["a reference to one", { secretRef: { name: "cloud" } }, { secretRef: { name: "cloud" } }],
  ["noise", { metadata: { name: "a", managedFields: [1] } }, { metadata: { name: "a" } }],
  ["what was applied last", { "kubectl.kubernetes.io/last-applied-configuration": "s" }, {}],
  ["numbers and nothing", { passwords: 3, token: null }, { passwords: 3, token: null }],
])("hidden() of %s", (_title, value, want) => {
  expect(hidden(value)).toEqual(want);
});
