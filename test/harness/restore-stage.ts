import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  type Client,
  connectTo,
  type Resource,
  resourceOf,
  StatusWriter,
  systemClock,
} from "../../src/kube/index.ts";
import { startPlane } from "../../src/plane/index.ts";
import type { Observation } from "../../src/progress/index.ts";
import { backupKey, MemoryStore } from "../../src/store/index.ts";
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
const terminal = ["Completed", "PartiallyFailed", "Failed", "FailedValidation"];

/** A core type by its plural and kind. */
export function core(plural: string, kind: string, namespaced = true): Resource {
  return { group: "", version: "v1", plural, kind, namespaced };
}

/** An embedded cluster with our definitions, a store in memory, and restores on demand. */
export class RestoreStage {
  readonly client: Client;
  readonly store = new MemoryStore();
  readonly #close: () => Promise<void>;

  private constructor(client: Client, close: () => Promise<void>) {
    this.client = client;
    this.#close = close;
  }

  static async open(): Promise<RestoreStage> {
    const stateDir = await mkdtemp(join(tmpdir(), "restore-stage-"));
    const plane = await startPlane({ stateDir, node: false });
    const client = connectTo({ server: plane.url, token: plane.token, ca: plane.ca });
    const stage = new RestoreStage(client, async () => {
      client.close();
      await plane.close();
      await rm(stateDir, { recursive: true });
    });
    await stage.#prepare();
    return stage;
  }

  async close(): Promise<void> {
    await this.#close();
  }

  async #prepare(): Promise<void> {
    const definitions: Resource = {
      group: "apiextensions.k8s.io",
      version: "v1",
      plural: "customresourcedefinitions",
      kind: "CustomResourceDefinition",
      namespaced: false,
    };
    for (const kind of allKinds.filter(({ group }) => group === "velero.io")) {
      await this.client.create(definitions, crdOf(kind));
    }
    await this.create(core("namespaces", "Namespace", false), {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "velero" },
    });
    await until(async () => {
      const { resources } = await this.client.discover();
      return resources.some(({ plural }) => plural === "restores");
    });
    await this.create(resourceOf(kinds.BackupStorageLocation), {
      apiVersion: "velero.io/v1",
      kind: "BackupStorageLocation",
      metadata: { name: "default", namespace: "velero" },
      spec: { provider: "test", objectStorage: { bucket: "b" } },
      status: { phase: "Available" },
    });
  }

  async create(resource: Resource, thing: Thing): Promise<Thing> {
    return this.client.create<Thing>(resource, thing);
  }

  /** Stores an archive under a name and registers it as a completed backup. */
  async backup(name: string, archive: Uint8Array, status: object = { phase: "Completed" }): Promise<void> {
    await this.store.put(backupKey(name, "contents"), archive);
    await this.create(resourceOf(kinds.Backup), {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name, namespace: "velero" },
      spec: { storageLocation: "default" },
      status,
    });
  }

  async request(name: string, spec: object, annotations?: Readonly<Record<string, string>>): Promise<Thing> {
    return this.create(restores, {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name, namespace: "velero", ...(annotations && { annotations }) },
      spec,
    });
  }

  getRestore(name: string): Promise<Restore> {
    return this.client.get<Restore>(restores, name, { namespace: "velero" });
  }

  /** Runs the controller until a restore has ended, with whatever the test changes about it. */
  async run(name: string, change: Partial<RestoreDeps> = {}): Promise<Restore> {
    const stop = new AbortController();
    const seen: Observation[] = [];
    const { done } = this.start(stop.signal, { report: (one) => void seen.push(one), ...change });
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
  ): { readonly done: Promise<void>; readonly status: StatusWriter } {
    const status = new StatusWriter({ client: this.client });
    const deps: RestoreDeps = {
      client: this.client,
      namespace: "velero",
      clock: systemClock,
      log: () => undefined,
      status,
      report: () => undefined,
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
