import { expect, test } from "vitest";
import { applyStrategicPatch } from "./strategic-merge.ts";

const pod = {
  containers: [
    { name: "a", image: "x", env: [{ name: "E", value: "1" }], ports: [{ containerPort: 80, name: "web" }] },
    { name: "b", image: "y" },
  ],
  tolerations: [{ key: "old" }],
};

test("applyStrategicPatch() merges lists by their key, replaces the others, and removes with null", () => {
  const patch = {
    containers: [
      { name: "a", env: [{ name: "F", value: "2" }], ports: [{ containerPort: 80, name: "http" }] },
    ],
    tolerations: [{ key: "new" }],
    hostNetwork: null,
  };
  expect(applyStrategicPatch({ ...pod, hostNetwork: true }, patch)).toEqual({
    containers: [
      {
        name: "a",
        image: "x",
        env: [
          { name: "E", value: "1" },
          { name: "F", value: "2" },
        ],
        ports: [{ containerPort: 80, name: "http" }],
      },
      { name: "b", image: "y" },
    ],
    tolerations: [{ key: "new" }],
  });
});

test("applyStrategicPatch() obeys its directives", () => {
  const merged = applyStrategicPatch(pod, {
    containers: [
      { name: "b", $patch: "delete" },
      { name: "c", image: "z" },
    ],
  });
  expect((merged as typeof pod).containers.map(({ name }) => name)).toEqual(["a", "c"]);
  const replaced = applyStrategicPatch(pod, { containers: [{ $patch: "replace" }, { name: "c" }] });
  expect((replaced as typeof pod).containers).toEqual([{ name: "c" }]);
});
