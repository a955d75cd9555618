// What Headway adds to the mover's own time around one volume, and what it writes; BENCH_MIB sets the volume's size, BENCH_MOVER picks one mover.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startPlane } from "../packages/plane/index.ts";
import type { Backup, KubeObject, PodVolumeBackup, PodVolumeRestore, Restore } from "../src/api/index.ts";
import { leaseName, type PodObject, resources, type Uploader } from "../src/engines/podvolume/index.ts";
import { builtIn, type Client, connectTo, Informer, type Resource } from "../src/kube/index.ts";
import { makeMover } from "../src/movers/index.ts";
import { startOperator } from "../src/operator/index.ts";
import { killHard, moversOf, spawnAgent } from "../test/harness/agent-process.ts";
import { eventually } from "../test/harness/eventually.ts";
import { findTestMover, testMoverFolders } from "../test/harness/movers.ts";
import { ensureNamespace, prepareServer } from "../test/harness/volume-world.ts";

const mib = Number(process.env["BENCH_MIB"] ?? "2048");
const asked = process.env["BENCH_MOVER"];
const limitMs = 1_200_000;
const { namespaces } = builtIn;

for (const uploader of (["restic", "kopia"] as const).filter((one) => (asked ?? one) === one)) {
  const mover = findTestMover(uploader);
  if ("missing" in mover) console.log(`${uploader}: skipped, ${mover.missing}`);
  else await measure(uploader);
}

