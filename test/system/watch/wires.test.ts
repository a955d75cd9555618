import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { selfSigned } from "../../../packages/wire/certificate.ts";
import { kinds } from "../../../src/api/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { brokenStore } from "../../harness/broken-store.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";
import { freePort } from "../../harness/free-port.ts";
import { type PipedRun, startWith } from "../../harness/headway-process.ts";
import { oddRequests, rawHttp } from "../../harness/raw-http.ts";
import { unhandledIn } from "../../harness/unhandled.ts";

// The real programs, and wires that break under them.
const folder = mkdtempSync(join(tmpdir(), "wires-"));
const keys = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_REGION: "us-east-1" };
let cluster: TestCluster;
let store: Awaited<ReturnType<typeof brokenStore>>;
let operator: PipedRun;
let serve: PipedRun;
let downloads: number;
/** The page of the operator and of `headway serve`, and what opens them. */
let pages: Readonly<
  Record<"operator" | "serve", { readonly url: string; readonly token: string; readonly run: PipedRun }>
>;

function start(
  args: readonly string[],
  unhandled: "fails" | "planted" = "fails",
  env: Record<string, string> = {},
) {
  const where = ["-n", cluster.namespace, "--kubeconfig", cluster.kubeconfig];
  return startWith({ env: { ...keys, ...env }, unhandled }, [...args, ...where]);
}

function startOperator(
  more: readonly string[] = [],
  unhandled: "fails" | "planted" = "fails",
  env: Record<string, string> = {},
): PipedRun {
  const only = ["--controllers", "download-request", "--no-leader-election", "--listen", "127.0.0.1:0"];
  return start(["operator", ...only, ...more], unhandled, env);
}

/** What a program said that matches, once it did. */
async function said(run: PipedRun, pattern: RegExp): Promise<string> {
  const text = await eventually(
    () => `${run.said()}${run.lines().join("\n")}`,
    (all) => pattern.test(all),
  );
  return pattern.exec(text)?.[1] ?? "";
}

const alive = async (url: string) => (await fetch(`${url}/healthz`)).status;

beforeAll(async () => {
  cluster = await openCluster();
  const { client, namespace } = cluster;
  await installDefinitions(client);
  store = await brokenStore();
  await client.create(resourceOf(kinds.BackupStorageLocation), {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default", namespace },
    spec: {
      provider: "aws",
      config: { s3Url: store.url, region: "us-east-1", s3ForcePathStyle: "true" },
      objectStorage: { bucket: "backups" },
    },
  });
  await client.create(resourceOf(kinds.Backup), {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name: "b", namespace },
    spec: { storageLocation: "default" },
    status: { phase: "Completed" },
  });
  const { cert, key } = selfSigned("webhook", Date.now());
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key);
  downloads = await freePort();
  const doors = ["--download-address", `127.0.0.1:${downloads}`, "--webhook-certs", folder];
  operator = startOperator([...doors, "--webhook-listen", "127.0.0.1:0"]);
  serve = start(["serve", "--listen", "127.0.0.1:0"]);
  const { token = "" } = await cluster.access.credentials.get();
  pages = {
    operator: { url: await said(operator, /operations are served at (http:[^"]+)"/), token, run: operator },
    serve: {
      url: await said(serve, /^(http:.*)\/#token=/m),
      token: await said(serve, /#token=(\S+)/),
      run: serve,
    },
  };
});
afterAll(async () => {
  for (const run of [operator, serve]) run.signal("SIGTERM");
  await Promise.all([operator.ended, serve.ended]);
  store.close();
  await cluster.close();
  rmSync(folder, { recursive: true });
});

test("malformed requests to every listener of the operator are answered, and it lives on", async () => {
  const webhook = Number(await said(operator, /reviewed on port (\d+)/));
  const page = Number(new URL(pages.operator.url).port);
  const doors = [
    { port: downloads, tls: false },
    { port: webhook, tls: true },
    { port: page, tls: false },
  ];
  await eventually(
    () => rawHttp(downloads, "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").catch(String),
    (text) => text.startsWith("HTTP/1.1 404 "),
  );
  for (const { port, tls } of doors) {
    for (const [name, bytes] of oddRequests)
      expect(await rawHttp(port, bytes, { tls }), `${name} to ${port}`).toMatch(/^HTTP\/1\.1 (200|4\d\d) /); // where the page is built, it answers to any path
  }
  expect(await alive(pages.operator.url)).toBe(200);
});

test.each(["operator", "serve"] as const)(
  "a store that breaks in the middle of a log is told by the page of the %s, which lives on",
  async (which) => {
    const { url, token, run } = pages[which];
    const headers = { authorization: `Bearer ${token}` };
    const path = `${url}/api/operations/${cluster.namespace}/backup/b`;
    await eventually(
      async () => (await fetch(path, { headers })).status,
      (status) => status === 200,
    );
    const answer = await fetch(`${path}/log`, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([
      502,
      {
        error: {
          code: "DOWNLOAD_FAILED",
          message: expect.stringMatching(/^BackupLog of "b": the connection broke after \d+ bytes \(.+\)$/),
        },
      },
    ]);
    expect(await alive(url), run.said()).toBe(200);
  },
);

test("backup logs prints what came, says that the connection broke, and shows no stack", async () => {
  const run = start(["backup", "logs", "b"]);
  expect(await run.ended).toBe(1);
  expect(run.said()).toMatch(/^headway: BackupLog of "b": the connection broke after \d+ bytes \(.+\)\n$/);
  expect(run.lines().length).toBeGreaterThan(0);
});

/** Signals that make the program fail in a way that nobody handles. */
const planted = `--import=data:text/javascript,${encodeURIComponent(
  'process.on("SIGUSR2",()=>{Promise.reject(new Error("planted rejection"))});process.on("SIGHUP",()=>{throw new Error("planted exception")})',
)}`;

test("the operator logs, counts and survives a rejection, and ends in order after an exception", async () => {
  const run = startOperator([], "planted", { NODE_OPTIONS: planted });
  const url = await said(run, /operations are served at (http:[^"]+)"/);
  const { token = "" } = await cluster.access.credentials.get();
  run.signal("SIGUSR2");
  expect(unhandledIn(await said(run, /^(.*planted rejection.*)$/m))).toMatch(
    /"stack":"Error: planted rejection\\n/,
  );
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  expect(await metrics.text()).toContain('headway_unhandled_errors_total{kind="rejection"} 1\n');
  run.signal("SIGHUP");
  expect(await run.ended).toBe(1);
  expect(unhandledIn(await said(run, /^(.*planted exception.*)$/m))).toContain("uncaught exception");
});
