import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Backup,
  type KubeObject,
  kinds,
  type OperationObject,
  type OperationStatus,
  type PodVolumeBackup,
  type PodVolumeRestore,
  type Restore,
} from "../../../src/api/index.ts";
import { type PodObject, resources } from "../../../src/engines/podvolume/index.ts";
import { builtIn, Informer, isNotFound, type Resource, resourceOf } from "../../../src/kube/index.ts";
import { killHard, moversOf, signalAll, spawnAgent } from "../../harness/agent-process.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover } from "../../harness/movers.ts";
import { agentShows, type NodeWorld, noNodeWorld, openNodeWorld } from "../../harness/node-world.ts";
import { fillTree, treeLines } from "../../harness/tree.ts";
import { ensureNamespace } from "../../harness/volume-world.ts";

// Whole backups and restores of a real pod's volume, with the agent as a process of its own that can be killed.
const rounds = process.env["HEADWAY_LONG"] === "1" ? 20 : 2;
const found = findTestMover("restic");
const skip = noNodeWorld() ?? ("missing" in found ? found.missing : undefined);
const app = `killed-${crypto.randomUUID().slice(0, 6)}`;
const operations = resourceOf(kinds.Operation);
const { namespaces } = builtIn;

let world: NodeWorld;
let agent: ChildProcess;
let stateDir = "";
let volume = "";
/** Every status of a copy that broke a promise: a number that fell, or all of it before its end. */
const broken: string[] = [];
const stop = new AbortController();

beforeAll(async () => {
  if (skip !== undefined) return;
  world = await openNodeWorld("restic", false);
  stateDir = join(world.folder, "state");
  start();
  await agentShows(world);
  void watch(resources.podVolumeBackups);
  void watch(resources.podVolumeRestores);
  volume = await makePod();
}, 300_000);
afterAll(async () => {
  if (skip !== undefined) return;
  const names = await world.client.list(namespaces);
  for (const { metadata } of names.filter((one) => one.metadata.name.startsWith(app))) {
    await world.client.delete(namespaces, metadata.name).catch(() => undefined); // gone already
  }
  stop.abort();
  await killHard(agent);
  signalAll(moversOf(`agent:${stateDir}`), "SIGKILL");
  await world.close();
}, 180_000);

function start(): void {
  const { kubeconfig, namespace, node, hostPods } = world;
  agent = spawnAgent({ kubeconfig, namespace, node, hostPods, stateDir });
}

async function watch(resource: Resource): Promise<void> {
  const informer = new Informer<PodVolumeBackup | PodVolumeRestore, { done: number; phase: string }>({
    client: world.client,
    resource,
    query: { namespace: world.namespace },
    project: ({ metadata, status }) => {
      const { bytesDone = 0, totalBytes = 0 } = status?.progress ?? {};
      const phase = status?.phase ?? "New";
      if (totalBytes > 0 && bytesDone >= totalBytes && phase !== "Completed") {
        broken.push(`${metadata.name} shows all of ${totalBytes} while it is ${phase}`);
      }
      return { done: bytesDone, phase };
    },
    onChange: (key, now, before) => {
      if (now && before && now.done < before.done)
        broken.push(`${key} fell from ${before.done} to ${now.done}`);
    },
  });
  await informer.run(stop.signal);
}

function folderOf(podUid: string): string {
  return join(world.hostPods, podUid, "volumes", "kubernetes.io~empty-dir", "data");
}

async function makePod(): Promise<string> {
  const { client, image } = world;
  await ensureNamespace(client, app);
  await client.create(resources.pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: app, annotations: { "backup.velero.io/backup-volumes": "data" } },
    spec: {
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
    },
  });
  return folderOf((await running(app)).metadata.uid ?? "");
}

function running(namespace: string): Promise<KubeObject & PodObject> {
  return eventually(
    () => world.client.get<KubeObject & PodObject>(resources.pods, "web", { namespace }),
    ({ status }) => status?.phase === "Running",
    120_000,
  );
}

async function ended<T extends Backup | Restore>(resource: Resource, name: string): Promise<T> {
  return eventually(
    () => world.client.get<T>(resource, name, { namespace: world.namespace }),
    ({ status }) => /^(Completed|PartiallyFailed|Failed.*)$/.test(status?.phase ?? ""),
    300_000,
  );
}

