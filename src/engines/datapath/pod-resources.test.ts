import { expect, test } from "vitest";
import { readPodResources } from "./pod-resources.ts";

test.each([
  [{}, { requests: {}, limits: {} }],
  [
    {
      cpuRequest: "500m",
      cpuLimit: "0",
      memoryRequest: "64Mi",
      memoryLimit: "1Gi",
      ephemeralStorageLimit: "2Gi",
    },
    { requests: { cpu: "500m", memory: "64Mi" }, limits: { memory: "1Gi", "ephemeral-storage": "2Gi" } },
  ],
  [{ memoryRequest: "1Gi" }, { requests: { memory: "1Gi" }, limits: {} }],
  [7, { fault: "it is no object" }],
  [{ cpuRequest: 1 }, { fault: "cpuRequest is 1, not a quantity" }],
  [{ memoryLimit: "lots" }, { fault: 'memoryLimit is "lots", not a quantity' }],
  [{ memoryLimit: "-1Gi" }, { fault: 'memoryLimit is "-1Gi", not a quantity' }],
  [{ cpuRequest: "2", cpuLimit: "500m" }, { fault: "cpuRequest is above cpuLimit" }],
])("readPodResources() of %j", (found, expected) => {
  expect(readPodResources(found)).toEqual(expected);
});
