import { expect, test } from "vitest";
import { podFacts } from "./pod-facts.ts";

const pod = (phase: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "n", uid: "u", labels: { a: "b" }, ...more },
  spec: { nodeName: "n1", containers: [{ name: "c" }] },
  status: { phase },
});

test.each([
  ["one that runs", pod("Running"), undefined],
  ["one that failed", pod("Failed"), "Ending"],
  ["one that is deleted", pod("Running", { deletionTimestamp: "2026-01-01T00:00:00Z" }), "Ending"],
])("podFacts() keeps little of a pod: %s", (_name, object, phase) => {
  expect(podFacts(object)).toEqual({
    metadata: { name: "p", namespace: "n", uid: "u" },
    spec: { nodeName: "n1", initContainers: [] },
    status: { initContainerStatuses: [], ...(phase && { phase }) },
  });
});
