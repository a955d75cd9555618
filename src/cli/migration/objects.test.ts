import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MigCondition } from "../../api/index.ts";
import type { Io } from "../io.ts";
import { run } from "../run.ts";
import { whyNot } from "./objects.ts";

const condition = (type: string, category: MigCondition["category"], message = ""): MigCondition => ({
  type,
  category,
  message,
  status: "True",
  lastTransitionTime: "2026-11-16T08:00:00Z",
});

test.each([
  ["nobody looked", undefined, "nobody has looked at it: does the operator run?"],
  ["all is well", [condition("Ready", "Required", "The plan is ready.")], ""],
  [
    "two things are wrong",
    [condition("PlanConflict", "Error", "a conflict"), condition("InvalidURL", "Critical", "no address")],
    "no address",
  ],
  [
    "it is ready with a warning",
    [condition("Ready", "Required"), condition("SaTokenExpiresSoon", "Warn", "12 days are left")],
    "12 days are left",
  ],
])("whyNot() when %s", (_what, conditions, want) => {
  expect(whyNot(conditions)).toBe(want);
});

/** A server where the names of some objects are taken; what was written to it. */
const taken = new Set(["/apis/migration.openshift.io/v1alpha1/namespaces/velero/migclusters"]);
const written: string[] = [];
const server = createServer((request, response) => {
  const { method = "", url = "" } = request;
  const isUnknown = url.includes("/migplans");
  const [path = ""] = url.split("?");
  request.resume().on("end", () => {
    if (method !== "GET") written.push(`${method} ${path}`);
    if (isUnknown) return response.writeHead(404).end("404 page not found");
    const isTaken = method === "POST" && (taken.has(path) || path.endsWith("/secrets"));
    response.writeHead(isTaken ? 409 : 200, { "content-type": "application/json" });
    const status = {
      kind: "Status",
      apiVersion: "v1",
      code: 409,
      reason: "AlreadyExists",
      message: "is there",
    };
    return response.end(JSON.stringify(isTaken ? status : { kind: "Object", metadata: { name: "x" } }));
  });
});
const folder = mkdtempSync(join(tmpdir(), "migration-objects-"));
const token = join(folder, "token");
const kubeconfig = join(folder, "kubeconfig");
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(token, "abc");
  const context = { cluster: "a", user: "a" };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: "a", cluster: { server: url } }],
      users: [{ name: "a", user: {} }],
      contexts: [{ name: "a", context }],
      "current-context": "a",
    }),
  );
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function headway(...argv: readonly string[]) {
  let err = "";
  const io: Io = {
    out: () => undefined,
    err: (text) => void (err += text),
    env: {},
    terminal: undefined,
    color: false,
  };
  written.length = 0;
  const code = await run([...argv, "--kubeconfig", kubeconfig], new AbortController().signal, io);
  return { code, err, written: [...written] };
}
const cluster = [
  "cluster",
  "create",
  "blue",
  "--url",
  "https://blue.example",
  "--token-file",
  token,
] as const;

test("a cluster whose name is taken is refused with what to do, and its token stays as it is", async () => {
  const { code, err, written } = await headway(...cluster);
  expect(code).toBe(2);
  expect(err).toContain('there is a MigCluster "blue" in namespace "velero" already');
  expect(written.filter((line) => line.includes("secrets"))).toEqual([]);
});

test("a Secret that a deleted cluster left is no obstacle", async () => {
  taken.clear();
  const { code, err, written } = await headway(...cluster);
  expect({ code, err }).toEqual({ code: 0, err: 'cluster "blue" was created\n' });
  expect(written.at(-1)).toBe("PATCH /api/v1/namespaces/velero/secrets/migcluster-blue");
});

test("a cluster that does not know the kinds is told apart from an object that is missing", async () => {
  const { code, err } = await headway("plan", "get");
  expect(code).toBe(1);
  expect(err).toContain('"headway install --apply" brings its kinds');
});

test.each(["shop:", "a:b:c", "Shop", "shop/one"])("plan create refuses the namespace %s", async (word) => {
  const flags = ["--from", "a", "--to", "b", "--storage", "s", "--namespaces", word];
  const { code, err, written } = await headway("plan", "create", "p", ...flags);
  expect({ code, written }).toEqual({ code: 2, written: [] });
  expect(err).toContain(`not "${word}"`);
});
