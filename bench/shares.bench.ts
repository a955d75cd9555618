// What page and terminal show of a backup and a restore of eight volumes of mixed size, two slots and many objects: does the share
// move while bytes flow, does it go with the time, how old are the numbers. BENCH_MIB is the size of all volumes together, BENCH_OBJECTS the
// number of objects, BENCH_MOVER the mover. With HEADWAY_TEST_CLUSTER=1, KUBECONFIG, HEADWAY_HOST_PODS and HEADWAY_TEST_IMAGE it runs on a real cluster.
import { randomBytes } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Backup, KubeObject, Restore } from "../src/api/index.ts";
import { type PodObject, resources, type Uploader } from "../src/engines/podvolume/index.ts";
import { builtIn, type Resource } from "../src/kube/index.ts";
import { moved, type Operation } from "../src/progress/index.ts";
import { moversOf } from "../test/harness/agent-process.ts";
import { eventually } from "../test/harness/eventually.ts";
import { freePort } from "../test/harness/free-port.ts";
import { startHeadway } from "../test/harness/headway-process.ts";
import { findTestMover } from "../test/harness/movers.ts";
import { type NodeWorld, openNodeWorld } from "../test/harness/node-world.ts";
import { ensureNamespace } from "../test/harness/volume-world.ts";

const mib = Number(process.env["BENCH_MIB"] ?? "800");
const objects = Number(process.env["BENCH_OBJECTS"] ?? "5000");
const uploader: Uploader = process.env["BENCH_MOVER"] === "kopia" ? "kopia" : "restic";
/** Shares of all bytes: a few large volumes and some small ones, as in a cluster. */
const shares = [0.32, 0.24, 0.16, 0.12, 0.08, 0.05, 0.02, 0.01];
const app = `shares-${crypto.randomUUID().slice(0, 6)}`;
const limitMs = 1_200_000;
const token = "bench";
const { namespaces } = builtIn;

interface Sight {
  readonly at: number;
  readonly fraction: number;
  readonly bytes: number;
  /** Whether a mover was at work. */
  readonly flows: boolean;
}

const found = findTestMover(uploader);
if ("missing" in found) console.log(`skipped, ${found.missing}`);
else await measure();

async function measure(): Promise<void> {
  const address = `127.0.0.1:${await freePort()}`;
  const world = await openNodeWorld(uploader, true, { serve: { address, token } });
  try {
    await ensureNamespace(world.client, app);
    await makeObjects(world);
    for (const [i, share] of shares.entries()) await makePod(world, `p${i}`, Math.round(mib * share));
    const spec = { includedNamespaces: [app], defaultVolumesToFsBackup: true };
    // The first backup of a namespace has no earlier run to learn from, and no earlier copies: the hardest case.
    await record(world, address, "Backup", resources.backups, "first", spec);
    await world.client.delete(namespaces, app);
    await eventually(
      () => world.client.list(namespaces),
      (all) => !all.some(({ metadata }) => metadata.name === app),
      limitMs,
    );
    await record(world, address, "Restore", resources.restores, "back", { backupName: "first" });
  } finally {
    await world.close();
  }
}

/** Runs the work while it looks at what the page's API and a terminal's program show. */
async function record(
  world: NodeWorld,
  address: string,
  kind: "Backup" | "Restore",
  resource: Resource,
  name: string,
  spec: object,
): Promise<void> {
  const { client, namespace, kubeconfig, owner } = world;
  const object = { apiVersion: "velero.io/v1", kind, metadata: { name, namespace }, spec };
  await client.create(resource, object);
  const terminal = startHeadway(
    "watch",
    `${kind.toLowerCase()}/${name}`,
    "-n",
    namespace,
    "--kubeconfig",
    kubeconfig,
  );
  const id = `${kind.toLowerCase()}/${namespace}/${name}`;
  const page: Sight[] = [];
  const lines: Sight[] = [];
  let read = 0;
  let phase = "";
  for (;;) {
    const at = Date.now();
    const flows = moversOf(owner).length > 0;
    const shown = await fromApi(address, id);
    if (shown) page.push(sightOf(shown, at, flows));
    for (const line of terminal.lines().slice(read)) {
      read += 1;
      const { operation } = JSON.parse(line) as { readonly operation: Operation };
      if (operation.id === id) lines.push(sightOf(operation, at, flows));
    }
    const last = lines.at(-1);
    if (last && last.at !== at) lines.push({ ...last, at, flows });
    phase = (await client.get<Backup | Restore>(resource, name, { namespace })).status?.phase ?? "";
    if (/^(Completed|PartiallyFailed|Failed.*)$/.test(phase)) break;
    await pause(Math.max(0, 200 - (Date.now() - at)));
  }
  const overAt = Date.now();
  terminal.signal("SIGTERM");
  await terminal.ended;
  console.log(
    `${kind} of ${mib} MiB in ${shares.length} volumes and ${objects} objects with ${uploader}: ${phase}`,
  );
  say("page", page, overAt);
  say("terminal", lines, overAt);
}

