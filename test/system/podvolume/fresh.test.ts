import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backup, kinds, type PodVolumeBackup } from "../../../src/api/index.ts";
import { resources } from "../../../src/engines/podvolume/index.ts";
import { readVolume } from "../../../src/kinds/index.ts";
import { Informer } from "../../../src/kube/index.ts";
import { moversOf } from "../../harness/agent-process.ts";
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
  stopAgent = world.agent({ concurrency: 1 });
}, 180_000);
afterAll(async () => {
  stop.abort();
  await stopAgent?.();
  await world.close();
});

function backupNamed(name: string): Promise<Backup> {
  return world.client.create<Backup>(resources.backups, {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name, namespace: world.namespace },
    spec: { storageLocation: "default" },
    status: { phase: "InProgress" },
  });
}

/** Asks for a copy of the volume "data" of a pod. */
function copyOf({ metadata: { name, uid } }: Backup, pod: string, podUid: string): Promise<PodVolumeBackup> {
  return world.client.create<PodVolumeBackup>(resources.podVolumeBackups, {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: {
      generateName: `${name}-`,
      namespace: world.namespace,
      labels: { "velero.io/backup-name": name, "velero.io/backup-uid": uid },
      ownerReferences: [{ apiVersion: "velero.io/v1", kind: kinds.Backup.kind, name, uid }],
    },
    spec: {
      node: world.node,
      pod: { kind: "Pod", namespace: world.space("shop"), name: pod, uid: podUid },
      volume: "data",
      backupStorageLocation: "default",
      repoIdentifier: "",
      uploaderType: "restic",
      tags: {},
    },
  });
}

/** Numbers of one copy as a watcher gets them: how long each stood until the next one came. */
test.skipIf(skip)(
  `a copy that runs alone is told at least once a second ${skip ?? ""}`,
  { timeout: 300_000 },
  async () => {
    const { client, namespace } = world;
    await readyRepository(world, "shop", "restic");
    const pod = await world.pod("shop", "web", ["data"]);
    for (let i = 0; i < 40; i += 1)
      writeFileSync(join(pod.folders["data"] ?? "", `f${i}`), randomBytes(16 << 20));
    const backup = await backupNamed("fresh");
    const came: number[] = [];
    const carried: number[] = [];
    let done = -1;
    const informer = new Informer<PodVolumeBackup, PodVolumeBackup>({
      client,
      resource: resources.podVolumeBackups,
      query: { namespace },
      project: (object) => object,
      onChange: (_key, now) => {
        const bytes = now?.status?.progress?.bytesDone ?? -1;
        if (bytes > done) came.push(Date.now());
        done = Math.max(done, bytes);
        const moved = now && readVolume(now).signals?.carriedBytes;
        if (moved !== undefined && moved !== carried.at(-1)) carried.push(moved);
      },
    });
    void informer.run(stop.signal);
    await informer.synced(stop.signal);
    const made = await copyOf(backup, "web", pod.uid);
    const read = () =>
      client.get<PodVolumeBackup>(resources.podVolumeBackups, made.metadata.name, { namespace });
    const { metadata } = await eventually(read, ({ status }) => status?.phase === "Completed", 240_000);
    const stood = came.slice(1).map((at, i) => at - (came[i] ?? at));
    const p95 = stood.toSorted((a, b) => a - b)[Math.floor(stood.length * 0.95)] ?? Number.POSITIVE_INFINITY;
    console.info(`${came.length} numbers came, the next one after ${p95} ms (p95)`);
    expect(came.length).toBeGreaterThan(5);
    // The mover's lines come every quarter of a second, the writes every half.
    expect(p95).toBeLessThan(1_500);
    // What restic's process has written comes with them: packs on its disk, and from there to the store.
    // It is looked at once a second, so a quick disk has few looks.
    const tookMs = (came.at(-1) ?? 0) - (came[0] ?? 0);
    expect(carried.length).toBeGreaterThanOrEqual(Math.max(2, Math.floor(tookMs / 2_000)));
    expect(carried).toEqual(carried.toSorted((a, b) => a - b));
    expect(carried.at(-1)).toBeGreaterThan(40 * (16 << 20));
    expect(metadata.annotations ?? {}).not.toHaveProperty("headway.dev/carried-bytes");
  },
);

test.skipIf(skip)(
  `a volume that waits for its turn says how large it is ${skip ?? ""}`,
  { timeout: 300_000 },
  async () => {
    const { client, namespace } = world;
    await readyRepository(world, "shop", "restic");
    const sizes = { first: 50 << 20, next: 12_345 };
    const backup = await backupNamed("waits");
    const made: PodVolumeBackup[] = [];
    let stopped = 0;
    for (const [name, size] of Object.entries(sizes)) {
      const pod = await world.pod("shop", name, ["data"]);
      writeFileSync(join(pod.folders["data"] ?? "", "file"), randomBytes(size));
      made.push(await copyOf(backup, name, pod.uid));
      if (name !== "first") continue;
      // Whatever runs for the first one stands still: the slot stays taken.
      const [pid = 0] = await eventually(
        () => moversOf(world.owner),
        (pids) => pids.length > 0,
      );
      process.kill(pid, "SIGSTOP");
      stopped = pid;
    }
    const read = () =>
      client.get<PodVolumeBackup>(resources.podVolumeBackups, made[1]?.metadata.name ?? "", { namespace });
    const note = "headway.dev/expected-bytes";
    const noted = await eventually(
      read,
      ({ metadata }) => metadata.annotations?.[note] !== undefined,
      240_000,
    );
    expect(noted.metadata.annotations?.[note]).toBe(String(sizes.next));
    expect(noted.status?.phase, "before its mover has begun").toBe("Prepared");
    process.kill(stopped, "SIGCONT");
    const ended = await eventually(read, ({ status }) => status?.phase === "Completed", 240_000);
    expect(ended.status?.progress).toEqual({ totalBytes: sizes.next, bytesDone: sizes.next });
  },
);
