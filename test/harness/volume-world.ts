import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAgent } from "../../src/agent/index.ts";
import { allKinds, crdOf, type KubeObject } from "../../src/api/index.ts";
import { usualSettings } from "../../src/engines/datapath/index.ts";
import { moverFinder, Repositories, resources, type Uploader } from "../../src/engines/podvolume/index.ts";
import { builtIn, Cache, type Client, type Resource, systemClock } from "../../src/kube/index.ts";
import { accountReady } from "./account.ts";
import { openCluster } from "./cluster.ts";
import { eventually } from "./eventually.ts";
import { testMoverFolders } from "./movers.ts";

/** An API server with our kinds, a storage location, and a folder that is laid out as a kubelet's; nothing runs pods here. */
export interface VolumeWorld {
  readonly client: Client;
  readonly namespace: string;
  readonly node: string;
  readonly folder: string;
  readonly hostPods: string;
  /** The file that names the cluster, for programs. */
  readonly kubeconfig: string;
  /** What the movers of `agent()` are marked with. */
  readonly owner: string;
  /** A Backup and a Restore in progress that nobody works on: copies of the test belong to them. */
  readonly askers: { readonly backup: KubeObject; readonly restore: KubeObject };
  /** A namespace of this world alone. */
  space(name: string): string;
  /** Starts an agent in this process; the returned function ends it. */
  agent(options?: { concurrency?: number; folders?: readonly string[] }): () => Promise<void>;
  /** A pod object that says it runs, with a folder for its emptyDir volumes; returns those folders. */
  pod(namespace: string, name: string, volumes: readonly string[], more?: PodExtras): Promise<SimulatedPod>;
  close(): Promise<void>;
}

interface PodExtras {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly initContainers?: readonly object[];
  readonly status?: object;
}

export interface SimulatedPod {
  readonly uid: string;
  readonly folders: Readonly<Record<string, string>>;
}

const { namespaces, definitions } = builtIn;

/** Opens the world: on the embedded API server, or in a namespace of its own of the cluster that KUBECONFIG names. */
export async function openVolumeWorld(): Promise<VolumeWorld> {
  const folder = mkdtempSync(join(tmpdir(), "volumes-"));
  const cluster = await openCluster({ node: false });
  const { client, namespace } = cluster;
  const hostPods = join(folder, "pods");
  mkdirSync(hostPods);
  mkdirSync(join(folder, "store"));
  await prepareServer(client, namespace, join(folder, "store"));
  const askers = {
    backup: await inProgress(client, resources.backups, "Backup", namespace),
    restore: await inProgress(client, resources.restores, "Restore", namespace),
  };
  const node = `node-${crypto.randomUUID().slice(0, 8)}`;
  const scratch = join(folder, "scratch");
  const owner = `test:${folder}`;
  const space = (name: string) => `${name}-${node}`;
  return {
    kubeconfig: cluster.kubeconfig,
    owner,
    askers,
    space,
    client,
    namespace,
    node,
    folder,
    hostPods,
    agent: ({ concurrency = 2, folders = testMoverFolders() } = {}) => {
      const stop = new AbortController();
      const mover = moverFinder({ scratch, owner, folders });
      const done = startAgent(
        {
          client,
          namespace,
          node,
          hostPods,
          concurrency,
          mover,
          owner,
          clock: systemClock,
          log: quiet,
          movement: testMovement,
        },
        stop.signal,
      );
      return async () => {
        stop.abort();
        await done;
      };
    },
    pod: (of, name, volumes, more) =>
      simulatePod(client, { hostPods, node }, { namespace: space(of), name, volumes }, more),
    async close() {
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** How the agents of tests move data. */
export const testMovement = {
  settings: usualSettings,
  image: process.env["HEADWAY_TEST_IMAGE"] ?? "none",
  pullPolicy: "Never",
  prepareTimeoutMs: 600_000,
};

/** A Backup or Restore in progress that nobody works on. */
export function inProgress(
  client: Client,
  resource: Resource,
  kind: string,
  namespace: string,
): Promise<KubeObject> {
  return client.create<KubeObject>(resource, {
    apiVersion: "velero.io/v1",
    kind,
    metadata: { name: "in-progress", namespace },
    spec: kind === "Restore" ? { backupName: "in-progress" } : {},
    status: { phase: "InProgress" },
  });
}

/** A repository for the volumes of a namespace. */
export async function readyRepository(
  world: Pick<VolumeWorld, "client" | "namespace" | "folder" | "space">,
  name: string,
  type: Uploader,
  location = "default",
): Promise<void> {
  const { client, namespace, folder } = world;
  const mover = moverFinder({ scratch: join(folder, "operator"), folders: testMoverFolders() });
  const repositories = new Repositories({
    client,
    cache: new Cache({ client }),
    namespace,
    clock: systemClock,
    log: quiet,
    mover,
  });
  const key = { volumeNamespace: world.space(name), location, type };
  await repositories.ensure(key, AbortSignal.timeout(120_000));
}

/** The kinds, the server's namespace and a default location in a folder. */
export async function prepareServer(client: Client, namespace: string, store: string): Promise<void> {
  for (const kind of allKinds) {
    await client.create(definitions, crdOf(kind)).catch(ignoreThere);
  }
  await ensureNamespace(client, namespace);
  // Most of these worlds check no locations, so that nobody else would make the bucket.
  mkdirSync(join(store, "b"), { recursive: true });
  const location = {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default", namespace },
    spec: { provider: "filesystem", objectStorage: { bucket: "b" }, config: { path: store }, default: true },
  };
  await eventually(
    () =>
      client.create(resources.locations, location).then(
        () => true,
        (error: Error) => error.message,
      ),
    (made) => made === true || String(made).includes("already exists"),
  );
}

export async function ensureNamespace(client: Client, name: string): Promise<void> {
  await client
    .create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } })
    .catch(ignoreThere);
  await accountReady(client, name);
}

async function simulatePod(
  client: Client,
  { hostPods, node }: { hostPods: string; node: string },
  { namespace, name, volumes }: { namespace: string; name: string; volumes: readonly string[] },
  more: PodExtras = {},
): Promise<SimulatedPod> {
  await ensureNamespace(client, namespace);
  const volumeMounts = volumes.map((volume) => ({ name: volume, mountPath: `/${volume}` }));
  const pod = await client.create<KubeObject>(resources.pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, ...(more.annotations && { annotations: more.annotations }) },
    spec: {
      nodeName: node,
      ...(more.initContainers && { initContainers: more.initContainers }),
      containers: [{ name: "c", image: "none", volumeMounts }],
      volumes: volumes.map((volume) => ({ name: volume, emptyDir: {} })),
    },
  });
  const uid = pod.metadata.uid ?? "";
  const folders = Object.fromEntries(
    volumes.map((volume) => [volume, join(hostPods, uid, "volumes", "kubernetes.io~empty-dir", volume)]),
  );
  for (const path of Object.values(folders)) mkdirSync(path, { recursive: true });
  const status = more.status ?? { phase: "Running" };
  await client.patch(
    resources.pods,
    name,
    { type: "merge", body: { status } },
    { namespace, subresource: "status" },
  );
  return { uid, folders };
}

function ignoreThere(error: unknown): void {
  if (!(error instanceof Error && error.message.includes("already exists"))) throw error;
}

function quiet(): void {
  // failures show in the objects
}

/** The movers that this machine has, and for each missing one the reason. */
export const uploaders: readonly Uploader[] = ["restic", "kopia"];
