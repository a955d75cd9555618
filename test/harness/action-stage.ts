import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ActionSet, type Blueprint, type KubeObject, kinds } from "../../src/api/index.ts";
import { type Client, isNotFound, type Resource, resourceOf } from "../../src/kube/index.ts";
import { type OperatorOptions, startOperator } from "../../src/operator/index.ts";
import { openCluster, type TestCluster } from "./cluster.ts";
import { installDefinitions } from "./definitions.ts";
import { eventually } from "./eventually.ts";
import { findTestMover } from "./movers.ts";
import { failOnUnhandled } from "./unhandled.ts";

const actionSets = resourceOf(kinds.ActionSet);
const blueprints = resourceOf(kinds.Blueprint);
/** The image of every test pod: busybox with both movers on a real cluster, ignored on the embedded one. */
export const image = "docker.io/local/tools:1";

type Actions = NonNullable<Blueprint["actions"]>;
type ActionSpec = NonNullable<NonNullable<ActionSet["spec"]>["actions"]>[number];
export type Status = NonNullable<ActionSet["status"]>;

/** A type of the core group or of another one. */
export function type(plural: string, kind: string, group = "", namespaced = true): Resource {
  return { group, version: "v1", plural, kind, namespaced };
}

const volumes = type("persistentvolumes", "PersistentVolume", "", false);

/** A cluster that runs pods, with our kinds, and operators on demand. */
export class ActionStage {
  readonly cluster: TestCluster;
  readonly client: Client;
  readonly folder: string;
  readonly #stops: (() => Promise<void>)[] = [];

