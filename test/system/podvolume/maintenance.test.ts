import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BackupRepository, PodVolumeBackup } from "../../../src/api/index.ts";
import {
  moverFinder,
  Repositories,
  resources,
  snapshotForgetter,
} from "../../../src/engines/podvolume/index.ts";
import { Cache, systemClock } from "../../../src/kube/index.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover, testMoverFolders } from "../../harness/movers.ts";
import { copied, copyOut } from "../../harness/volume-copies.ts";
import { openVolumeWorld, uploaders, type VolumeWorld } from "../../harness/volume-world.ts";

let world: VolumeWorld;
let stopAgent: (() => Promise<void>) | undefined;
let keeper: Repositories;
let keeping: Promise<void> | undefined;
const stop = new AbortController();
beforeAll(async () => {
  world = await openVolumeWorld();
  stopAgent = world.agent();
  keeper = new Repositories(deps());
  keeping = keeper.run(stop.signal);
}, 180_000);
afterAll(async () => {
  stop.abort();
  await keeping;
  await stopAgent?.();
  await world?.close();
}, 60_000);

function deps() {
  const { client, namespace, folder } = world;
  const mover = moverFinder({ scratch: join(folder, "operator"), folders: testMoverFolders() });
  return { client, cache: new Cache({ client }), namespace, clock: systemClock, log: () => undefined, mover };
}

function repository(name: string): Promise<BackupRepository> {
  const { client, namespace } = world;
  return client.get<BackupRepository>(resources.repositories, name, { namespace });
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, facts) => sum + (facts.isFile() ? facts.size : 0), 0);
}

describe.each(uploaders)("a repository of %s", (uploader) => {
  const found = findTestMover(uploader);
  const skip = "missing" in found ? found.missing : "";
  const space = () => world.space(`shop-${uploader}`);
  const name = () => `${space()}-default-${uploader}`;

  test.skipIf(skip)(
    `is maintained when it is due, and what was deleted goes ${skip}`,
    { timeout: 240_000 },
    async () => {
      const { client, namespace } = world;
      await keeper.ensure({ volumeNamespace: space(), location: "default", type: uploader }, stop.signal);
      const pod = await world.pod(`shop-${uploader}`, "web", ["data"]);
      writeFileSync(join(pod.folders["data"] ?? "", "big"), randomBytes(30 << 20));
      const spec = { podNamespace: space(), pod: "web", podUid: pod.uid, uploader };
      const pvb = await copied<PodVolumeBackup>(world, copyOut(world, spec));
      expect(pvb.status, pvb.status?.message).toMatchObject({ phase: "Completed" });
      const label = { metadata: { labels: { "velero.io/backup-name": `old-${uploader}` } } };
      await client.patch(
        resources.podVolumeBackups,
        pvb.metadata.name,
        { type: "merge", body: label },
        { namespace },
      );
      const backup = {
        apiVersion: "velero.io/v1",
        kind: "Backup",
        metadata: { name: `old-${uploader}`, namespace },
      } as const;
      expect(await snapshotForgetter(deps())(backup, undefined, stop.signal)).toEqual([]);
      const folder = join(world.folder, "store", "b", uploader, space());
      expect(bytesIn(folder)).toBeGreaterThan(30 << 20);
      await client.patch(
        resources.repositories,
        name(),
        {
          type: "merge",
          body: {
            spec: { maintenanceFrequency: "24h0m0s" },
            status: { lastMaintenanceTime: "2020-01-01T00:00:00Z" },
          },
        },
        { namespace },
      );
      const after = await eventually(
        () => repository(name()),
        ({ status }) => (status?.recentMaintenance ?? []).length > 0,
        120_000,
      );
      expect(after.status?.recentMaintenance).toEqual([
        {
          result: "Succeeded",
          startTimestamp: expect.any(String),
          completeTimestamp: after.status?.lastMaintenanceTime,
        },
      ]);
      // Kopia keeps what was deleted for a day, in case somebody still reads it.
      if (uploader === "restic") expect(bytesIn(folder)).toBeLessThan(1 << 20);
    },
  );
});

test("a repository is opened where its location points, also later", { timeout: 240_000 }, async () => {
  const { client, namespace, folder } = world;
  const patch = (path: string) =>
    client.patch(
      resources.locations,
      "default",
      { type: "merge", body: { spec: { config: { path } } } },
      { namespace },
    );
  const key = { volumeNamespace: world.space("moved"), location: "default", type: "restic" } as const;
  await keeper.ensure(key, stop.signal);
  const before = await repository(`${world.space("moved")}-default-restic`);
  expect(before.status?.phase).toBe("Ready");
  const other = join(folder, "elsewhere");
  mkdirSync(join(other, "b"), { recursive: true });
  await patch(other);
  const config = join(other, "b", "restic", world.space("moved"), "config");
  await eventually(
    () => statSync(config, { throwIfNoEntry: false })?.isFile() ?? false,
    (there) => there,
    60_000,
  );
  // A place that is not there is told in the status.
  await patch(join(folder, "nowhere"));
  const broken = await eventually(
    () => repository(before.metadata.name),
    ({ status }) => status?.phase === "NotReady",
    60_000,
  );
  expect(broken.status?.message).toContain("nowhere");
  await patch(join(folder, "store"));
  await eventually(
    () => repository(before.metadata.name),
    ({ status }) => status?.phase === "Ready",
    60_000,
  );
});
