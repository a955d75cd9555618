import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backup, kinds, type PodVolumeBackup } from "../../../src/api/index.ts";
import { resources } from "../../../src/engines/podvolume/index.ts";
import { readVolume } from "../../../src/kinds/index.ts";
import { Informer } from "../../../src/kube/index.ts";
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

/** Numbers of one copy as a watcher gets them: how long each stood until the next one came. */
test.skipIf(skip)(
  `a copy that runs alone is told at least once a second ${skip ?? ""}`,
  { timeout: 300_000 },
  async () => {
    const { client, namespace, node } = world;
    await readyRepository(world, "shop", "restic");
    const pod = await world.pod("shop", "web", ["data"]);
    for (let i = 0; i < 40; i += 1)
      writeFileSync(join(pod.folders["data"] ?? "", `f${i}`), randomBytes(16 << 20));
    const backup = await client.create<Backup>(resources.backups, {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name: "fresh", namespace },
      spec: { storageLocation: "default" },
      status: { phase: "InProgress" },
    });
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
    const made = await client.create<PodVolumeBackup>(resources.podVolumeBackups, {
      apiVersion: "velero.io/v1",
      kind: "PodVolumeBackup",
      metadata: {
        generateName: "fresh-",
        namespace,
        labels: { "velero.io/backup-name": "fresh", "velero.io/backup-uid": backup.metadata.uid },
        ownerReferences: [
          { apiVersion: "velero.io/v1", kind: kinds.Backup.kind, name: "fresh", uid: backup.metadata.uid },
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
    const { metadata } = await eventually(read, ({ status }) => status?.phase === "Completed", 240_000);
    const stood = came.slice(1).map((at, i) => at - (came[i] ?? at));
    const p95 = stood.toSorted((a, b) => a - b)[Math.floor(stood.length * 0.95)] ?? Number.POSITIVE_INFINITY;
    console.info(`${came.length} numbers came, the next one after ${p95} ms (p95)`);
    expect(came.length).toBeGreaterThan(5);
    // The mover's lines come every quarter of a second, the writes every half.
    expect(p95).toBeLessThan(1_500);
    // What restic's process has written comes with them: packs on its disk, and from there to the store.
    expect(carried.length).toBeGreaterThan(5);
    expect(carried).toEqual(carried.toSorted((a, b) => a - b));
    expect(carried.at(-1)).toBeGreaterThan(40 * (16 << 20));
    expect(metadata.annotations ?? {}).not.toHaveProperty("headway.dev/carried-bytes");
  },
);
