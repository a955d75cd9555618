import { afterEach, beforeEach, expect, test } from "vitest";
import { Api } from "../api.ts";
import type { KubeObject } from "../object.ts";
import { Store } from "../store.ts";
import { environmentOf, expand } from "./environment.ts";

let api: Api;

beforeEach(() => {
  api = new Api(new Store(":memory:"), () => 0);
  const metadata = { name: "m" };
  api.create(api.resource("configmaps"), "n", {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata,
    data: { A: "1" },
  });
  const data = { S: Buffer.from("secret").toString("base64") };
  api.create(api.resource("secrets"), "n", { kind: "Secret", apiVersion: "v1", metadata, data });
});

afterEach(() => api.store.close());

const pod: KubeObject = {
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "p", namespace: "n", labels: { app: "x" } },
  spec: { nodeName: "here" },
};

test("environmentOf(): later wins, references are resolved, $(NAME) is expanded in order", () => {
  const container = {
    envFrom: [{ configMapRef: { name: "m" } }, { prefix: "P_", secretRef: { name: "m" } }],
    env: [
      { name: "A", value: "2" },
      { name: "B", value: "$(A)-$(LATER)-$$(A)" },
      { name: "LATER", value: "z" },
      { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
      { name: "APP", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
      { name: "NONE", valueFrom: { secretKeyRef: { name: "m", key: "absent", optional: true } } },
    ],
  };
  expect(environmentOf(api, pod, container, { PATH: "/bin" })).toEqual({
    PATH: "/bin",
    A: "2",
    P_S: "secret",
    B: "2-$(LATER)-$(A)",
    LATER: "z",
    NODE: "here",
    APP: "x",
  });
});

test.each([
  [{ envFrom: [{ secretRef: { name: "absent" } }] }, 'secret "absent" not found'],
  [
    { env: [{ name: "X", valueFrom: { configMapKeyRef: { name: "m", key: "absent" } } }] },
    "couldn't find key absent in m",
  ],
])("environmentOf() waits for what is missing: %j", (container, why) => {
  expect(() => environmentOf(api, pod, container, {})).toThrow(
    expect.objectContaining({ name: "NotYet", message: why }),
  );
});

test("expand() leaves unknown names", () => {
  expect(expand("$(A) $(B) $$(A) $A", { A: "1" })).toBe("1 $(B) $(A) $A");
});
