import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPlane } from "../../packages/plane/index.ts";
import { startAgent } from "../../src/agent/index.ts";
import { type Backup, type Drill, type KubeObject, kinds } from "../../src/api/index.ts";
import { moverFinder, resources, type Uploader } from "../../src/engines/podvolume/index.ts";
import {
  builtIn,
  type Client,
  connectTo,
  isNotFound,
  resourceOf,
  systemClock,
} from "../../src/kube/index.ts";
import { startOperator } from "../../src/operator/index.ts";
import { eventually } from "./eventually.ts";
import { testMoverFolders } from "./movers.ts";
import { agentShows } from "./node-world.ts";
import { ensureNamespace, prepareServer, testMovement } from "./volume-world.ts";

/** One write of the operator, as it asked for it. */
export interface Write {
  readonly verb: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** What a test application is made of beside its pod. */
interface AppExtras {
  readonly command?: readonly string[];
  readonly image?: string;
  readonly container?: object;
}

const drills = resourceOf(kinds.Drill);
const { namespaces } = builtIn;
/** The controllers that a drill needs. */
export const drillControllers = ["location", "backup", "restore", "backup-repo", "drill"];

/** The embedded cluster with a node, an agent in this process, and an operator whose writes are written down. */
export class DrillWorld {
  readonly client: Client;
  readonly namespace: string;
  readonly folder: string;
  readonly kubeconfig: string;
  readonly writes: Write[] = [];
  readonly log: string[] = [];
  readonly #plane: Awaited<ReturnType<typeof startPlane>>;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>[] = [];

  private constructor(plane: Awaited<ReturnType<typeof startPlane>>, folder: string) {
    this.#plane = plane;
    this.folder = folder;
    this.client = connectTo({ server: plane.url, token: plane.token, ca: plane.ca });
    this.namespace = "velero";
    this.kubeconfig = join(folder, "kubeconfig");
    writeFileSync(this.kubeconfig, plane.kubeconfig());
  }

  /** Opens the world; without `operator` the test runs one as a process of its own. */
  static async open({
    operator = true,
    uploader = "restic",
  }: {
    operator?: boolean;
    uploader?: Uploader;
  } = {}): Promise<DrillWorld> {
    const folder = mkdtempSync(join(tmpdir(), "drill-world-"));
    const plane = await startPlane({ stateDir: join(folder, "plane") });
    const world = new DrillWorld(plane, folder);
    mkdirSync(join(folder, "store"));
    await prepareServer(world.client, world.namespace, join(folder, "store"));
    await world.#agent();
    if (operator) world.#operator(uploader);
    return world;
  }

  get bucket(): string {
    return join(this.folder, "store", "b");
  }

  async #agent(): Promise<void> {
    const { node } = this.#plane;
    if (!node) throw new Error("the embedded cluster has no node");
    const owner = `test:${this.folder}`;
    const mover = moverFinder({ scratch: join(this.folder, "agent"), owner, folders: testMoverFolders() });
    const options = {
      client: this.client,
      namespace: this.namespace,
      node: node.name,
      hostPods: node.podsDir,
      concurrency: 2,
      mover,
      owner,
      clock: systemClock,
      log: this.#say,
      movement: testMovement,
    };
    this.#running.push(startAgent(options, this.#stop.signal));
    await agentShows({ client: this.client, namespace: this.namespace, node: node.name });
  }

