import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { startPlane } from "../../packages/plane/index.ts";
import {
  type ArchiveEntry,
  allKinds,
  archiveEntryName,
  crdOf,
  kinds,
  type Restore,
} from "../../src/api/index.ts";
import { type RestoreDeps, startRestoreController } from "../../src/engines/restore/index.ts";
import {
  type Access,
  builtIn,
  Cache,
  type Client,
  connect,
  connectTo,
  findAccess,
  isAlreadyExists,
  type Resource,
  resourceOf,
  StatusWriter,
  systemClock,
} from "../../src/kube/index.ts";
import type { Observation, Operation } from "../../src/progress/index.ts";
import {
  type BackupFile,
  backupKey,
  MemoryStore,
  type RestoreFile,
  restoreKey,
  type Store,
} from "../../src/store/index.ts";
import { reporterOf } from "./reporter.ts";
import { pax, type TarEntry, tarGz } from "./tar.ts";

/** Any object of the cluster in a test. */
export interface Thing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

const restores = resourceOf(kinds.Restore);
const namespaces = core("namespaces", "Namespace", false);
const { definitions } = builtIn;
const terminal = ["Completed", "PartiallyFailed", "Failed", "FailedValidation"];

/** A core type by its plural and kind. */
export function core(plural: string, kind: string, namespaced = true): Resource {
  return { group: "", version: "v1", plural, kind, namespaced };
}

/** A cluster with our definitions, a store in memory, and restores on demand: KUBECONFIG's in the cluster tier, else the embedded one. */
export class RestoreStage {
  readonly client: Client;
  readonly store = new MemoryStore();
  /** The server's namespace, of this stage alone. */
  readonly namespace: string;
  /** Set apart the names of two stages on one cluster. */
  readonly id = crypto.randomUUID().slice(0, 6);
  /** Where a location of provider filesystem can put its files. */
  readonly folder: string;
  /** The embedded cluster's; the real one is named by KUBECONFIG. */
  readonly #kubeconfig: string | undefined;
  readonly #close: () => Promise<void>;

  private constructor(
    client: Client,
    folder: string,
    kubeconfig: string | undefined,
    close: () => Promise<void>,
  ) {
    this.client = client;
    this.folder = folder;
    this.#kubeconfig = kubeconfig;
    this.namespace = `velero-${this.id}`;
    this.#close = close;
  }

  static async open(): Promise<RestoreStage> {
    const folder = await mkdtemp(join(tmpdir(), "restore-stage-"));
    await mkdir(join(folder, "bucket"));
    const real = process.env["HEADWAY_TEST_CLUSTER"] === "1";
    const plane = real ? undefined : await startPlane({ stateDir: join(folder, "plane"), node: false });
    const client = plane
      ? connectTo({ server: plane.url, token: plane.token, ca: plane.ca })
      : await connect();
    const stage = new RestoreStage(client, folder, plane?.kubeconfig(), async () => {
      client.close();
      await plane?.close();
      await rm(folder, { recursive: true });
    });
    await stage.#prepare();
    return stage;
  }

  /** Ends the stage; on a cluster that stays, its namespaces go. */
  async close(): Promise<void> {
    for (const namespace of await this.client.list<Thing>(namespaces)) {
      if (namespace.metadata.name.includes(this.id))
        await this.client.delete(namespaces, namespace.metadata.name);
    }
    await this.#close();
  }

