import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DeleteBackupRequest, type KubeObject, kinds, type Restore } from "../../src/api/index.ts";
import { deleteRequest } from "../../src/engines/backup/index.ts";
import { builtIn, resourceOf } from "../../src/kube/index.ts";
import { BackupStage } from "./backup-stage.ts";
import { eventually } from "./eventually.ts";

type Claim = KubeObject & {
  readonly spec?: {
    readonly volumeName?: string;
    readonly dataSource?: { readonly name?: string };
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
  readonly status?: { readonly phase?: string };
};
type Volume = KubeObject & {
  readonly spec?: {
    readonly csi?: { readonly volumeAttributes?: { readonly path?: string } };
    readonly persistentVolumeReclaimPolicy?: string;
  };
};

const { claims, volumes, snapshots, snapshotContents, snapshotClasses, namespaces } = builtIn;
const restores = resourceOf(kinds.Restore);
const requests = resourceOf(kinds.DeleteBackupRequest);

/** An embedded cluster whose storage takes snapshots, with claims, restores and deletions on demand. */
export class CsiWorld {
  readonly stage: BackupStage;

  private constructor(stage: BackupStage) {
    this.stage = stage;
  }

  static async open(): Promise<CsiWorld> {
    return new CsiWorld(await BackupStage.open({ another: true, snapshots: true }));
  }

  close(): Promise<void> {
    return this.stage.close();
  }

  /** A bound claim with a file in it; returns the folder of its volume. */
  async claim(namespace: string, name: string, text: string, more: object = {}): Promise<string> {
    await this.stage.client.create(claims, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, namespace, labels: { app: "web" }, ...more },
      spec: {
        storageClassName: "csi-folder",
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
      },
    });
    const folder = await this.folder(namespace, name);
    writeFileSync(join(folder, "file"), text);
    return folder;
  }

  bound(namespace: string, name: string): Promise<Claim> {
    return eventually(
      () => this.stage.client.get<Claim>(claims, name, { namespace }),
      ({ status }) => status?.phase === "Bound",
    );
  }

  async volume(namespace: string, name: string): Promise<Volume> {
    const { spec } = await this.bound(namespace, name);
    return this.stage.client.get<Volume>(volumes, spec?.volumeName ?? "");
  }

  async folder(namespace: string, name: string): Promise<string> {
    return (await this.volume(namespace, name)).spec?.csi?.volumeAttributes?.path ?? "";
  }

  /** What the file of a claim holds. */
  async text(namespace: string, name: string): Promise<string> {
    return readFileSync(join(await this.folder(namespace, name), "file"), "utf8");
  }

  /** The snapshots that the storage has. */
  async kept(anyFolder: string): Promise<string[]> {
    const path = join(dirname(dirname(anyFolder)), "snapshots");
    return existsSync(path) ? readdirSync(path) : [];
  }

  /** Waits until the cluster has so many objects of snapshots, and the storage so many snapshots. */
  async settled(anyFolder: string, objects: number, kept: number): Promise<void> {
    await eventually(
      async () => [await this.objects(), (await this.kept(anyFolder)).length],
      ([found, copies]) => found === objects && copies === kept,
      20_000,
    );
  }

  /** How many objects of snapshots the cluster has. */
  async objects(): Promise<number> {
    const { client } = this.stage;
    const all = [await client.list(snapshots), await client.list(snapshotContents)];
    return all.flat().length;
  }

  async faulty(name: string, fault: string): Promise<void> {
    await this.stage.client.create(snapshotClasses, {
      apiVersion: "snapshot.storage.k8s.io/v1",
      kind: "VolumeSnapshotClass",
      metadata: { name },
      driver: "csi.headway.dev",
      deletionPolicy: "Delete",
      parameters: { fault },
    } as KubeObject);
  }

  async dropNamespace(name: string): Promise<void> {
    const { client } = this.stage;
    await client.delete(namespaces, name);
    await eventually(
      () => client.list<KubeObject>(namespaces),
      (all) => all.every(({ metadata }) => metadata.name !== name),
    );
  }

  async restore(name: string, backupName: string, spec: object = {}): Promise<Restore> {
    const { client, namespace } = this.stage;
    await client.create(restores, {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name, namespace },
      spec: { backupName, ...spec },
    });
    return this.restored(name);
  }

  restored(name: string): Promise<Restore> {
    const { client, namespace } = this.stage;
    return eventually(
      () => client.get<Restore>(restores, name, { namespace }),
      ({ status }) => /^(Completed|PartiallyFailed|Failed|FailedValidation)$/.test(status?.phase ?? ""),
    );
  }

  /** Deletes a backup; returns what went wrong. */
  async delete(name: string): Promise<readonly string[]> {
    const { client, namespace } = this.stage;
    const request = await client.create<DeleteBackupRequest>(
      requests,
      deleteRequest(await this.stage.get(name)),
    );
    const done = await eventually(
      () => client.get<DeleteBackupRequest>(requests, request.metadata.name, { namespace }),
      ({ status }) => status?.phase === "Processed",
    );
    return done.status?.errors ?? [];
  }
}
