import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { Api } from "../../packages/plane/api.ts";
import { enter } from "../../packages/plane/node/container.ts";
import { LocalNode } from "../../packages/plane/node/node.ts";
import { type Change, Store } from "../../packages/plane/store.ts";
import { Tokens } from "../../packages/plane/tokens.ts";
import type { KubeObject } from "../../src/api/index.ts";
import { builtIn, type Client, Informer, isNotFound, type Resource } from "../../src/kube/index.ts";

/** A node of a cluster that has none: it runs pods as processes of this machine. */
export interface AttachedNode {
  readonly name: string;
  /** The folder of its pods, laid out as a kubelet's. */
  readonly podsDir: string;
  /** Runs a command in a pod's container, where its volumes are; what it said, nothing when it failed or nothing runs. */
  exec(pod: KubeObject, container: string, argv: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** What the node of the embedded cluster reads of its API server. */
const mirrored: readonly Resource[] = [
  builtIn.namespaces,
  builtIn.configMaps,
  builtIn.secrets,
  builtIn.serviceAccounts,
  builtIn.volumes,
  builtIn.claims,
  builtIn.pods,
];
const heartbeatMs = 10_000;

/**
 * Attaches the node of the embedded cluster to any API server: what the node reads is mirrored from there, and what it does
 * to pods (where they run, their status, their end) is written there. Pods without a place get this one, as there is no
 * scheduler where there is no node.
 */
export async function attachNode(client: Client, name: string, folder: string): Promise<AttachedNode> {
  mkdirSync(folder, { recursive: true });
  const api = new Api(new Store(":memory:"), () => Date.now());
  const stop = new AbortController();
  const node = new LocalNode({
    api,
    tokens: new Tokens("none", () => undefined),
    stateDir: folder,
    name,
    port: 0,
  });
  const there = new Writer(client, stop.signal);
  let isMirroring = false;
  const informers = mirrored.map(
    (resource) =>
      new Informer<KubeObject, KubeObject>({
        client,
        resource,
        project: (object) => ({
          ...object,
          kind: resource.kind,
          apiVersion: resource.group === "" ? "v1" : resource.group,
        }),
        onChange: (_key, now, before) => {
          const object = now ?? before;
          if (!object) return;
          if (resource.plural === "pods" && isUnplaced(object)) {
            if (now) there.bind(now, name);
            return;
          }
          isMirroring = true;
          mirror(api, resource.plural, object, now === undefined);
          isMirroring = false;
        },
      }),
  );
  const watching = informers.map((informer) => informer.run(stop.signal));
  await Promise.all(informers.map((informer) => informer.synced()));
  await register(client, name);
  const beat = setInterval(() => void register(client, name).catch(() => undefined), heartbeatMs);
  api.store.subscribe((change) => {
    if (change.resource === "pods" && !isMirroring) there.push(change, name);
  });
  node.start();
  return {
    name,
    podsDir: node.podsDir,
    exec: (pod, container, argv) => execIn(node, pod, container, argv),
    async close() {
      clearInterval(beat);
      await node.close();
      stop.abort();
      await Promise.all(watching);
      await there.idle();
      await client.delete(builtIn.nodes, name).catch(() => undefined);
      api.store.close();
    },
  };
}

function isUnplaced(pod: KubeObject): boolean {
  return !(pod as KubeObject & { readonly spec?: { readonly nodeName?: string } }).spec?.nodeName;
}

/** Copies an object into the node's own store; the status of a pod is the node's and is not taken back. */
function mirror(api: Api, resource: string, object: KubeObject, isGone: boolean): void {
  const { namespace = "", name } = object.metadata;
  const key = { resource, namespace, name };
  const known = api.read(resource, namespace, name);
  if (isGone && !known) return;
  const { kind, apiVersion, metadata, ...rest } = object;
  const own = resource === "pods" && known?.metadata.uid === metadata.uid && known?.status;
  api.store.write(
    key,
    (rev) =>
      JSON.stringify({
        kind,
        apiVersion,
        metadata: { ...metadata, resourceVersion: String(rev) },
        ...rest,
        ...(own && { status: own }),
      }),
    isGone,
  );
}

/** Writes what the node says of pods, one after the other and again until it is written. */
class Writer {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  #queue: Promise<void> = Promise.resolve();

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  bind({ metadata: { name, namespace, uid, deletionTimestamp } }: KubeObject, node: string): void {
    if (deletionTimestamp !== undefined) return;
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid },
      target: { apiVersion: "v1", kind: "Node", name: node },
    };
    this.#do(() => this.#client.create(builtIn.pods, body, { namespace, name, subresource: "binding" }));
  }

  push({ type, value }: Change, node: string): void {
    const pod = JSON.parse(value) as KubeObject & {
      readonly spec?: { readonly nodeName?: string };
      readonly status?: object;
    };
    if (pod.spec?.nodeName !== node) return;
    const { name, namespace, uid } = pod.metadata;
    if (type === "DELETED") {
      this.#do(() => this.#client.delete(builtIn.pods, name, { namespace, uid, gracePeriodSeconds: 0 }));
      return;
    }
    const body = { metadata: { uid }, status: pod.status };
    const options = { namespace, subresource: "status" };
    this.#do(() => this.#client.patch(builtIn.pods, name, { type: "merge", body }, options));
  }

  idle(): Promise<void> {
    return this.#queue;
  }

  #do(work: () => Promise<unknown>): void {
    this.#queue = this.#queue.then(async () => {
      for (let tries = 0; tries < 20 && !this.#signal.aborted; tries += 1) {
        try {
          await work();
          return;
        } catch (error) {
          // It is gone or another one by now, or it has its place already.
          if (isNotFound(error) || (error instanceof Error && /precondition|already/i.test(error.message)))
            return;
          if (tries === 19) process.stderr.write(`attached node: ${String(error)}\n`);
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      }
    });
  }
}

/** The Node object, and that it lives: who is silent loses its pods. */
async function register(client: Client, name: string): Promise<void> {
  const metadata = { name, labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" } };
  const object = { apiVersion: "v1", kind: "Node", metadata };
  await client.get(builtIn.nodes, name).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    return client.create(builtIn.nodes, object);
  });
  const now = new Date().toISOString().replace(/\.\d+Z/, "Z");
  const amounts = { cpu: "8", memory: "16Gi", pods: "500" };
  const ready = { type: "Ready", status: "True", reason: "KubeletReady", lastHeartbeatTime: now };
  const status = {
    capacity: amounts,
    allocatable: amounts,
    conditions: [{ ...ready, lastTransitionTime: now, message: "pods run as processes" }],
    addresses: [{ type: "Hostname", address: name }],
  };
  await client.patch(builtIn.nodes, name, { type: "merge", body: { status } }, { subresource: "status" });
}

async function execIn(
  node: LocalNode,
  pod: KubeObject,
  container: string,
  argv: readonly string[],
): Promise<string> {
  const running = node.worker(pod.metadata.uid ?? "")?.processOf(container);
  if (!running) return "";
  const [command = "", ...args] = enter(running.pid, argv, node.isolation);
  const child = spawn(command, args, { env: { ...running.env }, stdio: ["ignore", "pipe", "ignore"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve) => {
    child.on("error", () => resolve(1));
    child.on("close", resolve);
  });
  return code === 0 ? Buffer.concat(chunks).toString("utf8") : "";
}