function create(kind: "Backup" | "Restore", name: string, spec: object): Promise<KubeObject> {
  const resource = kind === "Backup" ? resources.backups : resources.restores;
  const metadata = { name, namespace: world.namespace };
  return world.client.create<KubeObject>(resource, { apiVersion: "velero.io/v1", kind, metadata, spec });
}

/** Waits for a mover, lets it work for a random while, and kills. */
async function killDuring(victim: "agent" | "mover"): Promise<void> {
  const owner = `agent:${stateDir}`;
  await eventually(
    () => moversOf(owner),
    (pids) => pids.length > 0,
    120_000,
  );
  await pause(Math.random() * 1_500);
  if (victim === "mover") return signalAll(moversOf(owner), "SIGKILL");
  await killHard(agent);
  start();
}

test.skipIf(skip)(
  `kill -9 of agent and mover: the backup and the restore end well ${skip ?? ""}`,
  { timeout: 3_000_000 },
  async () => {
    fillTree(volume, [1_000_000, 3, 70_000], true);
    for (let round = 0; round < rounds; round += 1) {
      const victim = round % 2 === 0 ? "agent" : "mover";
      writeFileSync(join(volume, "big"), randomBytes(24 << 20));
      const name = `${app}-${round}`;
      await create("Backup", name, { includedNamespaces: [app] });
      await killDuring(victim);
      const backup = await ended<Backup>(resources.backups, name);
      expect(backup.status, `${name}, ${victim}\n${world.log.join("\n")}`).toMatchObject({
        phase: "Completed",
      });
      const copy = `${app}-copy-${round}`;
      await create("Restore", name, { backupName: name, namespaceMapping: { [app]: copy } });
      await killDuring(victim);
      const restore = await ended<Restore>(resources.restores, name);
      expect(restore.status, `${name}, ${victim}\n${world.log.join("\n")}`).toMatchObject({
        phase: "Completed",
      });
      const again = await running(copy);
      expect(treeLines(folderOf(again.metadata.uid ?? ""))).toEqual(treeLines(volume));
      await world.client.delete(namespaces, copy);
    }
    expect(broken).toEqual([]);
  },
);

/** The first stall in the tree of a backup's Operation. */
async function stallOf(name: string): Promise<string | undefined> {
  const { client, namespace } = world;
  const operation = await client
    .get<OperationObject>(operations, `backup-${name}`, { namespace })
    .catch((error: unknown) => {
      if (isNotFound(error)) return undefined; // not written yet
      throw error;
    });
  const causes = (part: Pick<OperationStatus, "stall" | "children">): string[] => [
    ...(part.stall ? [part.stall.cause] : []),
    ...part.children.flatMap(causes),
  ];
  return operation?.status ? causes(operation.status)[0] : undefined;
}

test.skipIf(skip)(
  `a stopped mover is told within 30 s, and forgotten when it goes on ${skip ?? ""}`,
  { timeout: 600_000 },
  async () => {
    for (let i = 0; i < 24; i += 1) writeFileSync(join(volume, `f${i}`), randomBytes(16 << 20));
    const name = `${app}-stopped`;
    await create("Backup", name, { includedNamespaces: [app] });
    await eventually(
      () => world.client.list<PodVolumeBackup>(resources.podVolumeBackups, { namespace: world.namespace }),
      (all) =>
        all.some(
          ({ metadata, status }) =>
            metadata.labels?.["velero.io/backup-name"] === name && (status?.progress?.totalBytes ?? 0) > 0,
        ),
      120_000,
    );
    const pids = moversOf(`agent:${stateDir}`);
    expect(pids.length).toBeGreaterThan(0);
    const stoppedAt = performance.now();
    signalAll(pids, "SIGSTOP");
    const cause = await eventually(
      () => stallOf(name),
      (stall) => stall !== undefined,
      90_000,
    );
    const tookMs = performance.now() - stoppedAt;
    console.info(`the stall of a stopped mover was told after ${(tookMs / 1000).toFixed(1)} s`);
    expect(cause).toBe("mover-silent");
    signalAll(pids, "SIGCONT");
    await eventually(
      () => stallOf(name),
      (stall) => stall === undefined,
      60_000,
    );
    expect((await ended<Backup>(resources.backups, name)).status).toMatchObject({ phase: "Completed" });
    expect(broken).toEqual([]);
  },
);
