import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Backup,
  type BackupStorageLocation,
  type DeleteBackupRequest,
  kinds,
  type PodVolumeBackup,
  type PodVolumeRestore,
} from "../../../src/api/index.ts";
import { resources } from "../../../src/engines/podvolume/index.ts";
import { isVolumeEnded } from "../../../src/kinds/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { startOperator } from "../../../src/operator/index.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover, testMoverFolders } from "../../harness/movers.ts";
import { plantedBackup } from "../../harness/planted-backup.ts";
import { fillTree } from "../../harness/tree.ts";
import { askedBy, heldBack } from "../../harness/volume-copies.ts";
import { openVolumeWorld, readyRepository, uploaders, type VolumeWorld } from "../../harness/volume-world.ts";

const past = "2020-01-01T00:00:00Z";
const requests = resourceOf(kinds.DeleteBackupRequest);

// Somebody else can write to the bucket. Whatever lies there, no program is started with it, and no volume goes into it.
describe.each(uploaders)("a hostile bucket and %s", (uploader) => {
  const mover = findTestMover(uploader);
  const skip = "missing" in mover ? mover.missing : undefined;
  let world: VolumeWorld;
  let pod: { readonly uid: string };
  const said: string[] = [];
  const stops: (() => Promise<unknown>)[] = [];

  const store = (...parts: string[]) => join(world.folder, "store", "b", ...parts);
  const proof = () => join(world.folder, "PROOF");
  /** Each is an option that runs a program or reads another repository. */
  const hostileId = () =>
    uploader === "restic"
      ? `--password-command=/bin/sh -c "id > ${proof()}"`
      : `--config-file=${world.folder}/other.config`;

  function put(
    name: string,
    status: object,
    copy: { readonly spec?: object; readonly status?: object },
  ): void {
    mkdirSync(store("backups", name), { recursive: true });
    const copies = [{ spec: { ...volumeSpec(), ...copy.spec }, status: copy.status ?? {} }];
    for (const [key, bytes] of plantedBackup(name, { status, copies })) writeFileSync(store(key), bytes);
  }

  function volumeSpec() {
    return {
      node: world.node,
      pod: { kind: "Pod", namespace: world.space("shop"), name: "web", uid: pod.uid },
      volume: "data",
      backupStorageLocation: "default",
      repoIdentifier: "",
      uploaderType: uploader,
      tags: {},
    };
  }

  /** Everything below the repositories of the volume's namespace: a copy would add to it. */
  const repositoryFiles = () => {
    const folder = store(uploader, world.space("shop"));
    return existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0;
  };

  beforeAll(async () => {
    if (skip !== undefined) return;
    world = await openVolumeWorld();
    const made = await world.pod("shop", "web", ["data"]);
    pod = made;
    fillTree(made.folders["data"] ?? "", [100_000, 7]);
    await readyRepository(world, "shop", uploader);
    stops.push(world.agent());
    const snapshotID = uploader === "restic" ? "0123abcd" : "00112233445566778899aabbccddeeff";
    put("good", {}, { status: { phase: "Completed", snapshotID } });
    put("evil", { expiration: past }, { status: { phase: "Completed", snapshotID: hostileId() } });
    put(
      "climb",
      {},
      { spec: { pod: { namespace: "../../../x", name: "web" } }, status: { phase: "Completed", snapshotID } },
    );
    put("exfil", {}, { status: {} });
    mkdirSync(store("backups", "bomb"), { recursive: true });
    writeFileSync(store("backups", "bomb", "velero-backup.json"), Buffer.alloc(8 * 1024 ** 2, " "));
    const stop = new AbortController();
    const operator = startOperator(
      {
        client: world.client,
        namespace: world.namespace,
        tempDir: world.folder,
        controllers: ["location", "backup-sync", "gc", "backup-deletion", "backup-repo"],
        volumes: {
          uploader,
          helperImage: "none",
          helperPullPolicy: "Never",
          moverFolders: testMoverFolders(),
        },
        log: (level, message, fields) => {
          if (level === "error") said.push(`${message} ${String(fields?.["error"])}`);
        },
      },
      stop.signal,
    );
    stops.push(() => {
      stop.abort();
      return operator;
    });
    // Nothing is looked at before the whole location was.
    await eventually(
      () =>
        world.client.get<BackupStorageLocation>(resources.locations, "default", {
          namespace: world.namespace,
        }),
      ({ status }) => status?.lastSyncedTime !== undefined && status.lastSyncedTime !== null,
      120_000,
    );
  }, 240_000);
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
    await world?.close();
  }, 120_000);

  test.skipIf(skip)(`only what is in order is imported, and the rest is told ${skip ?? ""}`, async () => {
    const { client, namespace } = world;
    const backups = await client.list<Backup>(resources.backups, { namespace });
    const names = backups.map(({ metadata }) => metadata.name).filter((name) => name !== "in-progress");
    expect(names.toSorted()).toEqual(["exfil", "good"]);
    const copies = await client.list<PodVolumeBackup>(resources.podVolumeBackups, { namespace });
    expect(copies.map(({ metadata, spec }) => [metadata.name, spec?.node])).toEqual([["good-1", ""]]);
    const location = await client.get(resources.locations, "default", { namespace });
    expect(location.metadata.annotations).toMatchObject({ "headway.dev/refused-backups": "3" });
    for (const words of [
      "evil-podvolumebackups.json.gz",
      "snapshotID",
      "namespace",
      "bomb/velero-backup.json",
    ]) {
      expect(said.join("\n")).toContain(words);
    }
    expect(existsSync(proof())).toBe(false);
  });

  test.skipIf(skip)(
    `a copy that another server imported runs nothing when its backup expires ${skip ?? ""}`,
    { timeout: 120_000 },
    async () => {
      const { client, namespace } = world;
      put("older", { expiration: past }, {});
      const backup = await client.create<Backup>(resources.backups, {
        apiVersion: "velero.io/v1",
        kind: "Backup",
        metadata: { name: "older", namespace, labels: { "velero.io/storage-location": "default" } },
        spec: { storageLocation: "default" },
        status: { phase: "Completed" },
      });
      const { uid = "" } = backup.metadata;
      await client.create(resources.podVolumeBackups, {
        apiVersion: "velero.io/v1",
        kind: "PodVolumeBackup",
        metadata: {
          name: "older-1",
          namespace,
          labels: { "velero.io/backup-name": "older", "velero.io/backup-uid": uid },
        },
        spec: volumeSpec(),
        status: { phase: "Completed", snapshotID: hostileId() },
      });
      const body = { status: { expiration: past } };
      await client.patch(resources.backups, "older", { type: "merge", body }, { namespace });
      const [request] = await eventually(
        () => client.list<DeleteBackupRequest>(requests, { namespace }),
        (all) => all.some(({ status }) => status?.phase === "Processed"),
        60_000,
      );
      expect(request?.status?.errors?.join()).toContain(`not a snapshot of ${uploader}`);
      expect(existsSync(proof())).toBe(false);
    },
  );

  test.skipIf(skip)(
    `a restore of a snapshot that is an option fails on the node, and runs nothing ${skip ?? ""}`,
    { timeout: 120_000 },
    async () => {
      const { client, namespace } = world;
      const target = await world.pod("again", "web", ["data"], heldBack);
      const { node: _node, tags: _tags, ...spec } = volumeSpec();
      const made = await client.create<PodVolumeRestore>(resources.podVolumeRestores, {
        apiVersion: "velero.io/v1",
        kind: "PodVolumeRestore",
        metadata: { generateName: "r-", ...askedBy(world, "restore") },
        spec: {
          ...spec,
          pod: { kind: "Pod", namespace: world.space("again"), name: "web", uid: target.uid },
          sourceNamespace: world.space("shop"),
          snapshotID: hostileId(),
        },
      });
      const ended = await eventually(
        () => client.get<PodVolumeRestore>(resources.podVolumeRestores, made.metadata.name, { namespace }),
        ({ status }) => isVolumeEnded(status),
        60_000,
      );
      expect(ended.status).toMatchObject({
        phase: "Failed",
        message: expect.stringContaining(`cannot be a snapshot of ${uploader}`),
      });
      expect(existsSync(proof())).toBe(false);
    },
  );

  test.skipIf(skip)(
    `a copy of a backup that is over is left alone, and nothing is uploaded ${skip ?? ""}`,
    { timeout: 120_000 },
    async () => {
      const { client, namespace } = world;
      const before = repositoryFiles();
      expect(before).toBeGreaterThan(0);
      const backup = await client.get<Backup>(resources.backups, "exfil", { namespace });
      const { uid = "" } = backup.metadata;
      // As a server makes it that imports whatever lies in a bucket.
      await client.create(resources.podVolumeBackups, {
        apiVersion: "velero.io/v1",
        kind: "PodVolumeBackup",
        metadata: {
          name: "exfil-1",
          namespace,
          labels: { "velero.io/backup-name": "exfil", "velero.io/backup-uid": uid },
          ownerReferences: [
            { apiVersion: "velero.io/v1", kind: "Backup", name: "exfil", uid, controller: true },
          ],
        },
        spec: volumeSpec(),
        status: {},
      });
      const read = () => client.get<PodVolumeBackup>(resources.podVolumeBackups, "exfil-1", { namespace });
      const told = await eventually(read, ({ status }) => Boolean(status?.message ?? status?.phase), 60_000);
      expect(told.status).toEqual({ message: 'not run: its Backup "exfil" is Completed, not InProgress' });
      // One that may run comes after it, on the same node: when it is over, the first one had its chance.
      const made = await client.create<PodVolumeBackup>(resources.podVolumeBackups, {
        apiVersion: "velero.io/v1",
        kind: "PodVolumeBackup",
        metadata: { generateName: "right-", ...askedBy(world, "backup") },
        spec: { ...volumeSpec(), cancel: true },
      });
      await eventually(
        () => client.get<PodVolumeBackup>(resources.podVolumeBackups, made.metadata.name, { namespace }),
        ({ status }) => isVolumeEnded(status),
        60_000,
      );
      const after = await read();
      expect(after.status).toEqual(told.status);
      expect(after.metadata.resourceVersion, "it was told once").toBe(told.metadata.resourceVersion);
      expect(repositoryFiles()).toBe(before);
    },
  );
});
