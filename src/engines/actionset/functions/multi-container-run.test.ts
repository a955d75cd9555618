import { expect, test } from "vitest";
import { expanded } from "./multi-container-run.ts";

const env = (value: string) => [{ name: "A", value }];

test("expanded() gives what is said of container to all that are not named", () => {
  const patch = {
    containers: [
      { name: "container", env: env("1") },
      { name: "output", env: env("2") },
    ],
  };
  expect(expanded(patch, true)).toEqual({
    containers: [
      { name: "output", env: env("2") },
      { name: "background", env: env("1") },
    ],
    initContainers: [{ name: "init", env: env("1") }],
  });
  expect(expanded(patch, false)).not.toHaveProperty("initContainers");
});

test("expanded() leaves other patches alone", () => {
  const patch = { containers: [{ name: "output" }], serviceAccountName: "x" };
  expect(expanded(patch, true)).toBe(patch);
});
