import type { DataDownload, DataUpload, KubeObject } from "../../src/api/index.ts";
import { datapathResources } from "../../src/engines/datapath/index.ts";
import { isVolumeEnded } from "../../src/kinds/index.ts";
import { builtIn, type Client } from "../../src/kube/index.ts";
import { eventually } from "./eventually.ts";
import { type FolderStorage, openFolderStorage } from "./folder-storage.ts";
import { findTestMover } from "./movers.ts";
import { type NodeWorld, openNodeWorld } from "./node-world.ts";
import { ensureNamespace } from "./volume-world.ts";

/** Where movements are tried. */
export interface MovementPlace {
  readonly client: Client;
  /** The namespace of the server's objects. */
  readonly namespace: string;
  readonly storageClass: string;
  readonly snapshotClass: string;
  /** The namespace of the application. */
  readonly space: string;
}

/** A cluster with a node, an operator, storage that takes snapshots, and an agent unless the test has its own. */
export interface MovementWorld {
  readonly world: NodeWorld;
  readonly storage: FolderStorage;
  readonly place: MovementPlace;
  readonly space: string;
  close(): Promise<void>;
}

/** Why data cannot be moved here; undefined when it can. */
export function noMovement(): string | undefined {
  const found = findTestMover("kopia");
  return "missing" in found ? found.missing : undefined;
}

/** Opens it all. */
export async function openMovementWorld(ownAgent = true): Promise<MovementWorld> {
  const world = await openNodeWorld("kopia", ownAgent, { controllers: ["location", "backup-repo"] });
  const { client, namespace } = world;
  const storage = await openFolderStorage(client, world.folder, world.node);
  const { storageClass, snapshotClass } = storage;
  const space = `shop-${crypto.randomUUID().slice(0, 8)}`;
  return {
    world,
    storage,
    space,
    place: { client, namespace, storageClass, snapshotClass, space },
    async close() {
      await storage.close();
      await world.close();
    },
  };
}

type Claim = KubeObject & {
  readonly spec?: { readonly volumeName?: string };
  readonly status?: { readonly phase?: string };
};

/** A claim of the storage class; bound when this returns. */
export async function boundClaim(
  { client, storageClass }: MovementPlace,
  namespace: string,
  name: string,
  more: object = {},
): Promise<string> {
  await ensureNamespace(client, namespace);
  await client.create(builtIn.claims, claim(namespace, name, storageClass, more));
  const bound = await eventually(
    () => client.get<Claim>(builtIn.claims, name, { namespace }),
    ({ status }) => status?.phase === "Bound",
  );
  return bound.spec?.volumeName ?? "";
}

/** The claim of a restore, which only the volume with its data may get. */
export async function waitingClaim(
  { client, storageClass }: MovementPlace,
  namespace: string,
  name: string,
  more: object = {},
): Promise<void> {
  await ensureNamespace(client, namespace);
  const selector = { matchLabels: { "velero.io/dynamic-pv-restore": `${namespace}.${name}.abcde` } };
  await client.create(builtIn.claims, claim(namespace, name, storageClass, { selector, ...more }));
}

function claim(namespace: string, name: string, storageClassName: string, more: object) {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName,
      resources: { requests: { storage: "100Mi" } },
      ...more,
    },
  };
}

/** A snapshot of a claim, as a backup takes it. */
export async function takeSnapshot(
  place: MovementPlace,
  namespace: string,
  claimName: string,
): Promise<string> {
  const made = await place.client.create<KubeObject>(builtIn.snapshots, {
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshot",
    metadata: { generateName: `velero-${claimName}-`, namespace },
    spec: {
      source: { persistentVolumeClaimName: claimName },
      volumeSnapshotClassName: place.snapshotClass,
    },
  });
  return made.metadata.name;
}

