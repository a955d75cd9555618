// What the conformance suites share: a namespace, a definition with two versions, and short words for frequent requests.
import { expect } from "vitest";
import { type Answer, type Body, openTarget, type Target, until } from "./request.ts";

/** The server under test; set by `open`. */
export let target: Target;
export const ns = `conf-${Math.random().toString(36).slice(2, 8)}`;
export const core = `/api/v1/namespaces/${ns}`;
export const maps = `${core}/configmaps`;
export const apps = `/apis/apps/v1/namespaces/${ns}`;
export const group = `${ns}.example.com`;
export const widgets = `/apis/${group}/v1/namespaces/${ns}/widgets`;
export const merge = { type: "application/merge-patch+json" };
export const strategic = { type: "application/strategic-merge-patch+json" };
export const json = { type: "application/json-patch+json" };
export const applyAs = (manager: string, force = false): string =>
  `?fieldManager=${manager}${force ? "&force=true" : ""}`;
export const apply = { type: "application/apply-patch+yaml" };

const schema: Body = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, maximum: 10 },
        color: { type: "string", enum: ["red", "blue"], default: "red" },
        name: { type: "string", maxLength: 5, pattern: "^[a-z]*$" },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        tags: { type: "array", maxItems: 2, items: { type: "string" } },
        port: { "x-kubernetes-int-or-string": true },
        parts: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["id"],
          items: {
            type: "object",
            required: ["id"],
            properties: { id: { type: "string" }, n: { type: "integer", default: 7 } },
          },
        },
      },
    },
    status: { type: "object", properties: { phase: { type: "string" }, replicas: { type: "integer" } } },
  },
};

/** Opens the server and makes what the suites need. */
export async function open(): Promise<void> {
  target = await openTarget();
  await target.call("POST", "/api/v1/namespaces", { metadata: { name: ns } });
  await target.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" },
          },
          additionalPrinterColumns: [
            { name: "Size", type: "integer", jsonPath: ".spec.size" },
            { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
          ],
        },
        { name: "v1alpha1", served: true, storage: false, schema: { openAPIV3Schema: schema } },
      ],
    },
  });
  await until(
    () => target.call("GET", widgets),
    ({ code }) => code === 200,
  );
  // Pods are refused in a namespace that has no account yet.
  await until(
    () => target.call("GET", `${core}/serviceaccounts/default`),
    ({ code }) => code === 200,
  );
}

/** Takes it all away. */
export async function shut(): Promise<void> {
  await target.call("DELETE", `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`);
  await target.call("DELETE", `/api/v1/namespaces/${ns}`);
  await target.close();
}

let counter = 0;
export const fresh = (): string => `n${(counter += 1)}`;
export const map = (name: string, more: object = {}): Body => ({
  metadata: { name },
  data: { a: "1" },
  ...more,
});
export const widget = (name: string, spec: object = { size: 1 }): Body => ({
  apiVersion: `${group}/v1`,
  kind: "Widget",
  metadata: { name },
  spec,
});

export async function made(path: string, body: Body): Promise<Body> {
  const { code, text, body: object } = await target.call("POST", path, body);
  expect(code, text).toBe(201);
  return object;
}

export function refused(answer: Answer, code: number, reason: string, message: RegExp | string): void {
  expect([answer.code, answer.body.reason, answer.body.kind], answer.text).toEqual([code, reason, "Status"]);
  if (typeof message === "string") expect(answer.body.message).toBe(message);
  else expect(answer.body.message).toMatch(message);
}
