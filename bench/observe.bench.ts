// Two thousand operations of three objects each on an API server in another process: what a viewer costs.
// Budgets: from a change to its frame p99 200 ms, a frame of the terminal 20 ms, 300 MB, half a core while all of them run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startPlane } from "../packages/plane/index.ts";
import { allKinds, crdOf, kinds } from "../src/api/index.ts";
import { forest } from "../src/cli/render/operations-view.ts";
import { builtIn, connectTo, resourceOf } from "../src/kube/index.ts";
import { openClusterView } from "../src/observe/index.ts";
import type { Operation } from "../src/progress/index.ts";
import { listen, tokenAuthorizer } from "../src/server/index.ts";

const count = Number(process.env["BENCH_OPERATIONS"] ?? 2_000);
if (process.argv[2] === "server") await serve();
else await measure();

/** The API server: its memory and its work are not the viewer's. */
async function serve(): Promise<void> {
  const stateDir = await mkdtemp(join(tmpdir(), "headway-bench-"));
  const plane = await startPlane({ stateDir, node: false });
  process.stdout.write(`${JSON.stringify({ server: plane.url, token: plane.token, ca: plane.ca })}\n`);
  process.stdin.resume();
  await once(process.stdin, "end");
  await plane.close();
  await rm(stateDir, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const server = spawn(process.execPath, [import.meta.filename, "server"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [first] = (await once(server.stdout, "data")) as [Buffer];
  const client = connectTo(JSON.parse(first.toString("utf8")));
  const [backups, volumes] = [resourceOf(kinds.Backup), resourceOf(kinds.PodVolumeBackup)];
  await fill();
  const started = performance.now();
  const before = process.cpuUsage();
  const stop = new AbortController();
  const { observer, run } = openClusterView({ client, serverNamespace: "default" });
  const running = run(stop.signal);
  await observer.synced();
  const listedMs = performance.now() - started;
  const listing = process.cpuUsage(before);
  const seen = observer.operations().length;

  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { rss, heapUsed } = process.memoryUsage();

  const cpu = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const spent = process.cpuUsage(cpu);
  const core = (spent.user + spent.system) / 5_000_000;

  const frames: number[] = [];
  for (let i = 1; i <= 50; i += 1) {
    const id = `backup/default/b${i}`;
    const at = performance.now();
    const came = new Promise<void>((resolve) => {
      const leave = observer.subscribe((frame) => {
        if (frame.id !== id || frame.operation?.children[0]?.progress?.done !== 777) return;
        frames.push(performance.now() - at);
        leave();
        resolve();
      });
    });
    const body = { status: { progress: { totalItems: 1_000, itemsBackedUp: 777 } } };
    await client.patch(backups, `b${i}`, { type: "merge", body }, { namespace: "default" });
    await came;
  }

  const shown = new Map<string, Operation>(observer.operations().map((one) => [one.id, one]));
  const draws = Array.from({ length: 50 }, () => {
    const at = performance.now();
    forest(shown, Date.now(), { columns: 200, color: true, rows: 50 });
    return performance.now() - at;
  });

  const http = await listen(
    { observer, authorizer: tokenAuthorizer("bench"), address: "127.0.0.1:0" },
    stop.signal,
  );
  const gets: number[] = [];
  let bytes = 0;
  for (let i = 0; i < 10; i += 1) {
    const at = performance.now();
    const answer = await fetch(`${http.url}/api/operations`, { headers: { authorization: "Bearer bench" } });
    bytes = (await answer.arrayBuffer()).byteLength;
    gets.push(performance.now() - at);
  }
  const mb = (size: number) => (size / 2 ** 20).toFixed(0);
  console.log(
    `${seen} operations of ${count * 3} objects: listed and folded in ${listedMs.toFixed(0)} ms, ` +
      `${((listing.user + listing.system) / 1000).toFixed(0)} ms of them its own work`,
  );
  console.log(
    `memory ${mb(rss)} MB, heap ${mb(heapUsed)} MB (budget 300); ${(core * 100).toFixed(0)} % of a core (budget 50)`,
  );
  console.log(`change to frame p50 ${at(frames, 0.5)} ms, p99 ${at(frames, 0.99)} ms (budget 200)`);
  console.log(`a frame of the terminal p50 ${at(draws, 0.5)} ms, p99 ${at(draws, 0.99)} ms (budget 20)`);
  console.log(`GET /api/operations ${mb(bytes)} MB, p50 ${at(gets, 0.5)} ms`);
  const good =
    seen === count &&
    Number(at(frames, 0.99)) <= 200 &&
    Number(at(draws, 0.99)) <= 20 &&
    rss <= 300 * 2 ** 20 &&
    core <= 0.5;
  if (!good) process.exitCode = 1;
  stop.abort();
  await running;
  await http.closed;
  client.close();
  server.stdin.end();

  async function fill(): Promise<void> {
    const { definitions } = builtIn;
    for (const kind of allKinds) await client.create(definitions, crdOf(kind));
    for (;;) {
      const { resources } = await client.discover();
      if (resources.some(({ plural }) => plural === "operations")) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const startTimestamp = new Date().toISOString();
    let next = 0;
    const work = async () => {
      for (let i = next++; i < count; i = next++) {
        const type = { apiVersion: "velero.io/v1" };
        const progress = { totalItems: 1_000, itemsBackedUp: i % 700 };
        await client.create(backups, {
          ...type,
          kind: "Backup",
          metadata: { name: `b${i}`, namespace: "default" },
          spec: {},
          status: { phase: "InProgress", startTimestamp, progress },
        });
        for (const volume of ["data", "logs"]) {
          const labels = { "velero.io/backup-name": `b${i}` };
          await client.create(volumes, {
            ...type,
            kind: "PodVolumeBackup",
            metadata: { name: `b${i}-${volume}`, namespace: "default", labels },
            spec: {
              node: "n1",
              volume,
              pod: { kind: "Pod", namespace: "shop", name: `${volume}-0` },
              backupStorageLocation: "default",
              repoIdentifier: "",
            },
            status: {
              phase: "InProgress",
              startTimestamp,
              progress: { totalBytes: 1_000_000_000, bytesDone: i * 100_000 },
            },
          });
        }
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
  }
}

function at(values: readonly number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN).toFixed(1);
}