/** A Backup or Restore that waits for its movements. */
export function asker(
  place: MovementPlace,
  kind: "Backup" | "Restore",
  phase = "WaitingForPluginOperations",
) {
  const plural = kind === "Backup" ? "backups" : "restores";
  const resource = { group: "velero.io", version: "v1", plural, kind, namespaced: true };
  return place.client.create<KubeObject>(resource, {
    apiVersion: "velero.io/v1",
    kind,
    metadata: { generateName: "asks-", namespace: place.namespace },
    spec: kind === "Restore" ? { backupName: "b" } : {},
    status: { phase },
  });
}

/** The metadata of a movement, as servers make it. */
export function askedFor(by: KubeObject) {
  const { apiVersion, kind, metadata } = by;
  const { name, uid = "", namespace } = metadata;
  const word = kind.toLowerCase();
  return {
    generateName: `${name}-`,
    namespace,
    ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    labels: {
      [`velero.io/${word}-name`]: name,
      [`velero.io/${word}-uid`]: uid,
      "velero.io/async-operation-id": `op-${uid}`,
    },
  };
}

/** A DataUpload as the backup of a claim makes it. */
export async function newUpload(
  place: MovementPlace,
  by: KubeObject,
  source: { readonly namespace: string; readonly claim: string; readonly snapshot: string },
  more: object = {},
): Promise<DataUpload> {
  return place.client.create<DataUpload>(datapathResources.dataUploads, {
    apiVersion: "velero.io/v2alpha1",
    kind: "DataUpload",
    metadata: askedFor(by),
    spec: {
      snapshotType: "CSI",
      csiSnapshot: {
        volumeSnapshot: source.snapshot,
        storageClass: place.storageClass,
        snapshotClass: place.snapshotClass,
      },
      sourcePVC: source.claim,
      sourceNamespace: source.namespace,
      backupStorageLocation: "default",
      operationTimeout: "2m0s",
      ...more,
    },
  });
}

/** A DataDownload as the restore of a claim makes it. */
export async function newDownload(
  place: MovementPlace,
  by: KubeObject,
  target: { readonly namespace: string; readonly claim: string },
  from: { readonly snapshotID: string; readonly sourceNamespace: string; readonly snapshotSize?: number },
): Promise<DataDownload> {
  return place.client.create<DataDownload>(datapathResources.dataDownloads, {
    apiVersion: "velero.io/v2alpha1",
    kind: "DataDownload",
    metadata: askedFor(by),
    spec: {
      targetVolume: { namespace: target.namespace, pvc: target.claim, pv: "" },
      backupStorageLocation: "default",
      operationTimeout: "2m0s",
      ...from,
    },
  });
}

/** A movement when it has ended. */
export function endOf<T extends DataUpload | DataDownload>(
  place: MovementPlace,
  movement: T,
  limitMs = 120_000,
) {
  return eventually(
    () => now(place, movement),
    ({ status }) => isVolumeEnded(status),
    limitMs,
  );
}

/** A movement as it is now. */
export function now<T extends DataUpload | DataDownload>(
  { client, namespace }: MovementPlace,
  movement: T,
): Promise<T> {
  const { dataUploads, dataDownloads } = datapathResources;
  const resource = movement.kind === "DataUpload" ? dataUploads : dataDownloads;
  return client.get<T>(resource, movement.metadata.name, { namespace });
}

type Content = KubeObject & {
  readonly spec?: { readonly volumeSnapshotRef?: { readonly namespace?: string } };
};

/** Everything that movements may leave behind: pods, claims and snapshots of the server, and contents of both namespaces. */
export async function leftovers({ client, namespace, space }: MovementPlace): Promise<readonly string[]> {
  const found: string[] = [];
  for (const resource of [builtIn.pods, builtIn.claims, builtIn.snapshots]) {
    for (const { metadata } of await client.list(resource, { namespace }))
      found.push(`${resource.kind} ${metadata.name}`);
  }
  for (const { metadata, spec } of await client.list<Content>(builtIn.snapshotContents)) {
    const of = spec?.volumeSnapshotRef?.namespace ?? "";
    if (of === namespace || of === space) found.push(`content ${metadata.name}`);
  }
  return found;
}
