// Figures of a backup on the real API server that KUBECONFIG names: 10,000 ConfigMaps of 1 kB in 10 namespaces (HEADWAY_BENCH_ITEMS
// changes the number). Items a second against a bare paged LIST loop of the same objects in the same run, the time until the total
// is visible, writes to the Backup, and the operator's peak memory.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Backup, kinds } from "../src/api/index.ts";
import { builtIn, type Client, connect, isAlreadyExists, resourceOf } from "../src/kube/index.ts";
import { installDefinitions } from "../test/harness/definitions.ts";

const count = Number(process.env["HEADWAY_BENCH_ITEMS"] ?? 10_000);
const spaces = Array.from({ length: 10 }, (_, i) => `load-${count}-${i}`);
const { configMaps, namespaces } = builtIn;
const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);

if (!process.env["KUBECONFIG"]) {
  console.log("skipped: KUBECONFIG names no cluster");
} else {
  const client = await connect();
  const folder = mkdtempSync(join(tmpdir(), "headway-bench-"));
  try {
    await bench(client, folder);
  } finally {
    client.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bench(client: Client, folder: string): Promise<void> {
  await installDefinitions(client);
  await fill(client);
  const operator = await startOperator(client, folder);
  try {
    const runs = [];
    for (let i = 0; i < 3; i++) {
      const bare = await bareList(client);
      runs.push({ bare, ...(await oneBackup(client, `bench-${process.pid}-${i}`)) });
    }
    for (const { bare, items, seconds, totalMs, writes } of runs) {
      const rate = items / seconds;
      console.log(
        `${items} items in ${seconds.toFixed(2)} s: ${rate.toFixed(0)} items/s; bare LIST ${bare.toFixed(0)} items/s; ratio ${(rate / bare).toFixed(2)}; total visible after ${totalMs.toFixed(0)} ms; ${writes} writes`,
      );
    }
    const status = readFileSync(`/proc/${operator.pid}/status`, "utf8");
    console.log(`operator peak memory ${Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024)} MB`);
  } finally {
    operator.kill("SIGTERM");
  }
}

async function fill(client: Client): Promise<void> {
  for (const name of [...spaces, "velero"])
    await client
      .create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } })
      .catch(tolerate);
  const there = (
    await Promise.all(
      spaces.map(
        async (namespace) =>
          (await Array.fromAsync(client.rawPages(configMaps, { namespace }))).flatMap((page) => page.items)
            .length,
      ),
    )
  ).reduce((a, b) => a + b, 0);
  if (there >= count) return;
  const data = { text: "x".repeat(1000) };
  let next = 0;
  const work = async () => {
    for (let i = next++; i < count; i = next++) {
      const metadata = { name: `cm-${i}`, namespace: spaces[i % spaces.length] };
      await client
        .create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata, data })
        .catch(tolerate);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

async function bareList(client: Client): Promise<number> {
  const start = performance.now();
  let items = 0;
  for (const namespace of spaces)
    for await (const page of client.rawPages(configMaps, { namespace })) items += page.items.length;
  return items / ((performance.now() - start) / 1000);
}

async function startOperator(client: Client, folder: string) {
  const location = {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "bench", namespace: "velero" },
    spec: { provider: "filesystem", objectStorage: { bucket: "b" }, config: { path: folder } },
  };
  await client.delete(locations, "bench", { namespace: "velero" }).catch(() => undefined);
  await client.create(locations, location).catch(tolerate);
  const headway = join(import.meta.dirname, "../bin/headway.js");
  const child = spawn(
    process.execPath,
    [headway, "operator", "--no-leader-election", "--controllers", "backup,location", "--temp-dir", folder],
    // The image sets it as well: see docs/decisions/0071-one-arena.md.
    { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, MALLOC_ARENA_MAX: "1" } },
  );
  for (;;) {
    const { status } = await client.get<{
      apiVersion: string;
      kind: string;
      metadata: { name: string };
      status?: { phase?: string };
    }>(locations, "bench", { namespace: "velero" });
    if (status?.phase === "Available") return child;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function oneBackup(client: Client, name: string) {
  const stop = new AbortController();
  const made = await client.create<Backup>(backups, {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name, namespace: "velero" },
    spec: { storageLocation: "bench", includedNamespaces: spaces },
  });
  const from = {
    namespace: "velero",
    fieldSelector: `metadata.name=${name}`,
    resourceVersion: made.metadata.resourceVersion,
  };
  let writes = 0;
  let begun = 0;
  let counted = 0;
  for await (const event of client.watch<Backup>(backups, from, stop.signal)) {
    if (event.type !== "MODIFIED") continue;
    writes += 1;
    const { phase, progress } = event.object.status ?? {};
    if (phase === "InProgress" && begun === 0) begun = performance.now();
    if (progress?.totalItems && counted === 0) counted = performance.now();
    if (phase !== "Completed" && phase !== "Failed" && phase !== "PartiallyFailed") continue;
    stop.abort();
    if (phase !== "Completed")
      throw new Error(`the backup ended as ${phase}: ${event.object.status?.failureReason}`);
    return {
      items: progress?.itemsBackedUp ?? 0,
      seconds: (performance.now() - begun) / 1000,
      totalMs: counted - begun,
      writes,
    };
  }
  throw new Error("the watch ended");
}

function tolerate(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
