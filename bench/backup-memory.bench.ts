// The operator's memory while it backs up 50,000 to 400,000 ConfigMaps of 1 kB: a process of its own for each number, so that each peak
// is its own. The embedded cluster answers everything but the lists of those ConfigMaps, which are made up on the way: what they cost
// the operator is the same, and nobody has to create half a million objects first. HEADWAY_BENCH_ITEMS is a list of other numbers.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPlane } from "../packages/plane/index.ts";
import { type Backup, kinds } from "../src/api/index.ts";
import { builtIn, type Client, connectTo, resourceOf } from "../src/kube/index.ts";
import { installDefinitions } from "../test/harness/definitions.ts";

const numbers = (process.env["HEADWAY_BENCH_ITEMS"] ?? "50000,100000,200000,400000").split(",").map(Number);
const backups = resourceOf(kinds.Backup);
const namespace = "velero";
const spaces = Array.from({ length: 10 }, (_, i) => `load-${i}`);
const text = "x".repeat(1000);
let count = 0;

const folder = mkdtempSync(join(tmpdir(), "headway-bench-"));
const plane = await startPlane({ stateDir: join(folder, "plane"), node: false });
const client = connectTo({ server: plane.url, token: plane.token, ca: plane.ca });
const server = http.createServer((request, response) => {
  const url = new URL(request.url ?? "", "http://here");
  const made = /^\/api\/v1\/(?:namespaces\/(load-\d+)\/)?configmaps$/.exec(url.pathname);
  if (made && request.method === "GET") answer(response, made[1] ?? "load-0", url.searchParams);
  else forward(request, response);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
try {
  await prepare(client);
  const peaks: { items: number; peakKb: number }[] = [];
  for (const items of numbers) peaks.push(await measure(client, items));
  for (const [at, { items, peakKb }] of peaks.entries()) {
    const before = peaks[at - 1];
    const growth = before && (peakKb - before.peakKb) / (items - before.items);
    console.log(
      `${items} items: operator peak memory ${Math.round(peakKb / 1024)} MB${growth === undefined ? "" : `, ${growth.toFixed(2)} kB for each item more`}`,
    );
  }
} finally {
  client.close();
  server.closeAllConnections();
  server.close();
  await plane.close();
  rmSync(folder, { recursive: true, force: true });
}

async function prepare(to: Client): Promise<void> {
  await installDefinitions(to);
  for (const name of [...spaces, namespace])
    await to.create(builtIn.namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await to.create(resourceOf(kinds.BackupStorageLocation), {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default", namespace },
    spec: { provider: "filesystem", objectStorage: { bucket: "b" }, config: { path: folder } },
    status: { phase: "Available" },
  });
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "made",
    clusters: [
      { name: "made", cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } },
    ],
    contexts: [{ name: "made", context: { cluster: "made", user: "made" } }],
    users: [{ name: "made", user: {} }],
  };
  writeFileSync(join(folder, "kubeconfig"), JSON.stringify(config));
}

async function measure(to: Client, items: number): Promise<{ items: number; peakKb: number }> {
  count = items;
  const name = `bench-${items}`;
  const args = ["operator", "--kubeconfig", join(folder, "kubeconfig"), "--namespace", namespace];
  const only = ["--no-leader-election", "--controllers", "backup", "--no-serve", "--temp-dir", folder];
  const headway = join(import.meta.dirname, "../bin/headway.js");
  const operator = spawn(process.execPath, [headway, ...args, ...only], {
    stdio: ["ignore", "ignore", "inherit"],
    // As the image has it; HEADWAY_BENCH_ARENAS=8 shows what it is good for.
    env: { ...process.env, MALLOC_ARENA_MAX: process.env["HEADWAY_BENCH_ARENAS"] ?? "1" },
  });
  try {
    const spec = { storageLocation: "default", includedNamespaces: spaces };
    await to.create(backups, {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name, namespace },
      spec,
    });
    for (;;) {
      const { status } = await to.get<Backup>(backups, name, { namespace });
      if (/Completed|Failed/.test(status?.phase ?? "")) {
        if (status?.phase !== "Completed" || (status.progress?.itemsBackedUp ?? 0) < items)
          throw new Error(`the backup ended as ${JSON.stringify(status)}`);
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const found = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${operator.pid}/status`, "utf8"));
    return { items, peakKb: Number(found?.[1]) };
  } finally {
    operator.kill("SIGKILL");
  }
}

/** A page of ConfigMaps that nobody has created. */
function answer(response: http.ServerResponse, space: string, query: URLSearchParams): void {
  const all = count / spaces.length;
  const from = Number(query.get("continue") ?? 0);
  const until = Math.min(all, from + Number(query.get("limit") ?? all));
  const items: string[] = [];
  for (let n = from; n < until; n += 1) {
    const metadata = {
      name: `cm-${space}-${n}`,
      namespace: space,
      uid: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
      resourceVersion: "7",
      creationTimestamp: "2026-01-01T00:00:00Z",
    };
    items.push(JSON.stringify({ metadata, data: { text } }));
  }
  const more = until < all ? `,"continue":"${until}","remainingItemCount":${all - until}` : `,"continue":""`;
  response.setHeader("Content-Type", "application/json");
  response.end(
    `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"${more}},"items":[${items.join(",")}]}`,
  );
}

function forward(request: http.IncomingMessage, response: http.ServerResponse): void {
  const { host: _host, ...headers } = request.headers;
  const onward = https.request(
    new URL(request.url ?? "", plane.url),
    {
      method: request.method ?? "GET",
      ca: plane.ca,
      headers: { ...headers, authorization: `Bearer ${plane.token}` },
    },
    (back) => {
      response.writeHead(back.statusCode ?? 502, back.headers);
      back.pipe(response);
    },
  );
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}
