// discovery, paths, methods, media types: against the embedded server, and against the real one that KUBECONFIG names when HEADWAY_TEST_CLUSTER=1.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fresh, group, made, map, maps, open, refused, shut, target } from "./conformance.ts";
import { type Body } from "./request.ts";

beforeAll(open);
afterAll(shut);

describe("discovery", () => {
  test.each([
    ["/api", "APIVersions"],
    ["/api/v1", "APIResourceList"],
    ["/apis", "APIGroupList"],
    ["/apis/apps", "APIGroup"],
    ["/apis/apps/v1", "APIResourceList"],
  ])("%s is a %s", async (path, kind) => {
    expect((await target.call("GET", path)).body.kind).toBe(kind);
  });

  test.each([
    "configmaps",
    "pods",
    "pods/log",
    "pods/exec",
    "pods/status",
    "namespaces/finalize",
    "serviceaccounts/token",
  ])("/api/v1 lists %s", async (name) => {
    const { resources } = (await target.call("GET", "/api/v1")).body;
    expect(resources.map((r: Body) => r.name)).toContain(name);
  });

  test("the aggregated form has groups, versions and resources", async () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const { body, headers } = await target.call("GET", "/apis", undefined, { accept });
    expect(headers["content-type"]).toContain("as=APIGroupDiscoveryList");
    expect(body.kind).toBe("APIGroupDiscoveryList");
    const found = body.items.find((g: Body) => g.metadata.name === "apps").versions[0].resources;
    expect(found.find((r: Body) => r.resource === "deployments")).toMatchObject({
      scope: "Namespaced",
      singularResource: "deployment",
      shortNames: ["deploy"],
    });
  });

  test("a CustomResourceDefinition is listed with its names and versions", async () => {
    const { body } = await target.call("GET", `/apis/${group}`);
    expect(body.versions.map((v: Body) => v.version)).toEqual(["v1", "v1alpha1"]);
    const { resources } = (await target.call("GET", `/apis/${group}/v1`)).body;
    expect(resources[0]).toMatchObject({
      name: "widgets",
      kind: "Widget",
      shortNames: ["wd"],
      categories: ["all"],
    });
    expect(resources.map((r: Body) => r.name)).toEqual(
      expect.arrayContaining(["widgets/status", "widgets/scale"]),
    );
  });

  test("/version names a 1.34 server", async () => {
    expect((await target.call("GET", "/version")).body).toMatchObject({ major: "1", minor: "34" });
  });

  test.each(["/healthz", "/livez", "/readyz"])("%s says ok", async (path) => {
    expect((await target.call("GET", path)).text).toBe("ok");
  });

  test("openapi v3 tells that a patch takes fieldValidation", async () => {
    const { paths } = (await target.call("GET", "/openapi/v3")).body;
    const document = (await target.call("GET", paths["apis/apps/v1"].serverRelativeURL)).body;
    const { patch } = document.paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"];
    expect(patch.parameters.map((p: Body) => p.name)).toContain("fieldValidation");
  });
});

describe("paths, methods, media types", () => {
  test.each([["/nonsense"], ["/apis/absent.example.com/v1/things"]])("%s is not there", async (path) => {
    expect(await target.call("GET", path)).toMatchObject({ code: 404, text: "404 page not found\n" });
  });

  test("an unknown resource of a served group", async () => {
    refused(
      await target.call("GET", "/api/v1/foos"),
      404,
      "NotFound",
      "the server could not find the requested resource",
    );
  });

  test.each([
    ["POST", "/api/v1/configmaps"],
    ["PUT", maps],
    ["POST", `${maps}/x`],
  ])("%s %s is not allowed", async (method, path) => {
    refused(await target.call(method, path, {}), 405, "MethodNotAllowed", /does not allow this method/);
  });

  test("a wrong token", async () => {
    // A client certificate would still authenticate against a real cluster.
    if (target.embedded)
      refused(
        await target.call("GET", "/api", undefined, { token: "x" }),
        401,
        "Unauthorized",
        "Unauthorized",
      );
  });

  test("an Accept that nobody can serve", async () => {
    refused(
      await target.call("GET", maps, undefined, { accept: "text/html" }),
      406,
      "NotAcceptable",
      /^406: Not Acceptable/,
    );
  });

  test("a patch of an unknown type", async () => {
    await made(maps, map("media"));
    refused(
      await target.call("PATCH", `${maps}/media`, {}),
      415,
      "UnsupportedMediaType",
      "415: Unsupported Media Type",
    );
  });

  test("YAML is read and written", async () => {
    const name = fresh();
    const body = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata: {k: v}\n`;
    const answer = await target.call("POST", maps, body, {
      type: "application/yaml",
      accept: "application/yaml",
    });
    expect(answer.code).toBe(201);
    expect(answer.text).toContain(`name: ${name}`);
  });
});
