// custom resources: against the embedded server, and against the real one that KUBECONFIG names when HEADWAY_TEST_CLUSTER=1.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  apply,
  applyAs,
  fresh,
  group,
  made,
  merge,
  open,
  refused,
  shut,
  target,
  widget,
  widgets,
} from "./conformance.ts";
import { type Body } from "./request.ts";

beforeAll(open);
afterAll(shut);

describe("custom resources", () => {
  test("get defaults and lose what the schema does not name", async () => {
    const { body, headers } = await target.call(
      "POST",
      widgets,
      widget(fresh(), { size: 1, odd: 1, free: { any: { thing: 1 } }, parts: [{ id: "a", x: 1 }] }),
    );
    expect(body.spec).toEqual({
      size: 1,
      color: "red",
      free: { any: { thing: 1 } },
      parts: [{ id: "a", n: 7 }],
    });
    expect(String(headers["warning"])).toContain('unknown field \\"spec.odd\\"');
    expect(body.metadata.generation).toBe(1);
  });

  test("unknown fields are refused when validation is strict", async () => {
    const answer = await target.call(
      "POST",
      `${widgets}?fieldValidation=Strict`,
      widget(fresh(), { size: 1, odd: 1 }),
    );
    refused(answer, 400, "BadRequest", /strict decoding error: unknown field "spec.odd"/);
  });

  test.each<[object, RegExp]>([
    [{}, /spec.size: Required value/],
    [{ size: 0 }, /spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1/],
    [{ size: 11 }, /spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10/],
    [
      { size: "x" },
      /spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"/,
    ],
    [{ size: 1, color: "green" }, /spec.color: Unsupported value: "green": supported values: "red", "blue"/],
    [{ size: 1, name: "A" }, /spec.name: Invalid value: "A": spec.name in body should match '\^\[a-z\]\*\$'/],
    [{ size: 1, name: "abcdef" }, /spec.name: Too long: may not be more than 5 bytes/],
    [{ size: 1, tags: ["a", "b", "c"] }, /spec.tags: Too many: 3: must have at most 2 items/],
    [{ size: 1, parts: [{ id: "a" }, { id: "a" }] }, /spec.parts\[1\]: Duplicate value: \{"id":"a"\}/],
    [
      { size: 1, port: true },
      /spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"/,
    ],
  ])("are refused: %j", async (spec, message) => {
    refused(await target.call("POST", widgets, widget(fresh(), spec)), 422, "Invalid", message);
  });

  test("must name their kind", async () => {
    const answer = await target.call("POST", widgets, { metadata: { name: "x" }, spec: { size: 1 } });
    expect([answer.code, answer.body.reason]).toEqual([400, "BadRequest"]);
  });

  test("the generation follows the spec, the status does not", async () => {
    const name = fresh();
    await made(widgets, widget(name));
    const spec = await target.call(
      "PATCH",
      `${widgets}/${name}`,
      { spec: { size: 2 }, status: { phase: "x" } },
      merge,
    );
    expect([spec.body.metadata.generation, spec.body.status]).toEqual([2, undefined]);
    const status = await target.call(
      "PATCH",
      `${widgets}/${name}/status`,
      { spec: { size: 3 }, status: { phase: "y" } },
      merge,
    );
    expect([status.body.metadata.generation, status.body.spec.size, status.body.status]).toEqual([
      2,
      2,
      { phase: "y" },
    ]);
  });

  test("an update must name the version it is based on", async () => {
    const name = fresh();
    await made(widgets, widget(name));
    refused(
      await target.call("PUT", `${widgets}/${name}`, widget(name)),
      422,
      "Invalid",
      /metadata.resourceVersion: Invalid value: .*: must be specified for an update/,
    );
  });

  test("are scaled through the path of their definition", async () => {
    const name = fresh();
    await made(widgets, widget(name, { size: 2 }));
    expect((await target.call("GET", `${widgets}/${name}/scale`)).body).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 2 },
    });
    await target.call("PATCH", `${widgets}/${name}/scale`, { spec: { replicas: 5 } }, merge);
    expect((await target.call("GET", `${widgets}/${name}`)).body.spec.size).toBe(5);
  });

  test("are served in every version", async () => {
    const name = fresh();
    await made(widgets, widget(name));
    const { body } = await target.call("GET", widgets.replace("/v1/", "/v1alpha1/").concat(`/${name}`));
    expect(body.apiVersion).toBe(`${group}/v1alpha1`);
  });

  test("list with kind, and print the columns of their definition", async () => {
    const list = (await target.call("GET", widgets)).body;
    expect([list.kind, list.items[0].kind]).toEqual(["WidgetList", "Widget"]);
    const table = (
      await target.call("GET", widgets, undefined, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" })
    ).body;
    expect(table.columnDefinitions.map((c: Body) => [c.name, c.priority])).toEqual([
      ["Name", 0],
      ["Size", 0],
      ["Color", 1],
    ]);
  });

  test("apply merges lists by their keys", async () => {
    const name = fresh();
    const body = (parts: object[]): Body => ({ ...widget(name, { size: 1, parts }) });
    await target.call("PATCH", `${widgets}/${name}${applyAs("one")}`, body([{ id: "a", n: 1 }]), apply);
    const { body: merged } = await target.call(
      "PATCH",
      `${widgets}/${name}${applyAs("two")}`,
      body([{ id: "b", n: 2 }]),
      apply,
    );
    expect(merged.spec.parts).toEqual([
      { id: "a", n: 1 },
      { id: "b", n: 2 },
    ]);
  });
});
