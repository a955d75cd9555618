// update, patch: against the embedded server, and against the real one that KUBECONFIG names when HEADWAY_TEST_CLUSTER=1.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  apply,
  applyAs,
  apps,
  fresh,
  json,
  made,
  map,
  maps,
  merge,
  open,
  refused,
  shut,
  strategic,
  target,
  widget,
  widgets,
} from "./conformance.ts";
import { type Body } from "./request.ts";

beforeAll(open);
afterAll(shut);

describe("update", () => {
  test("replaces, and counts a new version", async () => {
    const object = await made(maps, map(fresh()));
    const { code, body } = await target.call("PUT", `${maps}/${object.metadata.name}`, {
      ...object,
      data: { b: "2" },
    });
    expect([code, body.data]).toEqual([200, { b: "2" }]);
    expect(body.metadata.resourceVersion).not.toBe(object.metadata.resourceVersion);
    expect(body.metadata.uid).toBe(object.metadata.uid);
  });

  test("writes nothing when nothing changes", async () => {
    const object = await made(maps, map(fresh()));
    const { body } = await target.call("PUT", `${maps}/${object.metadata.name}`, object);
    expect(body.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
  });

  test("is refused on an old version", async () => {
    const object = await made(maps, map(fresh()));
    const path = `${maps}/${object.metadata.name}`;
    await target.call("PUT", path, { ...object, data: { b: "2" } });
    refused(
      await target.call("PUT", path, { ...object, data: { c: "3" } }),
      409,
      "Conflict",
      /the object has been modified; please apply your changes to the latest version/,
    );
  });

  test("without a version is not checked", async () => {
    const object = await made(maps, map(fresh()));
    const { name } = object.metadata;
    expect((await target.call("PUT", `${maps}/${name}`, { metadata: { name }, data: { z: "1" } })).code).toBe(
      200,
    );
  });

  test("of another name is refused", async () => {
    await made(maps, map("mine"));
    refused(
      await target.call("PUT", `${maps}/mine`, map("yours")),
      400,
      "BadRequest",
      "the name of the object (yours) does not match the name on the URL (mine)",
    );
  });

  test("of what is not there", async () => {
    refused(
      await target.call("PUT", `${maps}/absent`, map("absent")),
      404,
      "NotFound",
      'configmaps "absent" not found',
    );
  });

  test("an immutable ConfigMap keeps its data", async () => {
    const object = await made(maps, map(fresh(), { immutable: true }));
    const answer = await target.call("PUT", `${maps}/${object.metadata.name}`, {
      ...object,
      data: { b: "2" },
    });
    refused(answer, 422, "Invalid", /data: Forbidden: field is immutable when `immutable` is set/);
  });

  test("a Deployment's selector is fixed", async () => {
    const template = {
      metadata: { labels: { a: "b" } },
      spec: { containers: [{ name: "c", image: "x:1" }] },
    };
    await made(`${apps}/deployments`, {
      metadata: { name: "fixed" },
      spec: { replicas: 0, selector: { matchLabels: { a: "b" } }, template },
    });
    const answer = await target.call(
      "PATCH",
      `${apps}/deployments/fixed`,
      { spec: { selector: { matchLabels: { z: "y" } }, template: { metadata: { labels: { z: "y" } } } } },
      merge,
    );
    refused(answer, 422, "Invalid", /spec.selector: Invalid value: .*: field is immutable/);
  });
});

describe("patch", () => {
  test("merge: changes, adds and removes", async () => {
    const { metadata } = await made(maps, map(fresh(), { data: { a: "1", b: "2" } }));
    const { body } = await target.call(
      "PATCH",
      `${maps}/${metadata.name}`,
      { data: { a: null, c: "3" } },
      merge,
    );
    expect(body.data).toEqual({ b: "2", c: "3" });
  });

  test("merge: an empty patch writes nothing", async () => {
    const { metadata } = await made(maps, map(fresh()));
    const { body } = await target.call("PATCH", `${maps}/${metadata.name}`, {}, merge);
    expect(body.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test("json: add, test, move", async () => {
    const { metadata } = await made(maps, map(fresh()));
    const operations = [
      { op: "test", path: "/data/a", value: "1" },
      { op: "add", path: "/data/b", value: "2" },
      { op: "move", from: "/data/a", path: "/data/c" },
    ];
    expect((await target.call("PATCH", `${maps}/${metadata.name}`, operations, json)).body.data).toEqual({
      b: "2",
      c: "1",
    });
  });

  test("json: places that count from a list's end, what is not there is null, and replacing adds", async () => {
    const { metadata } = await made(maps, map(fresh()));
    const list = "/metadata/finalizers";
    const operations = [
      { op: "add", path: list, value: ["test/a", "test/b"] },
      { op: "add", path: `${list}/-1`, value: "test/c" },
      { op: "test", path: list, value: ["test/a", "test/b", "test/c"] },
      { op: "remove", path: `${list}/-3` },
      { op: "test", path: list, value: ["test/b", "test/c"] },
      { op: "remove", path: list },
      { op: "test", path: list, value: null },
      { op: "replace", path: "/data/z", value: "9" },
    ];
    const { code, body } = await target.call("PATCH", `${maps}/${metadata.name}`, operations, json);
    expect([code, body.data]).toEqual([200, { a: "1", z: "9" }]);
  });

  test.each<[string, Body, object, number, string, RegExp]>([
    [
      "json: a missing path",
      [{ op: "remove", path: "/data/x" }],
      json,
      422,
      "Invalid",
      /^the server rejected our request/,
    ],
    [
      "json: a failed test",
      [{ op: "test", path: "/data/a", value: "9" }],
      json,
      422,
      "Invalid",
      /^the server rejected our request/,
    ],
    ["json: no operation", [null], json, 422, "Invalid", /^the server rejected our request/],
    ["json: no path", [{ op: "add", value: 1 }], json, 422, "Invalid", /^the server rejected our request/],
    [
      "json: not a list",
      { op: "add" },
      json,
      400,
      "BadRequest",
      /^error decoding patch: json: cannot unmarshal object/,
    ],
    [
      "merge: half a body",
      "{",
      merge,
      400,
      "BadRequest",
      /^error decoding patch: unexpected end of JSON input/,
    ],
    [
      "merge: another name",
      { metadata: { name: "b" } },
      merge,
      400,
      "BadRequest",
      /^the name of the object \(b\) does not match the name on the URL/,
    ],
    [
      "merge: an old version",
      { metadata: { resourceVersion: "1" } },
      merge,
      409,
      "Conflict",
      /the object has been modified/,
    ],
    [
      "merge: a number for a text",
      { data: { a: 1 } },
      merge,
      422,
      "Invalid",
      /patch: Invalid value: .*cannot unmarshal number into Go struct field ConfigMap.data of type string/,
    ],
  ])("is refused: %s", async (_name, body, options, code, reason, message) => {
    const { metadata } = await made(maps, map(fresh()));
    refused(await target.call("PATCH", `${maps}/${metadata.name}`, body, options), code, reason, message);
  });

  test("strategic: containers are merged by name, the order kept", async () => {
    const template = {
      metadata: { labels: { a: "b" } },
      spec: {
        containers: [
          { name: "one", image: "x:1" },
          { name: "two", image: "x:1" },
        ],
      },
    };
    const name = fresh();
    await made(`${apps}/deployments`, {
      metadata: { name },
      spec: { replicas: 0, selector: { matchLabels: { a: "b" } }, template },
    });
    const { body } = await target.call(
      "PATCH",
      `${apps}/deployments/${name}`,
      {
        spec: {
          template: {
            spec: { containers: [{ name: "two", image: "x:2", env: [{ name: "E", value: "1" }] }] },
          },
        },
      },
      strategic,
    );
    const containers = body.spec.template.spec.containers.map((c: Body) => [c.name, c.image]);
    expect(containers).toEqual([
      ["one", "x:1"],
      ["two", "x:2"],
    ]);
    expect(body.metadata.generation).toBe(2);
  });

  test("strategic: $patch: delete and $retainKeys", async () => {
    const spec = {
      containers: [
        { name: "one", image: "x:1" },
        { name: "two", image: "x:1" },
      ],
      volumes: [{ name: "v", emptyDir: {} }],
    };
    const name = fresh();
    await made(`${apps}/deployments`, {
      metadata: { name },
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec },
      },
    });
    const change = {
      containers: [{ name: "two", $patch: "delete" }],
      volumes: [{ name: "v", $retainKeys: ["name", "configMap"], configMap: { name: "m" } }],
    };
    const { body } = await target.call(
      "PATCH",
      `${apps}/deployments/${name}`,
      { spec: { template: { spec: change } } },
      strategic,
    );
    expect(body.spec.template.spec.containers).toHaveLength(1);
    expect(body.spec.template.spec.volumes).toEqual([
      { name: "v", configMap: { name: "m", defaultMode: 420 } },
    ]);
  });

  test.each([
    [{ data: "x" }, "map[data:x]", "cannot restore map from string"],
    [{ immutable: "yes" }, "map[immutable:yes]", "unrecognized type: bool"],
    [
      { metadata: { labels: { a: 1 } } },
      "map[metadata:map[labels:map[a:1]]]",
      "cannot convert int64 to string",
    ],
  ])("strategic: %j is refused for its type", async (patch, sent, why) => {
    const { metadata } = await made(maps, map(fresh()));
    const { code, body } = await target.call("PATCH", `${maps}/${metadata.name}`, patch, strategic);
    expect([code, body.reason, body.details.causes[0]]).toEqual([
      422,
      "Invalid",
      { reason: "FieldValueInvalid", message: `Invalid value: "${sent}": ${why}`, field: "patch" },
    ]);
  });

  test("strategic: not for custom resources", async () => {
    await made(widgets, widget("plain"));
    refused(
      await target.call("PATCH", `${widgets}/plain`, {}, strategic),
      415,
      "UnsupportedMediaType",
      /415|media type/,
    );
  });

  test("apply: creates, changes, and removes what is left out", async () => {
    const name = fresh();
    const body = (data: object): Body => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
    const first = await target.call(
      "PATCH",
      `${maps}/${name}${applyAs("one")}`,
      body({ a: "1", b: "2" }),
      apply,
    );
    expect([first.code, first.body.data]).toEqual([201, { a: "1", b: "2" }]);
    const second = await target.call("PATCH", `${maps}/${name}${applyAs("one")}`, body({ a: "3" }), apply);
    expect([second.code, second.body.data]).toEqual([200, { a: "3" }]);
    expect(second.body.metadata.managedFields[0]).toMatchObject({
      manager: "one",
      operation: "Apply",
      fieldsV1: { "f:data": { "f:a": {} } },
    });
  });

  test("apply: a field of another applier is a conflict unless forced", async () => {
    const name = fresh();
    const body = (a: string): Body => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name },
      data: { a },
    });
    await target.call("PATCH", `${maps}/${name}${applyAs("one")}`, body("1"), apply);
    refused(
      await target.call("PATCH", `${maps}/${name}${applyAs("two")}`, body("2"), apply),
      409,
      "Conflict",
      /^Apply failed with 1 conflict: conflict with "one"/,
    );
    expect(
      (await target.call("PATCH", `${maps}/${name}${applyAs("two", true)}`, body("2"), apply)).body.data,
    ).toEqual({ a: "2" });
  });

  test("apply: without a field manager", async () => {
    const answer = await target.call("PATCH", `${maps}/x`, { apiVersion: "v1", kind: "ConfigMap" }, apply);
    refused(answer, 422, "Invalid", /fieldManager: Required value: is required for apply patch/);
  });
});
