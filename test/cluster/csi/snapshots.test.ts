import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DeleteBackupRequest, type KubeObject, kinds, type Restore } from "../../../src/api/index.ts";
import { deleteRequest } from "../../../src/engines/backup/index.ts";
import { builtIn, resourceOf } from "../../../src/kube/index.ts";
import { BackupStage } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";

type Claim = KubeObject & {
  readonly spec?: { readonly volumeName?: string };
  readonly status?: { readonly phase?: string };
};
type Volume = KubeObject & { readonly spec?: { readonly csi?: { readonly volumeHandle?: string } } };

const data = process.env["HEADWAY_CSI_DATA"] ?? "";
const storageClassName = process.env["HEADWAY_CSI_CLASS"] ?? "csi-hostpath";
const { claims, volumes, snapshots, snapshotContents, namespaces } = builtIn;
const restores = resourceOf(kinds.Restore);
const requests = resourceOf(kinds.DeleteBackupRequest);

const skip = data === "" ? "no CSI driver: test/parts/csi up" : undefined;
let stage: BackupStage;
beforeAll(async () => {
  if (skip) return;
  stage = await BackupStage.open();
  stage.operator(undefined, ["backup", "restore", "backup-deletion"]);
});
afterAll(() => stage?.close());

/** The folder of a claim's volume, which the driver keeps on this machine. */
async function folderOf(namespace: string, name: string): Promise<string> {
  const claim = await eventually(
    () => stage.client.get<Claim>(claims, name, { namespace }),
    ({ status }) => status?.phase === "Bound",
  );
  const volume = await stage.client.get<Volume>(volumes, claim.spec?.volumeName ?? "");
  return join(data, volume.spec?.csi?.volumeHandle ?? "");
}

/** What the cluster holds of the snapshots of a namespace. */
async function objects(namespace: string): Promise<number> {
  type Content = KubeObject & { spec?: { volumeSnapshotRef?: { namespace?: string } } };
  const own = await stage.client.list(snapshots, { namespace });
  const contents = await stage.client.list<Content>(snapshotContents);
  return own.length + contents.filter(({ spec }) => spec?.volumeSnapshotRef?.namespace === namespace).length;
}

/** The file that the driver keeps for the snapshot of a backup. */
function snapshotFile(backup: string): string {
  const [info] = stage.json(backup, `${backup}-volumeinfo.json.gz`) as {
    csiSnapshotInfo: { snapshotHandle: string };
  }[];
  return join(data, `${info?.csiSnapshotInfo.snapshotHandle}.snap`);
}

test.skipIf(skip)(
  `a real CSI driver: backup, the namespace deleted, restore with equal bytes, and nothing left after the deletions ${skip ?? ""}`,
  async () => {
    const { client, namespace: server } = stage;
    const shop = await stage.app("csi");
    await client.create(claims, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", namespace: shop },
      spec: {
        storageClassName,
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "64Mi" } },
      },
    });
    const bytes = Buffer.from(Array.from({ length: 1 << 20 }, (_, i) => (i * 31) % 251));
    writeFileSync(join(await folderOf(shop, "data"), "file"), bytes);
    await stage.create("real", { includedNamespaces: [shop] });
    const { status } = await stage.ended("real");
    expect(status).toMatchObject({ phase: "Completed", csiVolumeSnapshotsCompleted: 1 });
    await eventually(
      () => objects(shop),
      (count) => count === 0,
    );
    const file = snapshotFile("real");
    expect(existsSync(file), "the storage keeps the snapshot").toBe(true);
    await client.delete(namespaces, shop);
    await eventually(
      () => client.list<KubeObject>(namespaces),
      (all) => all.every(({ metadata }) => metadata.name !== shop),
      120_000,
    );
    await client.create(restores, {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name: "real", namespace: server },
      spec: { backupName: "real" },
    });
    const restored = await eventually(
      () => client.get<Restore>(restores, "real", { namespace: server }),
      (one) => /^(Completed|PartiallyFailed|Failed|FailedValidation)$/.test(one.status?.phase ?? ""),
      120_000,
    );
    expect(restored.status).toMatchObject({ phase: "Completed" });
    expect(readFileSync(join(await folderOf(shop, "data"), "file")).equals(bytes)).toBe(true);
    const request = await client.create<DeleteBackupRequest>(
      requests,
      deleteRequest(await stage.get("real")),
    );
    const done = await eventually(
      () => client.get<DeleteBackupRequest>(requests, request.metadata.name, { namespace: server }),
      (one) => one.status?.phase === "Processed",
      120_000,
    );
    expect(done.status?.errors ?? []).toEqual([]);
    expect(existsSync(file), "the storage's snapshot goes with the backup").toBe(false);
    const folder = await folderOf(shop, "data");
    await client.delete(namespaces, shop);
    await eventually(
      async () => existsSync(folder),
      (isThere) => !isThere,
      120_000,
    );
    for (const { metadata } of await client.list<KubeObject>(snapshotContents, {
      labelSelector: "velero.io/restore-name=real",
    }))
      await client.delete(snapshotContents, metadata.name);
  },
  400_000,
);
