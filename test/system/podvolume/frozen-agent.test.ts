import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backup, kinds, type PodVolumeBackup } from "../../../src/api/index.ts";
import { resources } from "../../../src/engines/podvolume/index.ts";
import { Cache } from "../../../src/kube/index.ts";
import { ClusterFacts, Observer } from "../../../src/observe/index.ts";
import { killHard, spawnAgent } from "../../harness/agent-process.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover } from "../../harness/movers.ts";
import { openVolumeWorld, readyRepository, type VolumeWorld } from "../../harness/volume-world.ts";

const missing = findTestMover("restic");
const skip = "missing" in missing ? missing.missing : undefined;
let world: VolumeWorld;
let agent: ChildProcess | undefined;
const stop = new AbortController();
beforeAll(async () => {
  world = await openVolumeWorld();
}, 180_000);
afterAll(async () => {
  stop.abort();
  agent?.kill("SIGCONT");
  if (agent) await killHard(agent);
  await world.close();
});

test.skipIf(skip)(
  `a frozen agent is told within 40 s, and forgotten when it goes on ${skip ?? ""}`,
  { timeout: 300_000 },
  async () => {
    const { client, namespace, node } = world;
    agent = spawnAgent({
      kubeconfig: world.kubeconfig,
      namespace,
      node,
      hostPods: world.hostPods,
      stateDir: join(world.folder, "state"),
    });
    await readyRepository(world, "shop", "restic");
    const pod = await world.pod("shop", "web", ["data"]);
    for (let i = 0; i < 60; i += 1)
      writeFileSync(join(pod.folders["data"] ?? "", `f${i}`), randomBytes(16 << 20));
    const backup = await client.create<Backup>(resources.backups, {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name: "frozen", namespace },
      spec: { storageLocation: "default" },
      status: { phase: "InProgress" },
    });
    const around = new ClusterFacts({ client, namespace });
    void around.run(stop.signal);
    const observer = new Observer({ cache: new Cache({ client }), namespace, causes: around.causes });
    void observer.run(stop.signal);
    await observer.synced(stop.signal);
    const made = await client.create<PodVolumeBackup>(resources.podVolumeBackups, {
      apiVersion: "velero.io/v1",
      kind: "PodVolumeBackup",
      metadata: {
        generateName: "frozen-",
        namespace,
        labels: { "velero.io/backup-name": "frozen", "velero.io/backup-uid": backup.metadata.uid },
        ownerReferences: [
          { apiVersion: "velero.io/v1", kind: kinds.Backup.kind, name: "frozen", uid: backup.metadata.uid },
        ],
      },
      spec: {
        node,
        pod: { kind: "Pod", namespace: world.space("shop"), name: "web", uid: pod.uid },
        volume: "data",
        backupStorageLocation: "default",
        repoIdentifier: "",
        uploaderType: "restic",
        tags: {},
      },
    });
    const read = () =>
      client.get<PodVolumeBackup>(resources.podVolumeBackups, made.metadata.name, { namespace });
    const volume = () =>
      observer
        .operations()
        .flatMap(({ children }) => children)
        .flatMap(({ children }) => children)
        .find(({ kind }) => kind === "podvolumebackup");
    await eventually(read, ({ status }) => (status?.progress?.totalBytes ?? 0) > 0, 120_000);
    const frozenAt = Date.now();
    agent.kill("SIGSTOP");
    // The node itself has no kubelet here, which is told as well; the agent is the graver cause.
    await eventually(volume, (operation) => operation?.stall?.cause === "agent-missing", 90_000);
    const tookMs = Date.now() - frozenAt;
    console.info(`the stall was told after ${(tookMs / 1000).toFixed(1)} s`);
    expect(tookMs).toBeLessThan(40_000);
    agent.kill("SIGCONT");
    await eventually(volume, (operation) => operation?.stall?.cause !== "agent-missing", 60_000);
    await eventually(read, ({ status }) => status?.phase === "Completed", 180_000);
  },
);
