import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { type Api, objectOf } from "../api.ts";
import type { KubeObject } from "../object.ts";
import { listAt, stamp, textAt } from "../object.ts";
import { type EventNote, record } from "../record.ts";
import type { Tokens } from "../tokens.ts";
import { type Isolation, isolationHere } from "./container.ts";
import { endLeftovers } from "./leftovers.ts";
import { graceOf, type NodeDeps, PodWorker } from "./pod-worker.ts";
import { Processes } from "./processes.ts";
import { detachBelow } from "./volumes.ts";

/** What a node needs. */
export interface NodeOptions {
  readonly api: Api;
  readonly tokens: Tokens;
  readonly stateDir: string;
  readonly name: string;
  readonly port: number;
}

/** A node that runs pods as processes of this machine. */
export class LocalNode {
  readonly #options: NodeOptions;
  readonly #deps: NodeDeps;
  readonly #workers = new Map<string, PodWorker>();
  readonly #ending = new Set<string>();
  /** Pods whose objects are gone and whose processes are just ending. */
  readonly #leaving = new Set<Promise<void>>();
  #closed = false;
  #unsubscribe: (() => void) | undefined;
  readonly isolation: Isolation;

  constructor(options: NodeOptions) {
    this.#options = options;
    this.isolation = isolationHere();
    const podsDir = join(options.stateDir, "pods");
    mkdirSync(podsDir, { recursive: true });
    const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "headway", "bin");
    this.#deps = {
      api: options.api,
      tokens: options.tokens,
      podsDir,
      isolation: this.isolation,
      processes: new Processes(join(options.stateDir, "processes")),
      env: {
        PATH: `${process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"}:${cache}`,
        HOME: "/root",
        KUBERNETES_SERVICE_HOST: "127.0.0.1",
        KUBERNETES_SERVICE_PORT: String(options.port),
        KUBERNETES_SERVICE_PORT_HTTPS: String(options.port),
      },
      event: (pod, what) => this.#event(pod, what),
    };
  }

  /** Ends what an earlier process left behind, registers the node and takes up its pods. */
  start(): void {
    const { api, name } = this.#options;
    endLeftovers(this.#options.stateDir);
    this.#sweep();
    register(api, name, this.isolation);
    this.#unsubscribe = api.store.subscribe((change) => {
      if (change.resource !== "pods") return;
      const pod = objectOf(change);
      // Writes from inside a notification would be seen out of turn by nobody, but the stack could grow without end.
      setImmediate(() => (change.type === "DELETED" ? this.#gone(pod) : this.#seen(pod)));
    });
    for (const pod of api.readAll("pods")) this.#seen(pod);
  }

  /** The worker of a pod that runs here. */
  worker(uid: string): PodWorker | undefined {
    return this.#closed ? undefined : this.#workers.get(uid);
  }

  /** Notes a command that runs beside a container, so that it ends with the node. */
  attend(child: ChildProcess): void {
    this.#deps.processes.add(child);
  }

  /** The folder with every pod's volumes and logs. */
  get podsDir(): string {
    return this.#deps.podsDir;
  }

  /** Ends every process and returns when they have; the pods stay in the store and start again with the cluster. */
  async close(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#closed = true;
    const ends = [...this.#workers.values()].map((worker) => worker.terminate(2));
    // One pod that fails to end must not leave the others unattended.
    await Promise.allSettled([...ends, ...this.#leaving]);
    await this.#deps.processes.endAll();
    detachBelow(this.#deps.podsDir);
  }

  /** Folders of pods that no longer exist. */
  #sweep(): void {
    if (!detachBelow(this.#deps.podsDir)) return;
    const known = new Set(this.#options.api.readAll("pods").map((pod) => pod.metadata.uid));
    for (const uid of readdirSync(this.#deps.podsDir)) {
      const folder = join(this.#deps.podsDir, uid);
      if (!known.has(uid) && existsSync(folder)) rmSync(folder, { recursive: true, force: true });
    }
  }

  #seen(pod: KubeObject): void {
    if (this.#closed) return;
    const { api, name } = this.#options;
    const { uid = "", namespace = "" } = pod.metadata;
    const node = textAt(pod.spec, "nodeName");
    if (node === undefined) return this.#schedule(pod);
    if (node !== name) return;
    const worker = this.#workers.get(uid);
    if (pod.metadata.deletionTimestamp !== undefined) return this.#end(pod, worker);
    if (worker) return worker.update(pod);
    const phase = textAt(pod.status, "phase");
    if (phase === "Succeeded" || phase === "Failed") return;
    const present = api.read("pods", namespace, pod.metadata.name);
    if (present?.metadata.uid !== uid || present.metadata.deletionTimestamp !== undefined) return;
    const fresh = new PodWorker(this.#deps, present);
    this.#workers.set(uid, fresh);
    fresh.done.catch((error: unknown) =>
      this.#event(pod, { type: "Warning", reason: "Failed", message: String(error) }),
    );
  }

  #schedule(pod: KubeObject): void {
    const { api, name } = this.#options;
    if (pod.metadata.deletionTimestamp !== undefined) return;
    const present = api.read("pods", pod.metadata.namespace ?? "", pod.metadata.name);
    if (
      !present ||
      textAt(present.spec, "nodeName") !== undefined ||
      present.metadata.uid !== pod.metadata.uid
    )
      return;
    present.spec = { ...present.spec, nodeName: name };
    api.update(api.resource("pods"), pod.metadata.namespace ?? "", present, { subresource: "binding" });
    const place = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const message = `Successfully assigned ${place} to ${name}`;
    this.#event(pod, { type: "Normal", reason: "Scheduled", message }, "default-scheduler");
  }

  /** A pod that is to go: its processes first, then the object. */
  #end(pod: KubeObject, worker: PodWorker | undefined): void {
    const { uid = "", namespace = "", name } = pod.metadata;
    if (this.#ending.has(uid)) return;
    this.#ending.add(uid);
    const finish = (): void => {
      if (this.#closed) return;
      const present = this.#options.api.read("pods", namespace, name);
      if (present?.metadata.uid === uid) {
        this.#options.api.delete(this.#options.api.resource("pods"), namespace, name, {
          gracePeriodSeconds: 0,
        });
      }
    };
    if (!worker) return finish();
    for (const container of listAt(pod.spec, "containers")) {
      const which = textAt(container, "name") ?? "";
      this.#event(pod, {
        type: "Normal",
        reason: "Killing",
        message: `Stopping container ${which}`,
        fieldPath: `spec.containers{${which}}`,
      });
    }
    void worker.terminate(graceOf(pod)).then(finish);
  }

  /** A pod whose object is gone: nothing of it may stay. */
  #gone(pod: KubeObject): void {
    const { uid = "" } = pod.metadata;
    this.#ending.delete(uid);
    const worker = this.#workers.get(uid);
    if (!worker || this.#closed) return;
    this.#workers.delete(uid);
    const leaves = worker
      .terminate(0)
      .then(() => worker.clean())
      .finally(() => this.#leaving.delete(leaves));
    this.#leaving.add(leaves);
  }

  #event(pod: KubeObject, what: Omit<EventNote, "component" | "host">, component = "kubelet"): void {
    if (this.#closed) return;
    const host = component === "kubelet" ? { host: this.#options.name } : {};
    record(this.#options.api, pod, { ...what, component, ...host });
  }
}

/** What the node can and cannot do, in words. */
function isolationWords(isolation: Isolation): string {
  switch (isolation) {
    case "mounts":
      return "pods see their volumes at their mount paths";
    case "user-mounts":
      return "pods see their volumes at their mount paths (in a user namespace)";
    case "none":
      return "mount namespaces are not allowed here: pods run, but find their volumes only through HEADWAY_VOLUME_NAME variables";
  }
}

function register(api: Api, name: string, isolation: Isolation): void {
  const resource = api.resource("nodes");
  if (!api.read("nodes", "", name)) {
    const labels = {
      "kubernetes.io/hostname": name,
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": process.arch === "x64" ? "amd64" : process.arch,
    };
    api.create(resource, "", { kind: "Node", apiVersion: "v1", metadata: { name, labels }, spec: {} });
  }
  api.modify(
    resource,
    "",
    name,
    (node) => {
      const now = stamp(api.now());
      const message = isolationWords(isolation);
      node.status = {
        capacity: { cpu: "8", memory: "16Gi", pods: "500" },
        allocatable: { cpu: "8", memory: "16Gi", pods: "500" },
        conditions: [
          {
            type: "Ready",
            status: "True",
            lastHeartbeatTime: now,
            lastTransitionTime: now,
            reason: "KubeletReady",
            message,
          },
        ],
        addresses: [
          { type: "InternalIP", address: "127.0.0.1" },
          { type: "Hostname", address: name },
        ],
        nodeInfo: {
          kubeletVersion: "v1.34.0+headway",
          operatingSystem: "linux",
          architecture: process.arch === "x64" ? "amd64" : process.arch,
          osImage: hostname(),
          containerRuntimeVersion: "process://1",
        },
      };
    },
    { subresource: "status" },
  );
}
