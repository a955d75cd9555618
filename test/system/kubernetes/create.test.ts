// create: against the embedded server, and against the real one that KUBECONFIG names when HEADWAY_TEST_CLUSTER=1.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fresh, made, map, maps, ns, open, refused, shut, target } from "./conformance.ts";
import { type Body } from "./request.ts";

beforeAll(open);
afterAll(shut);

describe("create", () => {
  test("completes the metadata", async () => {
    const object = await made(maps, map(fresh(), {}));
    expect(object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { a: "1" } });
    expect(object.metadata).toMatchObject({ namespace: ns });
    expect(object.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(object.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(0);
  });

  test("generateName appends five letters", async () => {
    const object = await made(maps, { metadata: { generateName: "gen-" } });
    expect(object.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test("a dry run answers and stores nothing", async () => {
    const name = fresh();
    expect((await target.call("POST", `${maps}?dryRun=All`, map(name))).code).toBe(201);
    expect((await target.call("GET", `${maps}/${name}`)).code).toBe(404);
  });

  test("the same name twice", async () => {
    await made(maps, map("twice"));
    refused(
      await target.call("POST", maps, map("twice")),
      409,
      "AlreadyExists",
      'configmaps "twice" already exists',
    );
  });

  test("in a namespace that is not there", async () => {
    const answer = await target.call("POST", "/api/v1/namespaces/nowhere/configmaps", map("x"));
    refused(answer, 404, "NotFound", 'namespaces "nowhere" not found');
  });

  test.each<[string, Body, number, string, RegExp]>([
    [
      "no name",
      { metadata: {} },
      422,
      "Invalid",
      /metadata.name: Required value: name or generateName is required/,
    ],
    [
      "a bad name",
      { metadata: { name: "A_" } },
      422,
      "Invalid",
      /^ConfigMap "A_" is invalid: metadata.name: Invalid value: "A_": a lowercase RFC 1123 subdomain/,
    ],
    [
      "a bad label key",
      { metadata: { name: "x", labels: { "a b": "c" } } },
      422,
      "Invalid",
      /metadata.labels: Invalid value: "a b": name part must consist/,
    ],
    [
      "a bad label value",
      { metadata: { name: "x", labels: { a: "-c-" } } },
      422,
      "Invalid",
      /metadata.labels: Invalid value: "-c-": a valid label must be/,
    ],
    [
      "a bad annotation key",
      { metadata: { name: "x", annotations: { "a b": "c" } } },
      422,
      "Invalid",
      /metadata.annotations: Invalid value: "a b"/,
    ],
    [
      "an unqualified finalizer",
      { metadata: { name: "x", finalizers: ["bad"] } },
      422,
      "Invalid",
      /metadata.finalizers\[0\]: Invalid value: "bad": name is neither/,
    ],
    [
      "an empty owner",
      { metadata: { name: "x", ownerReferences: [{ kind: "A" }] } },
      422,
      "Invalid",
      /ownerReferences.apiVersion: Invalid value: "": version must not be empty.*ownerReferences.uid/,
    ],
    [
      "a bad key",
      { metadata: { name: "x" }, data: { "a b": "c" } },
      422,
      "Invalid",
      /data\[a b\]: Invalid value: "a b": a valid config key/,
    ],
    [
      "another namespace",
      { metadata: { name: "x", namespace: "other" } },
      400,
      "BadRequest",
      /^the namespace of the provided object does not match/,
    ],
    [
      "a label that is no text",
      { metadata: { name: "x", labels: { a: 1 } } },
      400,
      "BadRequest",
      /json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string$/,
    ],
    [
      "another kind",
      { kind: "Pod", apiVersion: "v1", metadata: { name: "x" } },
      400,
      "BadRequest",
      /^Pod in version "v1" cannot be handled as a ConfigMap/,
    ],
    [
      "half a body",
      "{",
      400,
      "BadRequest",
      /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; json parse error: unexpected end of JSON input/,
    ],
  ])("is refused: %s", async (_name, body, code, reason, message) => {
    refused(await target.call("POST", maps, body), code, reason, message);
  });

  test("a resourceVersion on a new object is refused", async () => {
    const answer = await target.call("POST", maps, { metadata: { name: "x", resourceVersion: "1" } });
    expect([answer.code, answer.body.message]).toEqual([
      500,
      "resourceVersion should not be set on objects to be created",
    ]);
  });

  test('a resourceVersion of "0" on a new object counts as none', async () => {
    const { name } = map(fresh()).metadata;
    const { code, body } = await target.call("POST", maps, { metadata: { name, resourceVersion: "0" } });
    expect([code, body.metadata.name]).toEqual([201, name]);
  });

  test("an unknown field is dropped with a warning", async () => {
    const { code, headers, body } = await target.call("POST", maps, { ...map(fresh()), foo: 1 });
    expect([code, headers["warning"], body.foo]).toEqual([201, '299 - "unknown field \\"foo\\""', undefined]);
  });

  test("an unknown field is refused when validation is strict", async () => {
    const answer = await target.call("POST", `${maps}?fieldValidation=Strict`, { ...map(fresh()), foo: 1 });
    refused(
      answer,
      400,
      "BadRequest",
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo"',
    );
  });
});
