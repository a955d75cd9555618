// Figures of a restore on the real API server that KUBECONFIG names: 10,000 ConfigMaps into ten new namespaces against bare creates of
// the same objects with the same number of clients in the same run, the writes to the Restore, and the memory of the operator while an
// archive of 100,000 items is read and filtered. HEADWAY_BENCH_ITEMS changes the first number, HEADWAY_BENCH_PARALLEL is a list to try;
// with HEADWAY_BENCH_ALL=1 there is only that archive, all of it is restored, and what is there afterwards is compared.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGzip } from "node:zlib";
import { kinds, type Restore } from "../src/api/index.ts";
import { startRestoreController } from "../src/engines/restore/index.ts";
import {
  builtIn,
  Cache,
  type Client,
  connect,
  resourceOf,
  StatusWriter,
  systemClock,
} from "../src/kube/index.ts";
import { Reporter } from "../src/report/index.ts";
import { backupKey, FilesystemStore } from "../src/store/index.ts";
import { installDefinitions } from "../test/harness/definitions.ts";
import { tar } from "../test/harness/tar.ts";

const count = Number(process.env["HEADWAY_BENCH_ITEMS"] ?? 10_000);
const all = process.env["HEADWAY_BENCH_ALL"] === "1";
const widths = (process.env["HEADWAY_BENCH_PARALLEL"] ?? "32").split(",").map(Number);
const id = `${process.pid}`;
const server = `velero-bench-${id}`;
const { configMaps, namespaces } = builtIn;
const restores = resourceOf(kinds.Restore);
const made: string[] = [server];

if (!process.env["KUBECONFIG"]) {
  console.log("skipped: KUBECONFIG names no cluster");
} else {
  const client = await connect({ limits: { read: 32, write: 64 } });
  const folder = mkdtempSync(join(tmpdir(), "headway-bench-"));
  try {
    await prepare(client, folder);
    for (const width of all ? [] : widths) await compare(client, folder, width);
    await memory(client, folder);
  } finally {
    for (const name of made) await client.delete(namespaces, name).catch(() => undefined);
    client.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type ConfigMap = ReturnType<typeof configMap>;

function configMap(namespace: string, n: number) {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `item-${n}`, namespace },
    data: { text: `${n} `.repeat(120) },
  };
}

async function prepare(client: Client, folder: string): Promise<void> {
  await installDefinitions(client);
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: server } });
  await client.create(resourceOf(kinds.BackupStorageLocation), {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default", namespace: server },
    spec: { provider: "filesystem", objectStorage: { bucket: "bucket" }, config: { path: folder } },
    status: { phase: "Available" },
  });
}

/** A restore, with half of the bare creates of equal objects before it and half after, so that a machine that gets slower is fair to both. */
async function compare(client: Client, folder: string, width: number): Promise<void> {
  const bareSpaces = Array.from({ length: 10 }, (_, i) => `bare-${id}-${width}-${i}`);
  made.push(...bareSpaces, ...bareSpaces.map((name) => name.replace("bare", "restored")));
  for (const name of bareSpaces)
    await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const bareHalf = async (from: number, until: number): Promise<Spent> => {
    let next = from;
    return spent(async () => {
      await Promise.all(
        Array.from({ length: width }, async () => {
          for (let n = next++; n < until; n = next++) {
            await client.create(configMaps, configMap(bareSpaces[n % 10] ?? "", n));
          }
        }),
      );
    });
  };
  const half = Math.round(count / 2);
  const name = `bench-${id}-${width}`;
  await store(client, folder, name, (n) => configMap(`restored-${id}-${width}-${n % 10}`, n), count);
  const writer = new StatusWriter({ client });
  let restore: Restore | undefined;
  const before = await bareHalf(0, half);
  const took = await spent(async () => {
    await request(client, name, {});
    const stop = new AbortController();
    const running = startRestoreController(
      {
        client,
        cache: new Cache({ client }),
        namespace: server,
        clock: systemClock,
        log: () => undefined,
        report: new Reporter({ status: writer, clock: systemClock }),
        openStore: async () => new FilesystemStore(join(folder, "bucket")),
        parallel: width,
      },
      stop.signal,
    );
    restore = await ended(client, name);
    stop.abort();
    await running;
  });
  const after = await bareHalf(half, count);
  const rate = count / took.seconds;
  const bare = count / (before.seconds + after.seconds);
  const cpuMs = (cpuSeconds: number): string => ((cpuSeconds * 1000) / count).toFixed(2);
  const { phase, progress, warnings = 0, errors = 0 } = restore?.status ?? {};
  console.log(
    `${width} at a time: ${count} items in ${took.seconds.toFixed(1)} s: ${rate.toFixed(0)} items/s; bare creates ${bare.toFixed(0)}/s; ratio ${(rate / bare).toFixed(2)}; ${phase}, ${progress?.itemsRestored} items, ${warnings} warnings, ${errors} errors; ${writer.counts.writes} status writes; processor time an item ${cpuMs(took.cpuSeconds)} ms, bare ${cpuMs(before.cpuSeconds + after.cpuSeconds)} ms`,
  );
}

