import { expect, test } from "vitest";
import { actionOptions } from "./options.ts";

test("actionOptions() has upstream's defaults", () => {
  expect(actionOptions({})).toEqual({
    toolsImage: "ghcr.io/kanisterio/kanister-tools:0.119.0",
    podReadyMs: 900_000,
    podDefaults: { secure: false, imagePullPolicy: "IfNotPresent" },
    percent: "decimal",
    concurrent: 200,
  });
});

test("actionOptions() reads upstream's variables, both names of the time for pods", () => {
  const env = { KANISTER_TOOLS: "t", SECURE_DEFAULTS_FOR_JOB_PODS: "true", POD_SERVICE_ACCOUNT: "a" };
  expect(actionOptions({ ...env, TIMEOUT_WORKER_POD_READY: "2" })).toMatchObject({
    toolsImage: "t",
    podReadyMs: 120_000,
    podDefaults: { secure: true },
    serviceAccount: "a",
  });
  expect(actionOptions({ KANISTER_POD_READY_WAIT_TIMEOUT: "0.5" }).podReadyMs).toBe(30_000);
  expect(actionOptions({ TIMEOUT_WORKER_POD_READY: "soon" }).podReadyMs).toBe(900_000);
});