async function fromApi(address: string, id: string): Promise<Operation | undefined> {
  const answer = await fetch(`http://${address}/api/operations`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { operations } = (await answer.json()) as { readonly operations: readonly Operation[] };
  return operations.find((operation) => operation.id === id);
}

function sightOf(operation: Operation, at: number, flows: boolean): Sight {
  const volumes = operation.children.find((child) => child.id === "volumes");
  return {
    at,
    flows,
    fraction: operation.fraction ?? 0,
    bytes: volumes ? (moved(volumes).bytes?.done ?? 0) : 0,
  };
}

function say(where: string, seen: readonly Sight[], overAt: number): void {
  const [first] = seen;
  if (!first) return console.log(`  ${where}: nothing was shown`);
  const whole = overAt - first.at;
  const gaps = seen.map(({ at, fraction }) => 100 * Math.abs(fraction - (at - first.at) / whole));
  const ages = agesOf(seen, ({ bytes }) => bytes);
  const still = Math.max(0, ...agesOf(seen, ({ fraction }) => fraction));
  console.log(
    [
      `  ${where}: ${(whole / 1000).toFixed(1)} s, ${seen.length} looks`,
      `longest without movement of the share while a mover ran ${(still / 1000).toFixed(1)} s`,
      `share against elapsed time: mean ${mean(gaps).toFixed(1)}, at most ${Math.max(...gaps).toFixed(1)} points`,
      `age of the bytes while a mover ran: p50 ${seconds(ages, 0.5)}, p95 ${seconds(ages, 0.95)}, at most ${seconds(ages, 1)} s`,
    ].join("\n    "),
  );
  if (process.env["BENCH_SERIES"]) {
    const each = (t: number) => seen.findLast(({ at }) => at <= first.at + t * 1000)?.fraction ?? 0;
    const series = Array.from({ length: Math.ceil(whole / 1000) }, (_, t) => Math.round(each(t) * 100));
    console.log(`    percent, each second: ${series.join(" ")}`);
  }
}

/** How long a number had stood at each look at which a mover ran, in ms; the wait for the first mover does not count. */
function agesOf(seen: readonly Sight[], pick: (sight: Sight) => number): readonly number[] {
  const ages: number[] = [];
  let since: number | undefined;
  let last: number | undefined;
  for (const sight of seen) {
    if (!sight.flows) since = undefined;
    else {
      since = since === undefined || pick(sight) !== last ? sight.at : since;
      ages.push(sight.at - since);
    }
    last = pick(sight);
  }
  return ages;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function seconds(ages: readonly number[], share: number): string {
  const sorted = [...ages].toSorted((a, b) => a - b);
  return ((sorted[Math.ceil((sorted.length - 1) * share)] ?? 0) / 1000).toFixed(1);
}

async function makeObjects({ client }: NodeWorld): Promise<void> {
  const resource = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };
  const worker = async (from: number): Promise<void> => {
    for (let i = from; i < objects; i += 16) {
      const metadata = { name: `c${i}`, namespace: app };
      await client.create(resource, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata,
        data: { n: String(i) },
      });
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, from) => worker(from)));
}

async function makePod(
  { client, node, hostPods, image }: NodeWorld,
  name: string,
  size: number,
): Promise<void> {
  const spec = {
    nodeName: node,
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    containers: [
      {
        name: "c",
        image,
        imagePullPolicy: "Never",
        command: ["sh", "-c", "sleep 100000"],
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      },
    ],
    volumes: [{ name: "data", emptyDir: {} }],
  };
  const metadata = { name, namespace: app };
  await client.create(resources.pods, { apiVersion: "v1", kind: "Pod", metadata, spec });
  const pod = await eventually(
    () => client.get<KubeObject & PodObject>(resources.pods, name, { namespace: app }),
    ({ status }) => status?.phase === "Running",
    limitMs,
  );
  const folder = join(hostPods, pod.metadata.uid ?? "", "volumes", "kubernetes.io~empty-dir", "data");
  for (let left = size, i = 0; left > 0; left -= 16, i += 1) {
    const file = openSync(join(folder, `file-${i}`), "w");
    for (let part = 0; part < Math.min(16, left); part += 1) writeSync(file, randomBytes(1 << 20));
    closeSync(file);
  }
}