async function measure(uploader: Uploader): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bench-volumes-"));
  const stateDir = join(folder, "agent");
  const plane = await startPlane({ stateDir: join(folder, "plane") });
  const client = connectTo({ server: plane.url, token: plane.token, ca: plane.ca });
  const { name: node = "", podsDir: hostPods = "" } = plane.node ?? {};
  mkdirSync(join(folder, "store"));
  await prepareServer(client, "velero", join(folder, "store"));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, plane.kubeconfig());
  const agent = spawnAgent({ kubeconfig, namespace: "velero", node, hostPods, stateDir });
  const stop = new AbortController();
  const controllers = ["location", "backup", "restore", "backup-repo"];
  const volumes = { uploader, helperImage: "none", moverFolders: testMoverFolders() };
  const log = () => undefined;
  const operator = startOperator(
    { client, namespace: "velero", log, tempDir: folder, controllers, volumes },
    stop.signal,
  );
  try {
    await eventually(
      () => client.list(resources.leases, { namespace: "velero" }),
      (all) => all.some(({ metadata }) => metadata.name === leaseName(node)),
    );
    await makePod(client, "shop", "small", node, hostPods, 1);
    await backup(client, "warm"); // the repository is there and open, as for every backup but the first
    await deletePod(client, "shop", "small");
    await makePod(client, "shop", "web", node, hostPods, mib);
    const out = await watched<PodVolumeBackup>(
      client,
      resources.podVolumeBackups,
      agent.pid ?? 0,
      stateDir,
      "backup",
      () => backup(client, "big"),
    );
    say(uploader, "backup", out);
    const knows = await moverKnowsMs(
      uploader,
      join(folder, "bare"),
      await volumeFolder(client, "web", hostPods),
    );
    console.log(`  the bare ${uploader} says its first total ${(knows / 1000).toFixed(2)} s after its start`);
    await deletePod(client, "shop", "web");
    const back = await watched<PodVolumeRestore>(
      client,
      resources.podVolumeRestores,
      agent.pid ?? 0,
      stateDir,
      "restore",
      () => restore(client, "back", "big"),
    );
    say(uploader, "restore", back);
    await client.delete(namespaces, "shop");
    await eventually(
      () => client.list(resources.pods, { namespace: "shop" }),
      (pods) => pods.length === 0,
      limitMs,
    );
  } finally {
    await killHard(agent);
    stop.abort();
    await operator;
    client.close();
    await plane.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Measured {
  readonly wholeMs: number;
  readonly moverMs: number;
  readonly writes: number;
  readonly firstTotalMs: number;
  readonly cpuMs: number;
  readonly early: boolean;
  /** What was seen when, for finding out where the time goes. */
  readonly marks: readonly string[];
}

/** Runs the work while it looks at the mover's processes, the object's versions and the agent's processor time. */
async function watched<T extends PodVolumeBackup | PodVolumeRestore>(
  client: Client,
  resource: Resource,
  agentPid: number,
  stateDir: string,
  verb: string,
  work: () => Promise<void>,
): Promise<Measured> {
  const stop = new AbortController();
  let [first, last, writes, totalAt, early] = [0, 0, 0, 0, false];
  const informer = new Informer<T, T>({
    client,
    resource,
    query: { namespace: "velero" },
    project: (object) => object,
    onChange: (_key, now) => {
      if (!now || !informer.isSynced) return;
      writes += 1;
      const { totalBytes = 0, bytesDone = 0 } = now.status?.progress ?? {};
      if (totalBytes > 0 && totalAt === 0) totalAt = performance.now();
      if (totalBytes > 0 && bytesDone >= totalBytes && now.status?.phase !== "Completed") early = true;
    },
  });
  const seen: [number, string][] = [];
  const watching = Promise.all([
    informer.run(stop.signal),
    ...[resource, resources.backups, resources.restores, resources.pods as Resource].map((one) =>
      notePhases(client, one, seen, stop.signal),
    ),
  ]);
  await informer.synced();
  const looking = (async () => {
    while (!stop.signal.aborted) {
      if (moversOf(`agent:${stateDir}`).some((pid) => commandOf(pid).includes(verb))) {
        if (first === 0) seen.push([performance.now(), "mover begins"]);
        first ||= performance.now();
        last = performance.now();
      }
      await pause(25);
    }
  })();
  const cpu = cpuMsOf(agentPid);
  const startedAt = performance.now();
  await work();
  const wholeMs = performance.now() - startedAt;
  const cpuMs = cpuMsOf(agentPid) - cpu;
  stop.abort();
  await Promise.all([looking, watching]);
  seen.push([last, "mover ends"]);
  const marks = seen
    .filter(([at]) => at >= startedAt)
    .toSorted(([a], [b]) => a - b)
    .map(([at, what]) => `${((at - startedAt) / 1000).toFixed(2)} ${what}`);
  // The creation of the object is not a write of its status.
  return {
    wholeMs,
    moverMs: last - first,
    writes: writes - 1,
    firstTotalMs: totalAt - first,
    cpuMs,
    early,
    marks,
  };
}

/** Notes each new phase of the objects of a kind, with the state of a pod's first container. */
async function notePhases(
  client: Client,
  resource: Resource,
  seen: [number, string][],
  signal: AbortSignal,
): Promise<void> {
  const informer = new Informer<KubeObject & PodObject, string>({
    client,
    resource,
    query: {},
    project: ({ status }) => {
      const [first] = status?.initContainerStatuses ?? [];
      const init = Object.entries(first?.state ?? {}).find(([, value]) => value !== undefined)?.[0] ?? "";
      return `${status?.phase ?? "made"} ${init}`.trim();
    },
    onChange: (_key, now, before) => {
      if (now !== before) seen.push([performance.now(), `${resource.kind} ${now ?? "gone"}`]);
    },
  });
  await informer.run(signal);
}

function say(uploader: string, what: string, measured: Measured): void {
  const { wholeMs, moverMs, writes, firstTotalMs, cpuMs, early, marks } = measured;
  const s = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  console.log(
    `${uploader} ${what} of ${mib} MiB: whole ${s(wholeMs)}, mover ${s(moverMs)}, around it ${s(wholeMs - moverMs)}; ` +
      `${writes} writes (budget ${Math.floor(moverMs / 500) + 5}); first total ${s(firstTotalMs)} after the mover began; ` +
      `agent ${((100 * cpuMs) / wholeMs).toFixed(2)} % of a core; 100 % early: ${early}`,
  );
  console.log(`  ${marks.join(", ")}`);
}

async function backup(client: Client, name: string): Promise<void> {
  const spec = { includedNamespaces: ["shop"], defaultVolumesToFsBackup: true };
  await client.create(resources.backups, velero("Backup", name, spec));
  await ended<Backup>(client, resources.backups, name);
}

async function restore(client: Client, name: string, backupName: string): Promise<void> {
  await client.create(resources.restores, velero("Restore", name, { backupName }));
  await ended<Restore>(client, resources.restores, name);
}

async function ended<T extends Backup | Restore>(
  client: Client,
  resource: Resource,
  name: string,
): Promise<void> {
  const found = await eventually(
    () => client.get<T>(resource, name, { namespace: "velero" }),
    ({ status }) => /^(Completed|PartiallyFailed|Failed.*)$/.test(status?.phase ?? ""),
    limitMs,
  );
  if (found.status?.phase !== "Completed") throw new Error(`${name}: ${JSON.stringify(found.status)}`);
}

async function makePod(
  client: Client,
  namespace: string,
  name: string,
  node: string,
  hostPods: string,
  size: number,
): Promise<void> {
  await ensureNamespace(client, namespace);
  const spec = {
    nodeName: node,
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: "c",
        image: "none",
        command: ["sleep", "100000"],
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      },
    ],
    volumes: [{ name: "data", emptyDir: {} }],
  };
  await client.create(resources.pods, { apiVersion: "v1", kind: "Pod", metadata: { name, namespace }, spec });
  await eventually(
    () => client.get<KubeObject & PodObject>(resources.pods, name, { namespace }),
    ({ status }) => status?.phase === "Running",
    limitMs,
  );
  const volume = await volumeFolder(client, name, hostPods);
  for (let left = size, i = 0; left > 0; left -= 64, i += 1) {
    const file = openSync(join(volume, `file-${i}`), "w");
    for (let part = 0; part < Math.min(64, left); part += 1) writeSync(file, randomBytes(1 << 20));
    closeSync(file);
  }
}