  private constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.client = cluster.client;
    this.folder = mkdtempSync(join(tmpdir(), "action-stage-"));
    mkdirSync(join(this.folder, "temp"));
  }

  /** Opens one; programs in `first` come before all others in pods of the embedded cluster. */
  static async open({ first }: { readonly first?: string } = {}): Promise<ActionStage> {
    // Pods of the embedded cluster find the movers where the tests do.
    for (const kind of ["kopia", "restic"] as const) {
      const found = findTestMover(kind);
      const path = process.env["PATH"] ?? "";
      if ("program" in found && !path.split(":").includes(dirname(found.program))) {
        process.env["PATH"] = `${dirname(found.program)}:${path}`;
      }
    }
    const path = process.env["PATH"] ?? "";
    if (first !== undefined) process.env["PATH"] = `${first}:${path}`;
    const stage = new ActionStage(await openCluster({ node: true }));
    process.env["PATH"] = path;
    await installDefinitions(stage.client);
    return stage;
  }

  get namespace(): string {
    return this.cluster.namespace;
  }

  /** Starts an operator in this process; the returned function ends it. */
  operator(
    actions: OperatorOptions["actions"] = {},
    more: Partial<OperatorOptions> = {},
  ): () => Promise<void> {
    const stop = new AbortController();
    const done = startOperator(
      {
        client: this.client,
        namespace: this.namespace,
        controllers: ["actionset"],
        tempDir: join(this.folder, "temp"),
        log: () => undefined,
        actions: { toolsImage: image, ...actions },
        ...more,
      },
      stop.signal,
    );
    const end = async () => {
      stop.abort();
      await done;
    };
    this.#stops.push(end);
    return end;
  }

  /** Starts an operator as a process of its own, to be killed. */
  process(kubeconfig = this.cluster.kubeconfig): ChildProcess {
    const headway = join(import.meta.dirname, "../../bin/headway.js");
    const args = ["operator", "--kubeconfig", kubeconfig, "--namespace", this.namespace];
    const only = ["--controllers", "actionset", "--no-leader-election", "--no-serve"];
    const child = spawn(
      process.execPath,
      [headway, ...args, ...only, "--temp-dir", join(this.folder, "temp")],
      {
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...process.env, KANISTER_TOOLS: image },
      },
    );
    failOnUnhandled(child.stderr);
    return child;
  }

  async blueprint(name: string, actions: Actions): Promise<void> {
    const metadata = { name, namespace: this.namespace };
    await this.client.create(blueprints, {
      apiVersion: "cr.kanister.io/v1alpha1",
      kind: "Blueprint",
      metadata,
      actions,
    });
  }

  /** An ActionSet whose actions are for the stage's own namespace unless they say otherwise. */
  set(name: string, ...actions: readonly Partial<ActionSpec>[]): Promise<ActionSet> {
    const object = { kind: "Namespace", name: this.namespace, namespace: this.namespace };
    return this.client.create<ActionSet>(actionSets, {
      apiVersion: "cr.kanister.io/v1alpha1",
      kind: "ActionSet",
      metadata: { name, namespace: this.namespace },
      spec: { actions: actions.map((action) => ({ object, ...action })) },
    });
  }

  /** A blueprint with one action of these phases, and an ActionSet that runs it. */
  async run(name: string, action: Actions[string], more: Partial<ActionSpec> = {}): Promise<ActionSet> {
    await this.blueprint(name, { run: action });
    return this.set(name, { name: "run", blueprint: name, ...more });
  }

  async status(name: string): Promise<Status> {
    const set = await this.client.get<ActionSet>(actionSets, name, { namespace: this.namespace });
    return set.status ?? {};
  }

  /** Waits until an ActionSet is so. */
  until(name: string, holds: (status: Status) => boolean, limitMs = 90_000): Promise<Status> {
    return eventually(() => this.status(name), holds, limitMs);
  }

  /** Waits for an ActionSet's end. */
  ended(name: string, limitMs?: number): Promise<Status> {
    return this.until(name, ({ state }) => state === "complete" || state === "failed", limitMs);
  }

  /** Every status of an ActionSet that the cluster stored, to its end. */
  async history(name: string, limitMs = 90_000): Promise<Status[]> {
    const seen: Status[] = [];
    const signal = AbortSignal.timeout(limitMs);
    let resourceVersion: string | undefined;
    const query = { namespace: this.namespace, fieldSelector: `metadata.name=${name}` };
    for (;;) {
      const now = await this.client.get<ActionSet>(actionSets, name, { namespace: this.namespace }, signal);
      if (isEnd(now)) return [...seen, now.status ?? {}];
      resourceVersion = now.metadata.resourceVersion;
      if (now.status) seen.push(now.status);
      for await (const event of this.client.watch<ActionSet>(
        actionSets,
        { ...query, resourceVersion },
        signal,
      )) {
        if (event.type !== "MODIFIED") continue;
        seen.push(event.object.status ?? {});
        if (isEnd(event.object)) return seen;
      }
    }
  }

  async delete(name: string): Promise<void> {
    await this.client.delete(actionSets, name, { namespace: this.namespace });
  }

  /** The pods that actions have made and not deleted. */
  async pods(): Promise<KubeObject[]> {
    const query = { namespace: this.namespace, labelSelector: "createdBy=kanister" };
    const all = await this.client.list<KubeObject>(type("pods", "Pod"), query);
    return all.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** A Deployment or StatefulSet whose pods do nothing, with a claim if asked for; waits until they are ready. */
  async workload(
    kind: "Deployment" | "StatefulSet",
    name: string,
    more: { replicas?: number; claim?: string; envFrom?: string } = {},
  ) {
    const { replicas = 1, claim, envFrom } = more;
    const labels = { app: name };
    if (claim !== undefined) await this.claim(claim);
    const resource = type(kind === "Deployment" ? "deployments" : "statefulsets", kind, "apps");
    await this.client.create(resource, {
      apiVersion: "apps/v1",
      kind,
      metadata: { name, namespace: this.namespace },
      spec: {
        replicas,
        ...(kind === "StatefulSet" && { serviceName: name }),
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            terminationGracePeriodSeconds: 0,
            containers: [
              {
                name: "main",
                image,
                imagePullPolicy: "IfNotPresent",
                command: ["sh", "-c", "while :; do sleep 3600; done"],
                ...(envFrom !== undefined && { envFrom: [{ configMapRef: { name: envFrom } }] }),
                ...(claim !== undefined && { volumeMounts: [{ name: "data", mountPath: "/data" }] }),
              },
            ],
            ...(claim !== undefined && {
              volumes: [{ name: "data", persistentVolumeClaim: { claimName: claim } }],
            }),
          },
        },
      },
    });
    await eventually(
      () =>
        this.client.get<KubeObject & { status?: { readyReplicas?: number } }>(resource, name, {
          namespace: this.namespace,
        }),
      ({ status }) => (status?.readyReplicas ?? 0) === replicas,
      90_000,
    );
  }

  /** A claim; the real cluster has nobody who makes volumes, so its volume is a folder of this machine. */
  async claim(name: string): Promise<void> {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "100Mi" } } };
    const volumeName = `${name}-${this.namespace}`;
    const isReal = this.cluster.kind === "real";
    if (isReal) {
      const path = join(this.folder, "volumes", name);
      mkdirSync(path, { recursive: true });
      await this.client.create(volumes, {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name: volumeName },
        spec: {
          accessModes: spec.accessModes,
          capacity: spec.resources.requests,
          hostPath: { path },
          claimRef: { namespace: this.namespace, name },
          storageClassName: "",
        },
      });
      this.#stops.push(async () => void (await this.client.delete(volumes, volumeName)));
    }
    await this.client.create(type("persistentvolumeclaims", "PersistentVolumeClaim"), {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, namespace: this.namespace },
      spec: { ...spec, ...(isReal && { storageClassName: "", volumeName }) },
    });
  }

  /** Runs a command in a pod and returns what it printed. */
  async exec(pod: string, ...command: string[]): Promise<string> {
    let out = "";
    let err = "";
    const { exitCode } = await this.client.exec(type("pods", "Pod"), pod, {
      namespace: this.namespace,
      command,
      onStdout: (chunk) => void (out += chunk.toString()),
      onStderr: (chunk) => void (err += chunk.toString()),
    });
    if (exitCode !== 0) throw new Error(`${command.join(" ")} exited with ${exitCode}: ${out}${err}`);
    return out;
  }

  /** The pods of a workload, by name. */
  async podsOf(app: string): Promise<string[]> {
    const query = { namespace: this.namespace, labelSelector: `app=${app}` };
    const all = await this.client.list<KubeObject>(type("pods", "Pod"), query);
    return all
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name);
  }

  async exists(resource: Resource, name: string): Promise<boolean> {
    try {
      await this.client.get(resource, name, { namespace: this.namespace });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.cluster.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A phase that runs a shell script in a pod. */
export function task(name: string, script: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    func: "KubeTask",
    name,
    args: { namespace: "{{ .Namespace.Name }}", image, command: ["sh", "-c", script], ...more },
  };
}

function isEnd({ status }: ActionSet): boolean {
  return status?.state === "complete" || status?.state === "failed";
}
