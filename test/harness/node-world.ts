import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPlane } from "../../packages/plane/index.ts";
import { startAgent } from "../../src/agent/index.ts";
import type { KubeObject } from "../../src/api/index.ts";
import {
  leaseName,
  moverFinder,
  type OpenMover,
  resources,
  type Uploader,
} from "../../src/engines/podvolume/index.ts";
import { builtIn, type Client, connect, connectTo, systemClock } from "../../src/kube/index.ts";
import type { BackupRequest, RestoreRequest } from "../../src/movers/index.ts";
import { type OperatorOptions, startOperator } from "../../src/operator/index.ts";
import type { Sample } from "../../src/progress/index.ts";
import { eventually } from "./eventually.ts";
import { testMoverFolders } from "./movers.ts";
import { prepareServer, testMovement } from "./volume-world.ts";

/** A cluster whose node runs pods, with operator and agent in this process. */
export interface NodeWorld {
  readonly client: Client;
  /** The namespace of the server's objects. */
  readonly namespace: string;
  readonly node: string;
  readonly hostPods: string;
  readonly folder: string;
  readonly owner: string;
  /** The image of test pods. */
  readonly image: string;
  /** What operator and agent said above "info". */
  readonly log: string[];
  /** The file that names the cluster, for programs. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

const { nodes, namespaces } = builtIn;

/** Told what the movers of the agent say, and of which folder, at the moment they say it. */
export type Heard = (path: string, sample: Sample) => void;

/** Why there is no such world here; undefined when there is. */
export function noNodeWorld(): string | undefined {
  if (process.env["HEADWAY_TEST_CLUSTER"] !== "1") return undefined;
  return process.env["HEADWAY_HOST_PODS"]
    ? undefined
    : "HEADWAY_HOST_PODS names no folder of pods on this machine";
}

/**
 * Opens the embedded cluster with its node, or the real one whose pods' folder HEADWAY_HOST_PODS names. Without an agent of
 * this process the test starts one itself.
 */
export async function openNodeWorld(
  uploader: Uploader,
  ownAgent = true,
  more: Partial<OperatorOptions> = {},
  { snapshots = false, heard }: { readonly snapshots?: boolean; readonly heard?: Heard } = {},
): Promise<NodeWorld> {
  const folder = mkdtempSync(join(tmpdir(), "node-world-"));
  const isReal = process.env["HEADWAY_TEST_CLUSTER"] === "1";
  const base = isReal ? await realNode() : await embeddedNode(folder, snapshots);
  const { client, node, hostPods } = base;
  const namespace = `velero-${crypto.randomUUID().slice(0, 8)}`;
  mkdirSync(join(folder, "store"));
  await prepareServer(client, namespace, join(folder, "store"));
  const image = process.env["HEADWAY_TEST_IMAGE"] ?? "none";
  const log: string[] = [];
  const say = (level: string, message: string, fields?: Readonly<Record<string, unknown>>) => {
    const { error } = fields ?? {};
    if (level !== "info") log.push(`${level}: ${message} ${error instanceof Error ? error.message : ""}`);
  };
  const stop = new AbortController();
  const owner = `test:${folder}`;
  const folders = testMoverFolders();
  const options = {
    client,
    namespace,
    node,
    hostPods,
    concurrency: 2,
    mover: overheard(moverFinder({ scratch: join(folder, "agent"), owner, folders }), heard),
    owner,
    clock: systemClock,
    log: say,
    movement: testMovement,
  };
  const agent = ownAgent ? startAgent(options, stop.signal) : undefined;
  const operator = startOperator(
    {
      client,
      namespace,
      log: say,
      tempDir: folder,
      controllers: ["location", "backup", "restore", "backup-repo"],
      volumes: { uploader, helperImage: image, helperPullPolicy: "Never", moverFolders: folders },
      ...more,
    },
    stop.signal,
  );
  if (ownAgent) await agentShows({ client, namespace, node });
  return {
    kubeconfig: base.kubeconfig,
    client,
    namespace,
    node,
    hostPods,
    folder,
    owner,
    image,
    log,
    async close() {
      stop.abort();
      await Promise.all([agent, operator]);
      if (base.real) await deleteNamespace(client, namespace);
      client.close();
      await base.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function overheard(open: OpenMover, heard: Heard | undefined): OpenMover {
  if (!heard) return open;
  const listen = <R extends BackupRequest | RestoreRequest>(request: R): R => ({
    ...request,
    onProgress: (sample: Sample, sentBytes?: number) => {
      heard(request.path, sample);
      request.onProgress?.(sample, sentBytes);
    },
  });
  return (kind) => {
    const mover = open(kind);
    return new Proxy(mover, {
      get(of, name) {
        if (name === "backup")
          return (request: BackupRequest, stop?: AbortSignal) => of.backup(listen(request), stop);
        if (name === "restore")
          return (request: RestoreRequest, stop?: AbortSignal) => of.restore(listen(request), stop);
        const value: unknown = Reflect.get(of, name, of);
        return typeof value === "function" ? (value.bind(of) as unknown) : value;
      },
    });
  };
}

/** Waits until an agent shows itself on the node. */
export async function agentShows(world: Pick<NodeWorld, "client" | "namespace" | "node">): Promise<void> {
  await eventually(
    () => world.client.list(resources.leases, { namespace: world.namespace }),
    (leases) => leases.some(({ metadata }) => metadata.name === leaseName(world.node)),
  );
}

interface Base {
  readonly kubeconfig: string;
  readonly client: Client;
  readonly node: string;
  readonly hostPods: string;
  readonly real: boolean;
  stop(): Promise<void>;
}

async function realNode(): Promise<Base> {
  const client = await connect();
  const [first] = await client.list<KubeObject>(nodes);
  const hostPods = process.env["HEADWAY_HOST_PODS"] ?? "";
  const kubeconfig = process.env["KUBECONFIG"] ?? "";
  const stop = () => Promise.resolve();
  return { client, kubeconfig, node: first?.metadata.name ?? "", hostPods, real: true, stop };
}

async function embeddedNode(folder: string, snapshots: boolean): Promise<Base> {
  const plane = await startPlane({ stateDir: join(folder, "plane"), snapshots });
  const client = connectTo({ server: plane.url, token: plane.token, ca: plane.ca });
  if (!plane.node) throw new Error("the embedded cluster has no node");
  const { name, podsDir } = plane.node;
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, plane.kubeconfig());
  return { client, kubeconfig, node: name, hostPods: podsDir, real: false, stop: () => plane.close() };
}

/** Deletes the server's namespace; nobody is left to take the finalizers of its restores away. */
export async function deleteNamespace(client: Client, namespace: string): Promise<void> {
  const body = { metadata: { finalizers: null } };
  for (const { metadata } of await client.list(resources.restores, { namespace })) {
    await client.patch(resources.restores, metadata.name, { type: "merge", body }, { namespace });
  }
  await client.delete(namespaces, namespace);
}
