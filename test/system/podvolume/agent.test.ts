import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Backup, PodVolumeBackup, PodVolumeRestore, Restore } from "../../../src/api/index.ts";
import {
  moverFinder,
  podVolumeBackups,
  RestoreVolumes,
  resources,
} from "../../../src/engines/podvolume/index.ts";
import { Cache, systemClock } from "../../../src/kube/index.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover, testMoverFolders } from "../../harness/movers.ts";
import { fillTree, treeLines } from "../../harness/tree.ts";
import { openVolumeWorld, uploaders, type VolumeWorld } from "../../harness/volume-world.ts";

const signal = new AbortController().signal;

describe.each(uploaders)("volumes with %s", (uploader) => {
  const missing = findTestMover(uploader);
  const skip = "missing" in missing ? missing.missing : undefined;
  let world: VolumeWorld;
  let stopAgent: () => Promise<void>;

  beforeAll(async () => {
    world = await openVolumeWorld();
    stopAgent = world.agent();
  });
  afterAll(async () => {
    await stopAgent?.();
    await world?.close();
  });

  function deps() {
    return {
      client: world.client,
      cache: new Cache({ client: world.client }),
      namespace: world.namespace,
      clock: systemClock,
      log: () => undefined,
      mover: moverFinder({ scratch: join(world.folder, "operator"), folders: testMoverFolders() }),
      uploader,
      noProgressMs: 600_000,
      helperImage: "helper",
    };
  }

  async function backup(name: string): Promise<Backup> {
    return world.client.create<Backup>(resources.backups, {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name, namespace: world.namespace },
      spec: { storageLocation: "default", defaultVolumesToFsBackup: true },
      status: { phase: "InProgress" },
    });
  }

  test.skipIf(skip)(
    `three volumes go out and come back byte for byte ${skip ?? ""}`,
    { timeout: 180_000 },
    async () => {
      const pod = await world.pod("shop", "web", ["a", "b", "empty"]);
      const sizes = { a: [3_000_000, 17, 0, 65_536], b: [1], empty: [] };
      const bytes = {
        a: fillTree(pod.folders["a"] ?? "", sizes.a, uploader === "restic"),
        b: fillTree(pod.folders["b"] ?? "", sizes.b),
        empty: 0,
      };
      const { client, namespace } = world;
      const live = await client.get<never>(resources.pods, "web", { namespace: world.space("shop") });
      await eventually(
        () => client.list(resources.leases, { namespace }),
        (leases) => leases.length > 0,
      );
      const errors: string[] = [];
      const found = {
        warnings: { add: (_subject: unknown, message: string) => void errors.push(`warning: ${message}`) },
        errors: {
          add: (_s: unknown, message: string, why?: string) => void errors.push(`${message}: ${why}`),
        },
      };
      const context = {
        backup: await backup(`out-${uploader}`),
        policy: () => undefined,
        takesClaims: true,
        moved: () => undefined,
      };
      const run = await podVolumeBackups(deps())(context, signal);
      await run.start(live, found, signal);
      await run.finish(found, signal);
      expect(errors).toEqual([]);
      const copies = run.list();
      expect(copies.map(({ spec, status }) => [spec?.volume, status?.phase])).toEqual(
        expect.arrayContaining([
          ["a", "Completed"],
          ["b", "Completed"],
          ["empty", "Completed"],
        ]),
      );
      for (const { spec, status, metadata } of copies) {
        const size = bytes[spec?.volume as "a" | "b" | "empty"];
        expect(status?.progress ?? {}).toEqual(size > 0 ? { totalBytes: size, bytesDone: size } : {});
        expect(status?.path).toBe(pod.folders[spec?.volume ?? ""]);
        expect(status?.startTimestamp && status.completionTimestamp).toBeTruthy();
        expect(metadata.finalizers ?? []).toEqual([]);
      }
      await restoreAll(pod.folders, copies);
    },
  );

  async function restoreAll(
    from: Readonly<Record<string, string>>,
    copies: readonly PodVolumeBackup[],
  ): Promise<void> {
    const { client, namespace } = world;
    const restore = await client.create<Restore>(resources.restores, {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name: `back-${uploader}`, namespace },
      spec: { backupName: `out-${uploader}` },
      status: { phase: "InProgress" },
    });
    const restores = new RestoreVolumes(deps());
    const backups = copies.filter(({ status }) => status?.snapshotID);
    const volumes = backups.map(({ spec }) => spec?.volume ?? "");
    const stored = {
      metadata: { name: "web", namespace: world.space("again") },
      spec: { containers: [{ name: "c" }], volumes: volumes.map((name) => ({ name, emptyDir: {} })) },
    };
    const whole = { restore, pod: stored, sourceNamespace: world.space("shop"), backups };
    const prepared = (await restores.prepare(whole, signal)) as { spec: { initContainers?: object[] } };
    const [waits] = prepared.spec.initContainers ?? [];
    expect(waits).toMatchObject({ name: "restore-wait", image: "helper" });
    const held = { initContainerStatuses: [{ name: "restore-wait", state: { running: {} } }] };
    const target = await world.pod("again", "web", volumes, {
      initContainers: [{ name: "restore-wait", image: "helper" }],
      status: { phase: "Pending", ...held },
    });
    await restores.start(whole, target.uid, signal);
    await restores.start(whole, target.uid, signal);
    const seen: (readonly PodVolumeRestore[])[] = [];
    const ends = await restores.wait(restore, (copies) => seen.push(copies), signal);
    expect(ends).toHaveLength(volumes.length);
    expect(ends.filter(({ error }) => error !== undefined)).toEqual([]);
    for (const volume of volumes) {
      expect(treeLines(target.folders[volume] ?? "")).toEqual(treeLines(from[volume] ?? ""));
      expect(existsSync(join(target.folders[volume] ?? "", ".velero", restore.metadata.uid ?? ""))).toBe(
        true,
      );
    }
    const last = seen.at(-1) ?? [];
    const sum = (field: "bytesDone" | "totalBytes") =>
      last.reduce((bytes, { status }) => bytes + (status?.progress?.[field] ?? 0), 0);
    expect([sum("bytesDone"), sum("totalBytes")]).toEqual([3_065_554, 3_065_554]);
    expect(last.map(({ status }) => status?.phase)).toEqual(volumes.map(() => "Completed"));
    const all = await client.list<PodVolumeRestore>(resources.podVolumeRestores, { namespace });
    expect(all.map(({ status }) => [status?.phase, status?.node])).toEqual(
      volumes.map(() => ["Completed", world.node]),
    );
  }
});
