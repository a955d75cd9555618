// Budget: from the change of an object to its event at 200 watchers of /api/stream, p99 at most 200 ms (the watchers'
// own work in this process included).
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPlane } from "../packages/plane/index.ts";
import { crdOf, kinds } from "../src/api/index.ts";
import { builtIn, Cache, connectTo, resourceOf } from "../src/kube/index.ts";
import { Observer } from "../src/observe/index.ts";
import { listen, tokenAuthorizer } from "../src/server/index.ts";

const budgetMs = 200;
const watchers = 200;
const changes = 50;
const stateDir = await mkdtemp(join(tmpdir(), "headway-bench-"));
const plane = await startPlane({ stateDir, node: false });
const client = connectTo({ server: plane.url, token: plane.token, ca: plane.ca });
const stop = new AbortController();
const { definitions } = builtIn;
const backups = resourceOf(kinds.Backup);
await client.create(definitions, crdOf(kinds.Backup));
await client.create(definitions, crdOf(kinds.Operation));
const metadata = { name: "b", namespace: "default" };
const backup = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata,
  spec: {},
  status: { phase: "InProgress" },
};
for (;;) {
  const made = await client.create(backups, backup).catch(() => undefined); // until the kind is served
  if (made) break;
  await new Promise((resolve) => setTimeout(resolve, 100));
}

const observer = new Observer({ cache: new Cache({ client }) });
const running = observer.run(stop.signal);
const server = await listen(
  { observer, authorizer: tokenAuthorizer("bench"), address: "127.0.0.1:0" },
  stop.signal,
);
await observer.synced();
const sentAt = new Map<number, number>();
const seen = new Map<number, number>();
const latencies: number[] = [];
await Promise.all(
  Array.from({ length: watchers }, async () => {
    const [response] = (await once(get(`${server.url}/api/stream?token=bench`), "response")) as [
      IncomingMessage,
    ];
    let newest = 0;
    response.setEncoding("utf8");
    response.on("error", () => undefined); // the end of the bench cuts the streams
    response.on("data", (text: string) => {
      const now = performance.now();
      for (const [, found] of text.matchAll(/"unit":"items","done":(\d+)/g)) {
        const at = sentAt.get(Number(found));
        if (at === undefined || Number(found) <= newest) continue;
        newest = Number(found);
        latencies.push(now - at);
        seen.set(newest, (seen.get(newest) ?? 0) + 1);
      }
    });
  }),
);
for (let i = 1; i <= changes; i++) {
  sentAt.set(i, performance.now());
  const status = { progress: { totalItems: 1_000, itemsBackedUp: i } };
  await client.patch(backups, "b", { type: "merge", body: { status } }, { namespace: "default" });
  await new Promise((resolve) => setTimeout(resolve, 250));
}
const sorted = latencies.toSorted((a, b) => a - b);
const at = (share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
const full = [...seen.values()].filter((count) => count === watchers).length;
console.log(
  `${watchers} watchers, ${changes} changes, ${full} seen by all: p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms (budget ${budgetMs})`,
);
if (!(at(0.99) <= budgetMs) || full < changes) process.exitCode = 1;
stop.abort();
await running;
await server.closed;
client.close();
await plane.close();
await rm(stateDir, { recursive: true, force: true });
