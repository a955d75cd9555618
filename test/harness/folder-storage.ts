import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "../../src/api/index.ts";
import { builtIn, type Client, isAlreadyExists, isNotFound } from "../../src/kube/index.ts";
import { installSnapshotKinds } from "./csi-snapshots.ts";

type Any = KubeObject & {
  readonly spec?: Readonly<Record<string, unknown>> & {
    readonly source?: {
      readonly persistentVolumeClaimName?: string;
      readonly volumeSnapshotContentName?: string;
      readonly snapshotHandle?: string;
    };
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly deletionPolicy?: string;
    readonly dataSource?: { readonly name?: string };
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  };
  readonly status?: Readonly<Record<string, unknown>> | null;
};

/** Storage made of folders, with snapshots: the test plays a CSI driver, its provisioner and its snapshotter. */
export interface FolderStorage {
  readonly storageClass: string;
  readonly snapshotClass: string;
  /** While true, nothing of this kind is answered. */
  readonly holds: { snapshots: boolean; volumes: boolean };
  /** What is in the storage: `snap-…` and `vol-…` folders. */
  contents(): readonly string[];
  folderOf(volume: string): string;
  close(): Promise<void>;
}

const { storageClasses, snapshots, snapshotContents, claims, volumes } = builtIn;

/** Starts the storage; `node` is where its volumes are. */
export async function openFolderStorage(
  client: Client,
  folder: string,
  node: string,
): Promise<FolderStorage> {
  const root = join(folder, "storage");
  mkdirSync(root, { recursive: true });
  await installSnapshotKinds(client);
  const storageClass = `folders-${crypto.randomUUID().slice(0, 8)}`;
  await client.create(storageClasses, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: storageClass },
    provisioner: `test.example/${storageClass}`,
    reclaimPolicy: "Delete",
  });
  const stop = new AbortController();
  const holds = { snapshots: false, volumes: false };
  const driver = new Driver(client, root, storageClass, node, holds);
  const running = driver.run(stop.signal);
  return {
    storageClass,
    snapshotClass: `${storageClass}-snapshots`,
    holds,
    contents: () => readdirSync(root).toSorted(),
    folderOf: (volume) => join(root, volume),
    async close() {
      stop.abort();
      await running;
    },
  };
}

/** Holds a content until its data is dealt with. */
const held = "test.example/content";

class Driver {
  readonly #client: Client;
  readonly #root: string;
  readonly #class: string;
  readonly #node: string;
  readonly #holds: FolderStorage["holds"];
  #volumes = new Set<string>();

