import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Backup,
  type DataUpload,
  type DeleteBackupRequest,
  type KubeObject,
  kinds,
  type OperationObject,
  type Restore,
} from "../../../src/api/index.ts";
import { deleteRequest } from "../../../src/engines/backup/index.ts";
import { moverFinder, readRepository } from "../../../src/engines/podvolume/index.ts";
import { builtIn, type Resource, resourceOf } from "../../../src/kube/index.ts";
import { eventually } from "../../harness/eventually.ts";
import { noMovement } from "../../harness/movement-world.ts";
import { testMoverFolders } from "../../harness/movers.ts";
import { type NodeWorld, openNodeWorld } from "../../harness/node-world.ts";
import { ensureNamespace } from "../../harness/volume-world.ts";

// Operator, agent, kopia and the embedded cluster's own storage that takes snapshots: the whole way of moved data without a real node.

const skip = noMovement();
const backups = resourceOf(kinds.Backup);
const restores = resourceOf(kinds.Restore);
const uploads = resourceOf(kinds.DataUpload);
const requests = resourceOf(kinds.DeleteBackupRequest);
const operations = resourceOf(kinds.Operation);
const { claims, volumes, pods, snapshots, snapshotContents, namespaces } = builtIn;
const over = /^(Completed|PartiallyFailed|Failed|FailedValidation)$/;

type Run = KubeObject & { readonly status?: { readonly phase?: string } };
type Claim = KubeObject & {
  readonly spec?: { readonly volumeName?: string };
  readonly status?: { readonly phase?: string };
};
type Volume = KubeObject & {
  readonly spec?: { readonly csi?: { readonly volumeAttributes?: { readonly path?: string } } };
};

describe.skipIf(skip)(`moved backups on the embedded cluster ${skip ?? ""}`, { timeout: 240_000 }, () => {
  let world: NodeWorld;
  const app = `shop-${crypto.randomUUID().slice(0, 8)}`;

  beforeAll(async () => {
    const controllers = ["location", "backup", "restore", "backup-repo", "backup-deletion"];
    world = await openNodeWorld("kopia", true, { controllers }, { snapshots: true });
  });
  afterAll(() => world?.close());

  async function run<T extends Run>(resource: Resource, kind: string, name: string, spec: object) {
    const { client, namespace } = world;
    await client.create(resource, { apiVersion: "velero.io/v1", kind, metadata: { name, namespace }, spec });
    return eventually(
      () => client.get<T>(resource, name, { namespace }),
      ({ status }) => over.test(status?.phase ?? ""),
      120_000,
    );
  }

  async function folderOf(name: string): Promise<string> {
    const { client } = world;
    const { spec } = await eventually(
      () => client.get<Claim>(claims, name, { namespace: app }),
      ({ status }) => status?.phase === "Bound",
    );
    const volume = await client.get<Volume>(volumes, spec?.volumeName ?? "");
    return volume.spec?.csi?.volumeAttributes?.path ?? "";
  }

  async function left(): Promise<readonly string[]> {
    const { client, namespace } = world;
    const own = [pods, claims, snapshots].map((one) => client.list(one, { namespace }));
    const found = (await Promise.all([...own, client.list(snapshotContents)])).flat();
    return found.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  }

  test("out and back through operator and agent with the steps of each volume; the deletion takes the snapshots out of the repository", async () => {
    const { client, namespace } = world;
    await ensureNamespace(client, app);
    for (const name of ["a", "b"]) {
      await client.create(claims, {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name, namespace: app },
        spec: {
          storageClassName: "csi-folder",
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
        },
      });
      const folder = await folderOf(name);
      mkdirSync(join(folder, "d"));
      writeFileSync(join(folder, "d", "file"), `hello ${name}`);
    }
    const moved = { includedNamespaces: [app], snapshotMoveData: true };
    const backup = await run<Backup>(backups, "Backup", "moved", moved);
    expect(backup.status, world.log.join("\n")).toMatchObject({ phase: "Completed" });

    // Every viewer outside of the operator reads this object.
    const [told] = await eventually(
      () => client.list<OperationObject>(operations, { namespace }),
      (all) => all[0]?.status?.state === "completed",
    );
    const volumesTold = told?.status?.children.find(({ kind }) => kind === "volumes")?.children ?? [];
    expect(volumesTold.map(({ title }) => title).toSorted()).toEqual([`${app}/a`, `${app}/b`]);
    for (const volume of volumesTold)
      expect(volume.children.map(({ id, state }) => `${id} ${state}`)).toEqual([
        "taken completed",
        "ready completed",
        "claim completed",
        "pod completed",
        "copy completed",
        "cleanup completed",
      ]);

    const ids = (await client.list<DataUpload>(uploads, { namespace })).map(
      ({ status }) => status?.snapshotID ?? "",
    );
    expect(ids).toHaveLength(2);
    const finder = moverFinder({
      scratch: join(world.folder, "looker"),
      owner: `${world.owner}-looker`,
      folders: testMoverFolders(),
    });
    const key = { volumeNamespace: app, location: "default", type: "kopia" as const };
    const repository = await readRepository(client, namespace, key, AbortSignal.timeout(60_000));
    const mover = finder("kopia");
    for (const id of ids) expect(await mover.snapshotBytes(repository, id)).toBeGreaterThan(0);

    await client.delete(namespaces, app);
    await eventually(
      () => client.list<KubeObject>(namespaces),
      (all) => all.every(({ metadata }) => metadata.name !== app),
      60_000,
    );
    const restore = await run<Restore>(restores, "Restore", "back", { backupName: "moved" });
    expect(restore.status, world.log.join("\n")).toMatchObject({ phase: "Completed" });
    for (const name of ["a", "b"])
      expect(readFileSync(join(await folderOf(name), "d", "file"), "utf8")).toBe(`hello ${name}`);
    await eventually(left, (all) => all.length === 0, 60_000);

    const request = await client.create<DeleteBackupRequest>(
      requests,
      deleteRequest(await client.get<Backup>(backups, "moved", { namespace })),
    );
    const done = await eventually(
      () => client.get<DeleteBackupRequest>(requests, request.metadata.name, { namespace }),
      ({ status }) => status?.phase === "Processed",
      60_000,
    );
    expect(done.status?.errors ?? []).toEqual([]);
    for (const id of ids)
      await expect(mover.snapshotBytes(repository, id), "it is gone").rejects.toMatchObject({
        code: "MOVER_SNAPSHOT",
      });
    expect(await client.list(uploads, { namespace })).toEqual([]);
  });
});
