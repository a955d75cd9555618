import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { allKinds, type Backup, crdOf, type KubeObject, kinds, type Restore } from "../../src/api/index.ts";
import { builtIn, type Client, isAlreadyExists, type Resource, resourceOf } from "../../src/kube/index.ts";
import { type OperatorOptions, startOperator } from "../../src/operator/index.ts";
import { accountReady } from "./account.ts";
import { openCluster, type TestCluster } from "./cluster.ts";
import { eventually } from "./eventually.ts";
import { failOnUnhandled } from "./unhandled.ts";

const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);
const restores = resourceOf(kinds.Restore);
const { definitions } = builtIn;

/** A type of the core group. */
export function core(plural: string, kind: string, namespaced = true): Resource {
  return { group: "", version: "v1", plural, kind, namespaced };
}

/** How a stage is opened. */
interface StageOptions {
  readonly another?: boolean;
  /** Whether the storage of an embedded cluster takes snapshots. */
  readonly snapshots?: boolean;
}

/** A cluster with our kinds, a folder as storage location, and operators on demand. */
export class BackupStage {
  readonly cluster: TestCluster;
  readonly client: Client;
  readonly folder: string;
  readonly #apps: string[] = [];
  readonly #stops: (() => Promise<void>)[] = [];

  private constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.client = cluster.client;
    this.folder = mkdtempSync(join(tmpdir(), "backup-stage-"));
    mkdirSync(join(this.folder, "temp"));
    // Some operators of tests check no locations, so that nobody else would make the bucket.
    mkdirSync(join(this.folder, "b"));
  }

  /** Opens a stage; `another` is on a cluster of its own. */
  static async open({ snapshots = false, ...options }: StageOptions = {}): Promise<BackupStage> {
    const stage = new BackupStage(await openCluster({ node: false, snapshots }, options));
    for (const kind of allKinds.filter(({ group }) => group === "velero.io")) {
      await stage.client.create(definitions, crdOf(kind)).catch(tolerate);
    }
    await eventually(
      () => stage.client.discover(),
      ({ resources }) => resources.some(({ plural, group }) => plural === "backups" && group === "velero.io"),
    );
    await stage.location("default", stage.namespace, { default: true });
    return stage;
  }

  get namespace(): string {
    return this.cluster.namespace;
  }

  /** Adds a location; all of them are the same folder. */
  async location(name: string, namespace: string, spec: object = {}): Promise<void> {
    await this.client.create(locations, {
      apiVersion: "velero.io/v1",
      kind: "BackupStorageLocation",
      metadata: { name, namespace },
      spec: {
        provider: "filesystem",
        objectStorage: { bucket: "b" },
        config: { path: this.folder },
        ...spec,
      },
    });
  }

  /** A namespace of a test, deleted with the stage. */
  async app(name: string, labels: Record<string, string> = {}): Promise<string> {
    const full = `${name}-${this.namespace.slice(-8)}`;
    await this.client.create(core("namespaces", "Namespace", false), {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: full, labels },
    });
    this.#apps.push(full);
    await accountReady(this.client, full);
    return full;
  }

  /** Deletes a namespace that something else made, with the stage. */
  async drop(namespace: string): Promise<void> {
    await this.client.delete(core("namespaces", "Namespace", false), namespace);
  }

  async configMaps(namespace: string, count: number, bytes = 100): Promise<void> {
    let next = 0;
    const work = async () => {
      for (let i = next++; i < count; i = next++) {
        const metadata = { name: `cm-${i}`, namespace };
        await this.client.create(core("configmaps", "ConfigMap"), {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata,
          data: { text: "x".repeat(bytes) },
        });
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
  }

  /** Starts an operator in this process; the returned function ends it. */
  operator(
    namespace = this.namespace,
    controllers?: readonly string[],
    more: Partial<OperatorOptions> = {},
  ): () => Promise<void> {
    const stop = new AbortController();
    const done = startOperator(
      {
        client: this.client,
        namespace,
        controllers,
        tempDir: join(this.folder, "temp"),
        downloads: { listen: "127.0.0.1:0" },
        log: () => undefined,
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
  process(controllers = "backup", more: readonly string[] = []): ChildProcess {
    const headway = join(import.meta.dirname, "../../bin/headway.js");
    const args = ["operator", "--kubeconfig", this.cluster.kubeconfig, "--namespace", this.namespace];
    const only = ["--controllers", controllers, "--no-leader-election"];
    const where = ["--temp-dir", join(this.folder, "temp")];
    const child = spawn(process.execPath, [headway, ...args, ...only, ...where, ...more], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    failOnUnhandled(child.stderr);
    return child;
  }

  create(name: string, spec: object, annotations: Record<string, string> = {}): Promise<Backup> {
    const metadata = { name, namespace: this.namespace, annotations };
    return this.client.create<Backup>(backups, {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata,
      spec,
    });
  }

  get(name: string, namespace = this.namespace): Promise<Backup> {
    return this.client.get<Backup>(backups, name, { namespace });
  }

  /** Waits for a backup's end. */
  ended(name: string, limitMs?: number): Promise<Backup> {
    return eventually(
      () => this.get(name),
      ({ status }) => /^(Completed|PartiallyFailed|Failed|FailedValidation)$/.test(status?.phase ?? ""),
      limitMs,
    );
  }

  /** Files that are stored for a backup; none when there is no folder. */
  files(name: string): string[] {
    const path = join(this.folder, "b/backups", name);
    return existsSync(path) ? readdirSync(path).toSorted() : [];
  }

  /** Those that upstream writes as well; what the run taught comes a moment after its end. */
  upstreamFiles(name: string): string[] {
    return this.files(name).filter((file) => file !== `${name}-headway-history.json.gz`);
  }

  read(name: string, file: string): Buffer {
    return readFileSync(join(this.folder, "b/backups", name, file));
  }

  json(name: string, file: string): unknown {
    const bytes = this.read(name, file);
    return JSON.parse((file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString());
  }

  /** Restores wait for an operator that is gone by now; their namespace would wait for them. */
  async #release(namespace: string): Promise<void> {
    const body = { metadata: { finalizers: null } };
    for (const { metadata } of await this.client.list<Restore>(restores, { namespace }))
      await this.client.patch(restores, metadata.name, { type: "merge", body }, { namespace });
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) await stop();
    if (this.cluster.kind === "real") {
      for (const namespace of [this.namespace, ...this.#apps]) await this.#release(namespace);
      for (const name of this.#apps) await this.client.delete(core("namespaces", "Namespace", false), name);
    }
    await this.cluster.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The names of the entries of a backup's tarball. */
export function tarNames(gzipped: Buffer): string[] {
  const tar = gunzipSync(gzipped);
  const names: string[] = [];
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const text = (from: number, to: number) =>
      tar.toString("latin1", at + from, at + to).replace(/\0.*$/, "");
    names.push([text(345, 500), text(0, 100)].filter(Boolean).join("/"));
    at += 512 + Math.ceil(Number.parseInt(text(124, 135), 8) / 512) * 512;
  }
  return names;
}

/** Follows one object and remembers each state of it. */
export async function* follow<T extends KubeObject>(
  client: Client,
  resource: Resource,
  object: T,
  signal: AbortSignal,
) {
  const { name, namespace } = object.metadata;
  let resourceVersion = object.metadata.resourceVersion;
  while (!signal.aborted) {
    const query = { namespace, fieldSelector: `metadata.name=${name}`, resourceVersion };
    for await (const event of client.watch<T>(resource, query, signal)) {
      resourceVersion = event.resourceVersion;
      if (event.type === "MODIFIED") yield event.object;
    }
  }
}

function tolerate(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
