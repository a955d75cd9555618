import { expect, test } from "vitest";
import { freePod } from "./workload.ts";

test("freePod() takes away the container of an earlier restore that would wait for ever", () => {
  const pod = freePod({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      nodeName: "node-1",
      initContainers: [{ name: "restore-wait" }, { name: "own" }, { name: "restic-wait" }],
      containers: [{ name: "web" }],
    },
  });
  expect(pod["spec"]).toEqual({ initContainers: [{ name: "own" }], containers: [{ name: "web" }] });
});