  #operator(uploader: Uploader): void {
    this.#running.push(
      startOperator(
        {
          client: recorded(this.client, this.writes),
          namespace: this.namespace,
          log: this.#say,
          tempDir: this.folder,
          controllers: drillControllers,
          volumes: { uploader, helperImage: "none", moverFolders: testMoverFolders() },
        },
        this.#stop.signal,
      ),
    );
  }

  readonly #say = (level: string, message: string, fields?: Readonly<Record<string, unknown>>): void => {
    const { error } = fields ?? {};
    if (level !== "info")
      this.log.push(`${level}: ${message} ${error instanceof Error ? error.message : ""}`);
  };

  /** An application: a pod with a volume of its own, a settings map, and things that reach out of the namespace. */
  async app(
    namespace: string,
    data: string,
    { command, image = "none", container = {} }: AppExtras = {},
  ): Promise<void> {
    const { client } = this;
    await ensureNamespace(client, namespace);
    const meta = (name: string) => ({ name, namespace, labels: { app: name } });
    const make = (plural: string, kind: string, group: string, object: object) =>
      client.create(
        { group, version: "v1", plural, kind, namespaced: true },
        { apiVersion: group === "" ? "v1" : `${group}/v1`, kind, ...object },
      );
    await make("configmaps", "ConfigMap", "", { metadata: meta("settings"), data: { theme: "winter" } });
    await make("services", "Service", "", {
      metadata: {
        ...meta("web"),
        annotations: { "external-dns.alpha.kubernetes.io/hostname": "shop.example.com" },
      },
      spec: { type: "LoadBalancer", selector: { app: "web" }, ports: [{ port: 80 }] },
    });
    await make("ingresses", "Ingress", "networking.k8s.io", {
      metadata: meta("web"),
      spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } },
    });
    await make("cronjobs", "CronJob", "batch", {
      metadata: meta("nightly"),
      spec: {
        schedule: "0 3 * * *",
        jobTemplate: {
          spec: {
            template: {
              spec: { restartPolicy: "Never", containers: [{ name: "c", image: "none", command: ["true"] }] },
            },
          },
        },
      },
    });
    const fill = `[ -e /data/complete ] || { printf %s '${data}' > /data/words; head -c 300000 /dev/urandom > /data/noise; touch /data/complete; }; sleep 100000`;
    await client.create(builtIn.pods, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...meta("web"), annotations: { "backup.velero.io/backup-volumes": "data" } },
      spec: {
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
        containers: [
          {
            name: "c",
            image,
            command: command ?? ["sh", "-c", fill],
            volumeMounts: [{ name: "data", mountPath: "/data" }],
            ...container,
          },
        ],
        volumes: [{ name: "data", emptyDir: {} }],
      },
    });
  }

  /** Waits until the pod has written its data. */
  async filled(namespace: string): Promise<void> {
    await eventually(
      async () => {
        const options = { namespace, container: "c", command: ["sh", "-c", "test -e /data/complete"] };
        return (await this.client.exec(builtIn.pods, "web", options).catch(() => undefined))?.exitCode; // not running yet
      },
      (code) => code === 0,
      120_000,
    );
  }

  /** Makes a backup and waits for its good end. */
  async backup(name: string, includedNamespaces: readonly string[]): Promise<Backup> {
    const { client, namespace } = this;
    await client.create(resources.backups, {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name, namespace },
      spec: { includedNamespaces },
    });
    const ended = await eventually(
      () => client.get<Backup>(resources.backups, name, { namespace }),
      ({ status }) => /^(Completed|PartiallyFailed|Failed.*)$/.test(status?.phase ?? ""),
      180_000,
    );
    if (ended.status?.phase !== "Completed") throw new Error(`the backup is ${JSON.stringify(ended.status)}`);
    return ended;
  }

  drill(name: string, spec: NonNullable<Drill["spec"]>): Promise<Drill> {
    const metadata = { name, namespace: this.namespace };
    return this.client.create<Drill>(drills, {
      apiVersion: "headway.dev/v1alpha1",
      kind: "Drill",
      metadata,
      spec,
    });
  }

  /** Waits for the end of a drill. */
  ended(name: string): Promise<Drill> {
    return eventually(
      () => this.client.get<Drill>(drills, name, { namespace: this.namespace }),
      ({ status }) => /^(Completed|Canceled|Failed.*)$/.test(status?.phase ?? ""),
      170_000,
    );
  }

  async getDrill(name: string): Promise<Drill | undefined> {
    return this.client.get<Drill>(drills, name, { namespace: this.namespace }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });
  }

  async deleteDrill(name: string): Promise<void> {
    await this.client.delete(drills, name, { namespace: this.namespace });
  }

  /** Everything of drills that is left in the cluster, beside the drills themselves. */
  async leftovers(): Promise<readonly string[]> {
    const { client, namespace } = this;
    const found: string[] = [];
    const add = (all: readonly KubeObject[], kind: string) =>
      found.push(...all.map(({ metadata }) => `${kind} ${metadata.name}`));
    add(
      (await client.list(namespaces)).filter(({ metadata }) => /-drill-[a-z0-5]{5}$/.test(metadata.name)),
      "namespace",
    );
    add(await client.list(resources.restores, { namespace }), "restore");
    add(await client.list(resources.podVolumeRestores, { namespace }), "podvolumerestore");
    const maps = await client.list(builtIn.configMaps, { namespace });
    add(
      maps.filter(({ metadata }) => /-drill-[a-z0-5]{5}$/.test(metadata.name)),
      "configmap",
    );
    const volumes = await client.list<KubeObject & { spec?: { claimRef?: { namespace?: string } } }>(
      builtIn.volumes,
    );
    add(
      volumes.filter(({ spec }) => /-drill-[a-z0-5]{5}$/.test(spec?.claimRef?.namespace ?? "")),
      "volume",
    );
    return found;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    this.client.close();
    await this.#plane.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const verbs = new Set(["create", "replace", "patch", "delete", "deleteAll"]);

/** The same client; what it is asked to write is written down first. */
function recorded(client: Client, writes: Write[]): Client {
  return new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const bound = value.bind(target) as (...given: readonly unknown[]) => unknown; // a method of the client
      if (typeof key !== "string" || !verbs.has(key)) return bound;
      return (...given: readonly unknown[]) => {
        writes.push(writeOf(key, given));
        return bound(...given);
      };
    },
  });
}

/** `create` and `replace` are given the object, the others a name or a query. */
function writeOf(verb: string, given: readonly unknown[]): Write {
  const { plural } = given[0] as { plural: string };
  const options = (given.at(verb === "patch" ? 3 : 2) ?? {}) as { namespace?: string };
  if (verb === "create" || verb === "replace") {
    const { metadata } = given[1] as KubeObject;
    return { verb, plural, namespace: options.namespace ?? metadata.namespace, name: metadata.name };
  }
  if (verb === "deleteAll") {
    return { verb, plural, namespace: (given[1] as { namespace?: string }).namespace, name: undefined };
  }
  return { verb, plural, namespace: options.namespace, name: given[1] as string };
}
