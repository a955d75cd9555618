import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Plane, startPlane } from "./plane.ts";

let folder: string;
let plane: Plane;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plane-"));
  plane = await startPlane({ stateDir: folder, node: false });
});

afterAll(async () => {
  await plane.close();
  rmSync(folder, { recursive: true });
});

function call(
  method: string,
  path: string,
  body?: unknown,
  token = plane.token,
): Promise<{ code: number; body: unknown }> {
  return new Promise((done, fail) => {
    const req = request(
      new URL(path, plane.url),
      {
        method,
        ca: plane.ca,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      },
      (res) => {
        let text = "";
        res.on("data", (chunk: Buffer) => (text += chunk.toString()));
        res.on("end", () => done({ code: res.statusCode ?? 0, body: JSON.parse(text) }));
      },
    );
    req.on("error", fail);
    req.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

test("startPlane() serves objects to whoever has the token, and to nobody else", async () => {
  const made = await call("POST", "/api/v1/namespaces/default/configmaps", {
    metadata: { name: "a" },
    data: { k: "v" },
  });
  expect(made).toMatchObject({
    code: 201,
    body: { kind: "ConfigMap", metadata: { name: "a", namespace: "default" } },
  });
  expect(await call("GET", "/api/v1/namespaces/default/configmaps/a", undefined, "guess")).toMatchObject({
    code: 401,
    body: { kind: "Status", reason: "Unauthorized" },
  });
});

test("startPlane() finds its state, token and certificate again", async () => {
  const { token, ca } = plane;
  await call("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "kept" } });
  await plane.close();
  plane = await startPlane({ stateDir: folder, node: false });
  expect([plane.token, plane.ca]).toEqual([token, ca]);
  expect((await call("GET", "/api/v1/namespaces/default/configmaps/kept")).code).toBe(200);
});

test("kubeconfig() names the cluster, its certificate and the token", () => {
  const config = JSON.parse(plane.kubeconfig());
  expect(config["current-context"]).toBe("headway-local");
  expect(config.clusters[0].cluster.server).toBe(plane.url);
  expect(Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64").toString()).toBe(
    plane.ca,
  );
  expect(config.users[0].user.token).toBe(plane.token);
});

test("a token of a deleted service account opens nothing, nor does it for its successor", async () => {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  const make = () => call("POST", accounts, { metadata: { name: "builder" } });
  await make();
  const issued = await call("POST", `${accounts}/builder/token`, {});
  const { token } = (issued.body as { status: { token: string } }).status;
  const ask = async () => (await call("GET", "/api/v1/namespaces/default/configmaps", undefined, token)).code;
  const review = async () => {
    const answer = await call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } });
    return (answer.body as { status: { authenticated?: boolean } }).status.authenticated === true;
  };
  expect([await ask(), await review()]).toEqual([200, true]);
  await call("DELETE", `${accounts}/builder`);
  expect([await ask(), await review()]).toEqual([401, false]);
  await make();
  expect([await ask(), await review()]).toEqual([401, false]);
});
