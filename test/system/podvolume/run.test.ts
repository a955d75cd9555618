import { mkdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  Backup,
  KubeObject,
  PodVolumeBackup,
  PodVolumeRestore,
  Restore,
} from "../../../src/api/index.ts";
import { type PodObject, resources } from "../../../src/engines/podvolume/index.ts";
import { builtIn, type Resource } from "../../../src/kube/index.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover } from "../../harness/movers.ts";
import { type NodeWorld, noNodeWorld, openNodeWorld } from "../../harness/node-world.ts";
import { fillTree, treeLines } from "../../harness/tree.ts";
import { ensureNamespace, uploaders } from "../../harness/volume-world.ts";

type Pod = KubeObject & PodObject;
const { namespaces } = builtIn;

describe.each(uploaders)("a backup with %s", (uploader) => {
  const mover = findTestMover(uploader);
  const skip = noNodeWorld() ?? ("missing" in mover ? mover.missing : undefined);
  const app = `app-${uploader}-${crypto.randomUUID().slice(0, 6)}`;
  let world: NodeWorld;
  let claimFolder: string;

  beforeAll(async () => {
    if (skip === undefined) world = await openNodeWorld(uploader);
  }, 180_000);
  afterAll(async () => {
    await deleteApp();
    await world?.client.delete(resources.volumes, `${app}-pv`).catch(() => undefined); // likewise
    await world?.close();
    if (claimFolder) rmSync(claimFolder, { recursive: true, force: true });
  }, 180_000);

  const folderOf = (uid: string, plugin: string, name: string) =>
    join(world.hostPods, uid, "volumes", `kubernetes.io~${plugin}`, name);
  const foldersOf = (uid: string) => ({
    one: folderOf(uid, "empty-dir", "one"),
    two: folderOf(uid, "empty-dir", "two"),
    claimed: folderOf(uid, "local-volume", `${app}-pv`),
  });

  /** A pod with two folders of its own and a claim on a volume of the node. */
  async function makeApp(): Promise<Pod> {
    const { client, node, image } = world;
    claimFolder = join(world.folder, "claim");
    mkdirSync(claimFolder, { recursive: true });
    await ensureNamespace(client, app);
    await client.create(resources.volumes, localVolume(`${app}-pv`, claimFolder, node));
    const claim = {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "",
      volumeName: `${app}-pv`,
      resources: { requests: { storage: "1Gi" } },
    };
    await client.create(resources.claims, object("PersistentVolumeClaim", "claim", app, claim));
    const mounts = ["one", "two", "claimed"].map((name) => ({ name, mountPath: `/data/${name}` }));
    const spec = {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [
        {
          name: "c",
          image,
          imagePullPolicy: "Never",
          command: ["sh", "-c", "sleep 100000"],
          volumeMounts: mounts,
        },
      ],
      volumes: [
        { name: "one", emptyDir: {} },
        { name: "two", emptyDir: {} },
        { name: "claimed", persistentVolumeClaim: { claimName: "claim" } },
      ],
    };
    await client.create(resources.pods, object("Pod", "web", app, spec));
    return running();
  }

  async function deleteApp(): Promise<void> {
    await world?.client.delete(namespaces, app).catch(() => undefined); // gone already
    await eventually(
      () => world?.client.list(namespaces) ?? [],
      (all) => !all.some(({ metadata }) => metadata.name === app),
      180_000,
    );
  }

  const running = () =>
    eventually(
      () => world.client.get<Pod>(resources.pods, "web", { namespace: app }),
      ({ status }) => status?.phase === "Running",
      120_000,
    );

  test.skipIf(skip)(
    `comes back after its namespace was deleted ${skip ?? ""}`,
    { timeout: 600_000 },
    async () => {
      const { client, namespace } = world;
      const pod = await makeApp();
      const before = foldersOf(pod.metadata.uid ?? "");
      fillTree(before.one, [2_000_000, 3, 100_000], uploader === "restic");
      fillTree(before.two, [12]);
      fillTree(before.claimed, [500_000, 1]);
      const trees = Object.values(before).map(treeLines);
      await client.create(
        resources.backups,
        object("Backup", "nightly", namespace, { includedNamespaces: [app], defaultVolumesToFsBackup: true }),
      );
      const backup = await ended<Backup>(resources.backups, "nightly");
      expect(backup.status, `${world.log.join("\n")}${await results("backups", "nightly")}`).toMatchObject({
        phase: "Completed",
      });
      const copies = await client.list<PodVolumeBackup>(resources.podVolumeBackups, { namespace });
      expect(new Set(copies.map(({ spec }) => spec?.volume))).toEqual(new Set(["claimed", "one", "two"]));
      for (const { status } of copies) expect(status?.progress?.bytesDone).toBe(status?.progress?.totalBytes);

      await deleteApp();
      await client.delete(resources.volumes, `${app}-pv`).catch(() => undefined); // the claim's end may have taken it
      rmSync(claimFolder, { recursive: true, force: true });
      mkdirSync(claimFolder, { recursive: true });
      await eventually(
        () => client.list(resources.volumes),
        (all) => !all.some(({ metadata }) => metadata.name === `${app}-pv`),
        60_000,
      );
      await client.create(resources.volumes, localVolume(`${app}-pv`, claimFolder, world.node));

      await client.create(
        resources.restores,
        object("Restore", "back", namespace, { backupName: "nightly" }),
      );
      const restore = await ended<Restore>(resources.restores, "back");
      expect(restore.status, `${world.log.join("\n")}${await results("restores", "back")}`).toMatchObject({
        phase: "Completed",
      });
      const restores = await client.list<PodVolumeRestore>(resources.podVolumeRestores, { namespace });
      expect(restores.map(({ status }) => status?.phase)).toEqual(["Completed", "Completed", "Completed"]);
      const again = await running();
      expect(again.metadata.uid).not.toBe(pod.metadata.uid);
      expect(Object.values(foldersOf(again.metadata.uid ?? "")).map(treeLines)).toEqual(trees);
    },
  );

  /** What the store says went wrong. */
  async function results(kind: "backups" | "restores", name: string): Promise<string> {
    const file = kind === "backups" ? `${name}-results.gz` : `restore-${name}-results.gz`;
    const bytes = await readFile(join(world.folder, "store", "b", kind, name, file)).catch(() => undefined); // none yet
    return bytes ? gunzipSync(bytes).toString() : "";
  }

  function ended<T extends Backup | Restore>(resource: Resource, name: string): Promise<T> {
    return eventually(
      () => world.client.get<T>(resource, name, { namespace: world.namespace }),
      ({ status }) =>
        /Completed|Failed|Finalizing.*Failed/.test(status?.phase ?? "") &&
        !/^Fin|^Wait/.test(status?.phase ?? ""),
      240_000,
    );
  }
});

function object(kind: string, name: string, namespace: string, spec: object): object {
  const apiVersion = /Backup|Restore/.test(kind) ? "velero.io/v1" : "v1";
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}

function localVolume(name: string, path: string, node: string): object {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      local: { path },
      persistentVolumeReclaimPolicy: "Retain",
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }] },
          ],
        },
      },
    },
  };
}
