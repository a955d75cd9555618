import { expect, test } from "vitest";
import { type DeleteOptions, definitionFinalizer, deletion } from "./deletion.ts";
import type { KubeObject } from "./object.ts";
import { Registry } from "./registry.ts";

const registry = new Registry();
const nowMs = Date.parse("2026-01-02T03:04:05Z");

function after(storage: string, more: Partial<KubeObject>, options: DeleteOptions = {}) {
  const resource = registry.findStorage(storage);
  if (!resource) throw new Error(storage);
  const { metadata, ...rest } = more;
  const object = { kind: resource.kind, apiVersion: "v1", ...rest, metadata: { name: "x", ...metadata } };
  const { object: made, gone } = deletion(resource, object, options, nowMs);
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = made.metadata;
  return { gone, at: deletionTimestamp, grace: deletionGracePeriodSeconds, finalizers };
}

const running = { spec: { nodeName: "n", terminationGracePeriodSeconds: 7 }, status: { phase: "Running" } };

test.each([
  ["nothing holds it", "configmaps", {}, {}, { gone: true }],
  [
    "a finalizer holds it",
    "configmaps",
    { metadata: { name: "x", finalizers: ["a/b"] } },
    {},
    { gone: false, finalizers: ["a/b"], grace: 0 },
  ],
  [
    "a pod on a node gets its grace",
    "pods",
    running,
    {},
    { gone: false, grace: 7, at: "2026-01-02T03:04:12Z" },
  ],
  ["or the grace that was asked for", "pods", running, { gracePeriodSeconds: 0 }, { gone: true }],
  ["a pod without a node goes at once", "pods", { spec: {} }, {}, { gone: true }],
  ["a finished pod goes at once", "pods", { ...running, status: { phase: "Failed" } }, {}, { gone: true }],
  [
    "the foreground waits for dependents",
    "deployments.apps",
    {},
    { propagationPolicy: "Foreground" },
    { gone: false, finalizers: ["foregroundDeletion"] },
  ],
  [
    "jobs leave their pods unless told otherwise",
    "jobs.batch",
    {},
    {},
    { gone: false, finalizers: ["orphan"] },
  ],
  ["jobs with a policy follow it", "jobs.batch", {}, { propagationPolicy: "Background" }, { gone: true }],
  [
    "a definition waits for its objects",
    "customresourcedefinitions.apiextensions.k8s.io",
    {},
    {},
    { gone: false, finalizers: [definitionFinalizer] },
  ],
  [
    "a namespace waits for its content",
    "namespaces",
    { spec: { finalizers: ["kubernetes"] } },
    {},
    { gone: false },
  ],
])("deletion(): %s", (_name, storage, object, options, want) => {
  expect(after(storage, object, options)).toMatchObject(want);
});

test("deletion(): a second one may only shorten the grace", () => {
  const going = { name: "x", deletionTimestamp: "2026-01-02T03:04:35Z", deletionGracePeriodSeconds: 30 };
  expect(after("pods", { ...running, metadata: going }, { gracePeriodSeconds: 60 })).toMatchObject({
    grace: 30,
  });
  expect(after("pods", { ...running, metadata: going }, { gracePeriodSeconds: 5 })).toMatchObject({
    grace: 5,
  });
});
