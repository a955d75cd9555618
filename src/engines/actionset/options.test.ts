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

const inPod = { HEADWAY_IMAGE: "r/headway:1", KUBERNETES_SERVICE_HOST: "10.96.0.1" };
const program = ["/usr/bin/node", "/opt/headway/bin/headway.js"];
test.each<[string, Record<string, string>, readonly string[], object | undefined]>([
  ["a pod of its own image", inPod, program, { image: "r/headway:1", command: program }],
  ["no cluster: nobody knows what the image holds", { HEADWAY_IMAGE: "r/headway:1" }, program, undefined],
  ["a pod that does not know its image", { KUBERNETES_SERVICE_HOST: "10.96.0.1" }, program, undefined],
  ["a program that does not know how it was started", inPod, [], undefined],
])("actionOptions() knows which image is ours: %s", (_, env, command, own) => {
  expect(actionOptions(env, command).own).toEqual(own);
});