interface Spent {
  readonly seconds: number;
  /** Of this process, which no neighbour on the machine changes much. */
  readonly cpuSeconds: number;
}

async function spent(work: () => Promise<void>): Promise<Spent> {
  const from = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - from) / 1000, cpuSeconds: (user + system) / 1e6 };
}

/** The operator's peak memory while it reads an archive of 100,000 items and restores a few of them. */
async function memory(client: Client, folder: string): Promise<void> {
  const name = `memory-${id}`;
  const space = `memory-${id}`;
  made.push(space);
  await store(client, folder, name, (n) => configMap(space, n), 100_000);
  const args = [
    join(import.meta.dirname, "../bin/headway.js"),
    "operator",
    "--namespace",
    server,
    "--controllers",
    "restore",
    "--no-leader-election",
  ];
  const operator = spawn(process.execPath, args, {
    stdio: "ignore",
    env: { ...process.env, MALLOC_ARENA_MAX: "1" }, // as in the image
  });
  try {
    const from = performance.now();
    await request(client, name, all ? {} : { labelSelector: { matchLabels: { none: "such" } } });
    const { status } = await ended(client, name);
    const seconds = (performance.now() - from) / 1000;
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${operator.pid}/status`, "utf8"))?.[1];
    console.log(
      `archive of 100,000 items: ${seconds.toFixed(1)} s, ${status?.phase}, ${status?.progress?.itemsRestored ?? 0} of ${status?.progress?.totalItems ?? 0} items restored (${(100_000 / seconds).toFixed(0)}/s), ${status?.warnings ?? 0} warnings, ${status?.errors ?? 0} errors, operator peak memory ${Math.round(Number(peak) / 1024)} MB`,
    );
    if (all) console.log(`equal to the archive's: ${await equal(client, space)} ConfigMaps`);
  } finally {
    operator.kill("SIGTERM");
  }
}

/** How many of the archive's items are in the cluster with the content that they had. */
async function equal(client: Client, namespace: string): Promise<number> {
  let found = 0;
  for await (const page of client.pages<ConfigMap>(configMaps, { namespace }))
    for (const { metadata, data } of page.items) {
      const n = Number(metadata.name.replace("item-", ""));
      if (Number.isInteger(n) && data.text === configMap(namespace, n).data.text) found += 1;
    }
  return found;
}

async function store(
  client: Client,
  folder: string,
  name: string,
  make: (n: number) => ConfigMap,
  items: number,
): Promise<void> {
  const gzip = createGzip({ level: 1 });
  const written = new FilesystemStore(join(folder, "bucket")).put(backupKey(name, "contents"), gzip);
  gzip.write(tar([{ name: "metadata/version", body: "1.1.0\n" }], { end: false }));
  for (let n = 0; n < items; n += 1) {
    const item = make(n);
    const file = `resources/configmaps/namespaces/${item.metadata.namespace}/${item.metadata.name}.json`;
    if (!gzip.write(tar([{ name: file, body: JSON.stringify(item) }], { end: false })))
      await new Promise((resolve) => gzip.once("drain", resolve));
  }
  gzip.end(Buffer.alloc(1024));
  await written;
  await client.create(resourceOf(kinds.Backup), {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name, namespace: server },
    spec: { storageLocation: "default" },
    status: { phase: "Completed" },
  });
}

async function request(client: Client, name: string, spec: object): Promise<void> {
  await client.create(restores, {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name, namespace: server },
    spec: { backupName: name, ...spec },
  });
}

async function ended(client: Client, name: string): Promise<Restore> {
  for (;;) {
    const restore = await client.get<Restore>(restores, name, { namespace: server });
    if (/Completed|Failed/.test(restore.status?.phase ?? "")) return restore;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