  /** A kubeconfig file for another process. */
  async kubeconfig(): Promise<string> {
    if (this.#kubeconfig === undefined) return process.env["KUBECONFIG"] ?? "";
    const file = join(this.folder, "kubeconfig");
    await writeFile(file, this.#kubeconfig);
    return file;
  }

  /** How the cluster is reached, for what stands in between. */
  async access(): Promise<Access> {
    return findAccess({ kubeconfig: await this.kubeconfig() });
  }

  /** Stores a list beside the archive of a backup. */
  async side(backup: string, file: BackupFile, list: readonly unknown[]): Promise<void> {
    await this.store.put(backupKey(backup, file), gzipSync(JSON.stringify(list)));
  }

  /** A JSON file that a restore left in the store. */
  async stored(restore: string, file: RestoreFile): Promise<unknown> {
    const chunks = await Array.fromAsync(await this.store.get(restoreKey(restore, file)));
    return JSON.parse(gunzipSync(Buffer.concat(chunks)).toString());
  }

  /** A name that no other stage uses. */
  named(name: string): string {
    return `${name}-${this.id}`;
  }

  async #prepare(): Promise<void> {
    for (const kind of allKinds.filter(({ group }) => group === "velero.io")) {
      await this.client.create(definitions, crdOf(kind)).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    await this.create(namespaces, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: this.namespace },
    });
    await until(async () => {
      const { resources } = await this.client.discover();
      return resources.some(({ plural }) => plural === "restores");
    });
    await this.create(resourceOf(kinds.BackupStorageLocation), {
      apiVersion: "velero.io/v1",
      kind: "BackupStorageLocation",
      metadata: { name: "default", namespace: this.namespace },
      spec: { provider: "filesystem", objectStorage: { bucket: "bucket" }, config: { path: this.folder } },
      status: { phase: "Available" },
    });
  }

  async create(resource: Resource, thing: Thing): Promise<Thing> {
    return this.client.create<Thing>(resource, thing);
  }

  /** Stores an archive under a name and registers it as a completed backup. */
  async backup(
    name: string,
    archive: Uint8Array,
    status: object = { phase: "Completed" },
    store: Store = this.store,
  ): Promise<void> {
    await store.put(backupKey(name, "contents"), archive);
    await this.create(resourceOf(kinds.Backup), {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name, namespace: this.namespace },
      spec: { storageLocation: "default" },
      status,
    });
  }

  async request(name: string, spec: object, annotations?: Readonly<Record<string, string>>): Promise<Thing> {
    return this.create(restores, {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name, namespace: this.namespace, ...(annotations && { annotations }) },
      spec,
    });
  }

  getRestore(name: string): Promise<Restore> {
    return this.client.get<Restore>(restores, name, { namespace: this.namespace });
  }

  /** Runs the controller until a restore has ended, with whatever the test changes about it. */
  async run(name: string, change: Partial<RestoreDeps> = {}): Promise<Restore> {
    const stop = new AbortController();
    const { done } = this.start(stop.signal, change);
    try {
      await until(async () => terminal.includes((await this.getRestore(name)).status?.phase ?? ""));
    } finally {
      stop.abort();
      await done;
    }
    return this.getRestore(name);
  }

  /** Starts a controller; it ends with the signal. */
  start(
    signal: AbortSignal,
    change: Partial<RestoreDeps> = {},
    seen?: (observation: Observation, operation: Operation) => void,
  ): { readonly done: Promise<void>; readonly status: StatusWriter } {
    const status = new StatusWriter({ client: this.client });
    const deps: RestoreDeps = {
      client: this.client,
      cache: new Cache({ client: change.client ?? this.client }),
      namespace: this.namespace,
      clock: systemClock,
      log: () => undefined,
      report: reporterOf(status, seen),
      openStore: async () => this.store,
      ...change,
    };
    const done = startRestoreController(deps, signal).finally(() => status.close());
    return { done, status };
  }
}

/** An archive of these things, as a backup would have written it. */
export function archiveOf(things: readonly { readonly type: string; readonly thing: Thing }[]): Buffer {
  const files = things.flatMap(({ type, thing }): TarEntry[] => {
    const [resource = "", ...group] = type.split(".");
    const { name, namespace } = thing.metadata;
    const entry: ArchiveEntry = {
      group: group.join("."),
      resource,
      preferred: true,
      name,
      ...(namespace !== undefined && { namespace }),
    };
    return file(archiveEntryName(entry), JSON.stringify(thing));
  });
  return tarGz([{ name: "metadata/version", body: "1.1.0\n" }, ...files]);
}

/** A file of an archive; a long name takes an extra header. */
export function file(name: string, body: string): TarEntry[] {
  if (Buffer.byteLength(name) <= 100) return [{ name, body }];
  return [
    { name: "long", type: "x", body: pax("path", name) },
    { name: "long", body },
  ];
}

/** Waits for a condition, generously: a loaded machine is slow, not wrong. */
export async function until(holds: () => Promise<boolean>, limitMs = 50_000): Promise<void> {
  const end = Date.now() + limitMs;
  for (;;) {
    if (await holds()) return;
    if (Date.now() > end) throw new Error("the condition never held");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
