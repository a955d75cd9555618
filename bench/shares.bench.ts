// What page and terminal show of a backup and a restore of eight volumes of mixed size, two slots and many objects: does the share
// move while bytes flow, does it go with the time, how old are the numbers. Looks are 0.2 s apart. BENCH_MIB is the size of all volumes together,
// BENCH_OBJECTS the number of objects, BENCH_MOVER the mover; BENCH_SERIES=1 prints the share at each second, with what runs.
//
// On a real cluster whose node is this machine, as root, with the parts of test/parts on the PATH:
//   eval "$(test/parts/node up)"; HEADWAY_TEST_CLUSTER=1 npm run bench -- shares
// `node up` says KUBECONFIG, HEADWAY_HOST_PODS and HEADWAY_TEST_IMAGE. What it makes there goes with it.
import { randomBytes } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Backup, KubeObject, Restore } from "../src/api/index.ts";
import { type PodObject, resources, type Uploader } from "../src/engines/podvolume/index.ts";
import { builtIn, type Resource } from "../src/kube/index.ts";
import { moved, type Operation, type Sample } from "../src/progress/index.ts";
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
  /** Which steps run. */
  readonly steps: string;
}

/** What the movers had said together at a moment. */
interface Report {
  readonly at: number;
  readonly bytes: number;
}

/** All bytes that movers have told of, as each word made it. */
class Reports {
  all: Report[] = [];
  #done = new Map<string, number>();

  begin(): void {
    this.all = [];
    this.#done = new Map();
  }

  take(path: string, done: number): void {
    if (done <= (this.#done.get(path) ?? 0)) return;
    this.#done.set(path, done);
    const bytes = [...this.#done.values()].reduce((sum, one) => sum + one, 0);
    this.all.push({ at: Date.now(), bytes });
  }
}

const found = findTestMover(uploader);
if ("missing" in found) console.log(`skipped, ${found.missing}`);
else await measure();

async function measure(): Promise<void> {
  const address = `127.0.0.1:${await freePort()}`;
  const reports = new Reports();
  const heard = (path: string, { done }: Sample) => reports.take(path, done);
  const world = await openNodeWorld(uploader, true, { serve: { address, token } }, { heard });
  try {
    await ensureNamespace(world.client, app);
    await makeObjects(world);
    for (const [i, share] of shares.entries()) await makePod(world, `p${i}`, Math.round(mib * share));
    const spec = { includedNamespaces: [app], defaultVolumesToFsBackup: true };
    // The first backup of a namespace has no earlier run to learn from, and no earlier copies: the hardest case.
    await record(world, reports, address, {
      kind: "Backup",
      resource: resources.backups,
      name: "first",
      spec,
    });
    await world.client.delete(namespaces, app);
    await eventually(
      () => world.client.list(namespaces),
      (all) => !all.some(({ metadata }) => metadata.name === app),
      limitMs,
    );
    const back = { backupName: "first" };
    await record(world, reports, address, {
      kind: "Restore",
      resource: resources.restores,
      name: "back",
      spec: back,
    });
  } finally {
    await world.client.delete(namespaces, app).catch(() => undefined); // it is gone when the restore never began
    await world.close();
  }
}

interface Work {
  readonly kind: "Backup" | "Restore";
  readonly resource: Resource;
  readonly name: string;
  readonly spec: object;
}

/** Runs the work while it looks at what the page's API and a terminal's program show. */
async function record(world: NodeWorld, reports: Reports, address: string, work: Work): Promise<void> {
  const { client, namespace, kubeconfig } = world;
  const { kind, resource, name, spec } = work;
  reports.begin();
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
    const shown = await fromApi(address, id);
    if (shown) page.push(sightOf(shown, Date.now()));
    for (const line of terminal.lines().slice(read)) {
      read += 1;
      const { operation } = JSON.parse(line) as { readonly operation: Operation };
      if (operation.id === id) lines.push(sightOf(operation, at));
    }
    const last = lines.at(-1);
    if (last && last.at !== at) lines.push({ ...last, at });
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
  say("page", page, reports.all, overAt);
  say("terminal", lines, reports.all, overAt);
}

async function fromApi(address: string, id: string): Promise<Operation | undefined> {
  const answer = await fetch(`http://${address}/api/operations`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { operations } = (await answer.json()) as { readonly operations: readonly Operation[] };
  return operations.find((operation) => operation.id === id);
}

function sightOf(operation: Operation, at: number): Sight {
  const volumes = operation.children.find((child) => child.id === "volumes");
  const running = operation.children.filter(({ state }) => state === "running");
  return {
    at,
    fraction: operation.fraction ?? 0,
    bytes: volumes ? (moved(volumes).bytes?.done ?? 0) : 0,
    steps: running.map(({ id }) => id).join("+"),
  };
}

function say(where: string, seen: readonly Sight[], reports: readonly Report[], overAt: number): void {
  const [first] = seen;
  if (!first) return console.log(`  ${where}: nothing was shown`);
  const whole = overAt - first.at;
  const gaps = seen.map(({ at, fraction }) => 100 * Math.abs(fraction - (at - first.at) / whole));
  const ages = agesOf(seen, reports);
  console.log(
    [
      `  ${where}: ${(whole / 1000).toFixed(1)} s, ${seen.length} looks, ${reports.length} reports of movers`,
      `longest without movement of the share while movers told of bytes ${(stillMs(seen, reports) / 1000).toFixed(1)} s`,
      `share against elapsed time: mean ${mean(gaps).toFixed(1)}, at most ${Math.max(...gaps).toFixed(1)} points`,
      `from a mover's word to where it is shown: p50 ${seconds(ages, 0.5)}, p95 ${seconds(ages, 0.95)}, at most ${seconds(ages, 1)} s`,
    ].join("\n    "),
  );
  if (process.env["BENCH_SERIES"]) {
    const series = Array.from({ length: Math.ceil(whole / 1000) }, (_, t) => {
      const sight = seen.findLast(({ at }) => at <= first.at + t * 1000) ?? first;
      return `${Math.round(sight.fraction * 100)} ${sight.steps}`;
    });
    console.log(`    percent and what runs, each second: ${series.join(", ")}`);
  }
}

/** How long it took from each word of a mover until it was shown, in ms. A volume is held one byte below its whole until it has ended. */
function agesOf(seen: readonly Sight[], reports: readonly Report[]): readonly number[] {
  return reports.flatMap(({ at, bytes }) => {
    const shown = seen.find((sight) => sight.at >= at && sight.bytes + shares.length >= bytes);
    return shown ? [shown.at - at] : [];
  });
}

/** For how long at most the share stood while movers had told of more bytes than it was made of, in ms. */
function stillMs(seen: readonly Sight[], reports: readonly Report[]): number {
  let most = 0;
  let [last] = seen;
  for (const sight of seen) {
    if (!last || sight.fraction !== last.fraction) last = sight;
    const { bytes } = last;
    const told = reports.find((report) => report.bytes > bytes + shares.length);
    if (told && told.at <= sight.at) most = Math.max(most, sight.at - told.at);
  }
  return most;
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