async function volumeFolder(client: Client, pod: string, hostPods: string): Promise<string> {
  const { metadata } = await client.get<KubeObject>(resources.pods, pod, { namespace: "shop" });
  return join(hostPods, metadata.uid ?? "", "volumes", "kubernetes.io~empty-dir", "data");
}

/** How long the mover itself takes until it says a total, without anything of ours around it. */
async function moverKnowsMs(uploader: Uploader, folder: string, path: string): Promise<number> {
  const found = findTestMover(uploader);
  const program = "program" in found ? found.program : "";
  const mover = makeMover(uploader, { program, scratch: join(folder, "scratch") });
  const repository = {
    place: { kind: "filesystem", path: join(folder, "repo") } as const,
    password: "bench",
  };
  await mover.ensureRepository(repository);
  const stop = new AbortController();
  const since = performance.now();
  let knows = 0;
  const onProgress = ({ total }: { readonly total?: number }) => {
    if (total === undefined || knows > 0) return;
    knows = performance.now() - since;
    stop.abort();
  };
  const request = { repository, path, source: "bench", tags: {}, onProgress };
  await mover.backup(request, stop.signal).catch(() => undefined); // ended on purpose
  return knows;
}

async function deletePod(client: Client, namespace: string, name: string): Promise<void> {
  await client.delete(resources.pods, name, { namespace, gracePeriodSeconds: 0 });
  await eventually(
    () => client.list(resources.pods, { namespace }),
    (pods) => pods.length === 0,
    limitMs,
  );
}

function velero(kind: string, name: string, spec: object): object {
  return { apiVersion: "velero.io/v1", kind, metadata: { name, namespace: "velero" }, spec };
}

function commandOf(pid: number): readonly string[] {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
    // kopia says "snapshot create" for what restic calls "backup"
    return words.includes("create") ? [...words, "backup"] : words;
  } catch {
    return []; // gone meanwhile
  }
}

/** Processor time of a process itself, without that of the movers it started. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
