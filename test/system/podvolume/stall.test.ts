import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backup, kinds, type PodVolumeBackup } from "../../../src/api/index.ts";
import { resources } from "../../../src/engines/podvolume/index.ts";
import { Cache } from "../../../src/kube/index.ts";
import { Observer } from "../../../src/observe/index.ts";
import { moversOf, signalAll } from "../../harness/agent-process.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover } from "../../harness/movers.ts";
import { openVolumeWorld, readyRepository, type VolumeWorld } from "../../harness/volume-world.ts";

const missing = findTestMover("restic");
const skip = "missing" in missing ? missing.missing : undefined;
let world: VolumeWorld;
let stopAgent: (() => Promise<void>) | undefined;
const stop = new AbortController();
beforeAll(async () => {
  world = await openVolumeWorld();
  stopAgent = world.agent();
}, 180_000);
afterAll(async () => {
  stop.abort();
  await stopAgent?.();
  await world.close();
});

test.skipIf(skip)(
  `a stopped mover is told as a stall, and forgotten when it goes on ${skip ?? ""}`,
  { timeout: 300_000 },
  async () => {
    const { client, namespace, node } = world;
    await readyRepository(world, "shop", "restic");
    const pod = await world.pod("shop", "web", ["data"]);
    for (let i = 0; i < 24; i += 1)
      writeFileSync(join(pod.folders["data"] ?? "", `f${i}`), randomBytes(16 << 20));
    const backup = await client.create<Backup>(resources.backups, {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name: "slow", namespace },
      spec: { storageLocation: "default" },
      status: { phase: "InProgress" },
    });
    const observer = new Observer({ cache: new Cache({ client }), namespace });
    void observer.run(stop.signal);
    await observer.synced(stop.signal);
    const made = await client.create<PodVolumeBackup>(resources.podVolumeBackups, {
      apiVersion: "velero.io/v1",
      kind: "PodVolumeBackup",
      metadata: {
        generateName: "slow-",
        namespace,
        labels: { "velero.io/backup-name": "slow", "velero.io/backup-uid": backup.metadata.uid },
        ownerReferences: [
          { apiVersion: "velero.io/v1", kind: kinds.Backup.kind, name: "slow", uid: backup.metadata.uid },
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
    const pids = moversOf(world.owner);
    expect(pids.length).toBeGreaterThan(0);
    const stoppedAt = Date.now();
    signalAll(pids, "SIGSTOP");
    const stalled = await eventually(volume, (operation) => operation?.stall !== undefined, 90_000);
    const tookMs = Date.now() - stoppedAt;
    console.info(`the stall was told after ${(tookMs / 1000).toFixed(1)} s`);
    expect(stalled?.stall?.cause).toBe("mover-silent");
    expect(stalled?.fraction ?? 0).toBeLessThan(1);
    signalAll(pids, "SIGCONT");
    await eventually(volume, (operation) => operation?.stall === undefined, 60_000);
    const end = await eventually(read, ({ status }) => status?.phase === "Completed", 180_000);
    expect(end.status?.progress?.bytesDone).toBe(end.status?.progress?.totalBytes);
    expect(end.metadata.annotations ?? {}).not.toHaveProperty("headway.dev/stall");
  },
);