  constructor(
    client: Client,
    root: string,
    storageClass: string,
    node: string,
    holds: FolderStorage["holds"],
  ) {
    this.#client = client;
    this.#root = root;
    this.#class = storageClass;
    this.#node = node;
    this.#holds = holds;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // A change in between is a conflict, which the next round sees.
      await this.#round().catch((error: unknown) => {
        if (process.env["HEADWAY_TEST_LOG"]) process.stderr.write(`storage: ${String(error)}\n`);
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #round(): Promise<void> {
    if (!this.#holds.snapshots) {
      for (const one of await this.#client.list<Any>(snapshots)) await this.#snapshot(one);
      await this.#sweepContents();
    }
    if (!this.#holds.volumes) {
      for (const one of await this.#client.list<Any>(claims)) await this.#claim(one);
    }
    await this.#sweepVolumes();
  }

  async #snapshot(one: Any): Promise<void> {
    if (one.status?.["readyToUse"] === true) return;
    const { name, namespace, uid } = one.metadata;
    const { persistentVolumeClaimName: claimName, volumeSnapshotContentName } = one.spec?.source ?? {};
    const content = volumeSnapshotContentName ?? `content-${uid}`;
    if (claimName !== undefined) {
      const claim = await this.#client.get<Any>(claims, claimName, { namespace });
      const handle = `snap-${uid}`;
      copyFolder(join(this.#root, claim.spec?.volumeName ?? ""), join(this.#root, handle));
      const made = {
        apiVersion: "snapshot.storage.k8s.io/v1",
        kind: "VolumeSnapshotContent",
        metadata: { name: content, finalizers: [held] },
        spec: {
          deletionPolicy: "Delete",
          driver: "test.example",
          source: { volumeHandle: claim.spec?.volumeName },
          volumeSnapshotRef: { kind: "VolumeSnapshot", name, namespace, uid },
        },
        status: { snapshotHandle: handle, readyToUse: true },
      };
      await this.#client.create(snapshotContents, made).catch(ignoreThere);
    } else {
      const there = await this.#client.get<Any>(snapshotContents, content);
      const handle = there.spec?.source?.snapshotHandle ?? "";
      if (!existsSync(join(this.#root, handle))) throw new Error(`no snapshot ${handle}`);
      const body = { metadata: { finalizers: [held] }, status: { snapshotHandle: handle, readyToUse: true } };
      await this.#client.patch(snapshotContents, content, { type: "merge", body });
    }
    const body = {
      status: { readyToUse: true, boundVolumeSnapshotContentName: content, restoreSize: "1Gi" },
    };
    await this.#client.patch(snapshots, name, { type: "merge", body }, { namespace });
  }

  /** Contents whose snapshot is gone go by their policy; with a content that is deleted the data goes, by its policy too. */
  async #sweepContents(): Promise<void> {
    const all = await this.#client.list<Any>(snapshotContents);
    const live = new Set((await this.#client.list<Any>(snapshots)).map(({ metadata }) => metadata.uid));
    for (const one of all) {
      const { name, deletionTimestamp } = one.metadata;
      const isDeleted = one.spec?.deletionPolicy === "Delete";
      const ref = one.spec?.["volumeSnapshotRef"] as { uid?: string } | undefined;
      if (deletionTimestamp !== undefined) {
        const handle = (one.status?.["snapshotHandle"] as string | undefined) ?? "";
        if (isDeleted && handle !== "") rmSync(join(this.#root, handle), { recursive: true, force: true });
        const body = { metadata: { finalizers: null } };
        await this.#client.patch(snapshotContents, name, { type: "merge", body }).catch(ignoreGone);
      } else if (ref?.uid && !live.has(ref.uid) && isDeleted) {
        await this.#client.delete(snapshotContents, name).catch(ignoreGone);
      }
    }
  }

  async #claim(one: Any): Promise<void> {
    const { spec, metadata, status } = one;
    if (spec?.storageClassName !== this.#class || spec.volumeName || status?.["phase"] === "Bound") return;
    if (metadata.deletionTimestamp !== undefined || spec["selector"]) return; // a selector finds volumes that are there
    const name = `vol-${metadata.uid}`;
    const path = join(this.#root, name);
    const from = spec.dataSource?.name;
    if (from === undefined) mkdirSync(path, { recursive: true, mode: 0o777 });
    else {
      const { namespace } = metadata;
      const source = await this.#client.get<Any>(snapshots, from, { namespace });
      const bound = source.status?.["boundVolumeSnapshotContentName"] as string;
      const content = await this.#client.get<Any>(snapshotContents, bound);
      copyFolder(join(this.#root, content.status?.["snapshotHandle"] as string), path);
    }
    const values = [this.#node];
    const term = { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values }] };
    const volume = {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name },
      spec: {
        capacity: spec.resources?.requests ?? { storage: "1Gi" },
        accessModes: spec["accessModes"],
        persistentVolumeReclaimPolicy: "Delete",
        storageClassName: this.#class,
        local: { path },
        claimRef: {
          kind: "PersistentVolumeClaim",
          namespace: metadata.namespace,
          name: metadata.name,
          uid: metadata.uid,
        },
        nodeAffinity: { required: { nodeSelectorTerms: [term] } },
      },
    };
    await this.#client.create(volumes, volume).catch(ignoreThere);
    this.#volumes.add(name);
  }

  /** The cluster deletes volumes that nobody has; the folders are ours. */
  async #sweepVolumes(): Promise<void> {
    const live = new Set((await this.#client.list<Any>(volumes)).map(({ metadata }) => metadata.name));
    for (const name of this.#volumes) {
      if (live.has(name)) continue;
      rmSync(join(this.#root, name), { recursive: true, force: true });
      this.#volumes.delete(name);
    }
  }
}

/** With owners, times and links as they are; what an earlier round began is made anew. */
function copyFolder(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  execFileSync("cp", ["-a", from, to]);
}

function ignoreThere(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
