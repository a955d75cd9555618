import type { KubeObject } from "../api/index.ts";
import { type Access, type AccessOptions, type DirectAccess, directAccess, findAccess } from "./access.ts";
import { ApiError } from "./api-error.ts";
import { fixedCredentials } from "./credentials.ts";
import { type Discovery, discover } from "./discovery.ts";
import { type ExecOptions, type ExecResult, exec } from "./exec.ts";
import { type Beginning, beginning, type ListQuery, type Page, pages, partial, rawPages } from "./list.ts";
import { type LogQuery, logs } from "./logs.ts";
import { pathOf, type Resource, type Target, titleOf } from "./resource.ts";
import { Transport, type TransportOptions } from "./transport.ts";
import { type WatchEvent, type WatchQuery, watch } from "./watch.ts";

/** Where an object is, below its resource. */
export interface Place {
  /** Absent: the object's own, for writes of whole objects; otherwise the context's namespace is NOT assumed. */
  readonly namespace?: string | undefined;
  readonly subresource?: string | undefined;
}

/** How a write is done. */
export interface WriteOptions extends Place {
  /** Asks for the answer without the effect. */
  readonly dryRun?: boolean;
  /** Who owns the fields. */
  readonly fieldManager?: string;
}

/** The four ways to say what changes. Only JSON patches are not repeatable. */
export type Patch =
  | { readonly type: "merge" | "strategic"; readonly body: unknown }
  | { readonly type: "json"; readonly body: readonly unknown[] }
  | { readonly type: "apply"; readonly body: KubeObject; readonly force?: boolean };

/** How a delete is done. */
export interface DeleteOptions {
  readonly namespace?: string | undefined;
  readonly propagation?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
  /** Delete only this very object, not its successor of the same name. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly dryRun?: boolean;
}

/** A cluster as kubectl's tables show it. */
export interface Table {
  readonly columnDefinitions: readonly {
    readonly name: string;
    readonly type: string;
    readonly priority: number;
  }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object?: KubeObject }[];
}

/** Opens a client for the cluster that options and environment name; nothing is sent yet. */
export async function connect(options: AccessOptions & TransportOptions = {}): Promise<Client> {
  return new Client(await findAccess(options), options);
}

/** Opens a client for a cluster by its address. */
export function connectTo(direct: DirectAccess, options: TransportOptions = {}): Client {
  return new Client(directAccess(direct), options);
}

/** Talks to one cluster. Objects are plain data; the caller brings their types. */
export class Client {
  /** The context's name, for messages. */
  readonly context: string;
  readonly server: string;
  /** The namespace of the context, for callers to fall back on. */
  readonly namespace: string;
  readonly #access: Access;
  readonly #options: TransportOptions;
  readonly #transport: Transport;

  constructor(access: Access, options: TransportOptions = {}) {
    this.#access = access;
    this.#options = options;
    this.context = access.context;
    this.server = access.server;
    this.namespace = access.namespace;
    this.#transport = new Transport(access, options);
  }

  /** One object, or one of its subresources. */
  async get<T extends KubeObject>(
    resource: Resource,
    name: string,
    place: Place = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const target = { ...place, name };
    const attempt = attemptOn("get", resource, target);
    return this.#transport.json(
      {
        method: "GET",
        path: pathOf(resource, target),
        attempt,
        repeat: "safe",
      },
      signal,
    );
  }

  /** A list, page by page; it is never in memory as a whole. */
  pages<T extends KubeObject>(
    resource: Resource,
    query: ListQuery = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Page<T>> {
    return pages(this.#transport, resource, query, signal);
  }

  /** A list with each item as the JSON text that the server wrote; see `withKind`. */
  rawPages(resource: Resource, query: ListQuery = {}, signal?: AbortSignal): AsyncGenerator<Page<Buffer>> {
    return rawPages(this.#transport, resource, query, signal);
  }

  /** The first page of a list alone, to see how long it is. */
  beginning(resource: Resource, query: ListQuery = {}, signal?: AbortSignal): Promise<Beginning> {
    return beginning(this.#transport, resource, query, signal);
  }

  /** A list, item by item. */
  async *items<T extends KubeObject>(
    resource: Resource,
    query: ListQuery = {},
    signal?: AbortSignal,
  ): AsyncGenerator<T> {
    for await (const page of this.pages<T>(resource, query, signal)) yield* page.items;
  }

  /** A whole list at once, for kinds that are few. */
  async list<T extends KubeObject>(
    resource: Resource,
    query: ListQuery = {},
    signal?: AbortSignal,
  ): Promise<T[]> {
    return Array.fromAsync(this.items<T>(resource, query, signal));
  }

  /** A list as the server would have it printed. */
  table(resource: Resource, query: ListQuery = {}, signal?: AbortSignal): Promise<Table> {
    const { namespace, labelSelector, fieldSelector, limit } = query;
    return this.#transport.json(
      {
        method: "GET",
        path: pathOf(resource, { namespace }),
        query: { labelSelector, fieldSelector, limit },
        accept: partial("Table"),
        attempt: `list ${titleOf(resource, { namespace })}`,
        repeat: "safe",
      },
      signal,
    );
  }

  /** The changes after a version, until the server ends the watch. An informer goes on where this stops. */
  watch<T extends KubeObject>(
    resource: Resource,
    query: WatchQuery,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>> {
    return watch(this.#transport, resource, query, signal);
  }

  /** Creates an object, or posts to a subresource of the object's name. Never repeated blindly. */
  create<T extends KubeObject>(
    resource: Resource,
    object: unknown,
    options: WriteOptions & { readonly name?: string } = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const namespace = options.namespace ?? metaOf(object).namespace;
    return this.#write("POST", resource, { ...options, namespace }, object, signal);
  }

  /** Replaces a whole object; its `resourceVersion` guards what others wrote. */
  replace<T extends KubeObject>(
    resource: Resource,
    object: T,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const { name, namespace } = object.metadata;
    return this.#write(
      "PUT",
      resource,
      { ...options, name, namespace: options.namespace ?? namespace },
      object,
      signal,
    );
  }

  /** Changes parts of an object. */
  async patch<T extends KubeObject>(
    resource: Resource,
    name: string,
    patch: Patch,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const target = { namespace: options.namespace, name, subresource: options.subresource };
    const attempt = attemptOn("patch", resource, target);
    const force = patch.type === "apply" ? patch.force : undefined;
    return this.#transport.json(
      {
        method: "PATCH",
        path: pathOf(resource, target),
        query: { ...writeQuery(options), force },
        contentType: contentTypes[patch.type],
        body: JSON.stringify(patch.body),
        attempt,
        repeat: patch.type === "json" ? "unsafe" : "safe",
      },
      signal,
    );
  }

  /** Deletes one object; what comes back is the object while it still waits for something, or a Status. */
  async delete(
    resource: Resource,
    name: string,
    options: DeleteOptions = {},
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const target = { namespace: options.namespace, name };
    const attempt = attemptOn("delete", resource, target);
    return this.#transport.json(
      {
        method: "DELETE",
        path: pathOf(resource, target),
        body: deleteBody(options),
        attempt,
        repeat: "safe",
      },
      signal,
    );
  }

  /** Deletes everything that a query selects within one namespace. */
  async deleteAll(
    resource: Resource,
    query: Pick<ListQuery, "namespace" | "labelSelector" | "fieldSelector">,
    options: Omit<DeleteOptions, "namespace" | "uid" | "resourceVersion"> = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const { namespace, labelSelector, fieldSelector } = query;
    await this.#transport.json(
      {
        method: "DELETE",
        path: pathOf(resource, { namespace }),
        query: { labelSelector, fieldSelector },
        body: deleteBody(options),
        attempt: `delete ${titleOf(resource, { namespace })}`,
        repeat: "safe",
      },
      signal,
    );
  }

  /** The log of a container, as it comes. */
  logs(resource: Resource, name: string, query: LogQuery, signal?: AbortSignal): AsyncGenerator<Buffer> {
    return logs(this.#transport, resource, name, query, signal);
  }

  /** Runs a command in a container and tells its exit code. */
  exec(resource: Resource, name: string, options: ExecOptions, signal?: AbortSignal): Promise<ExecResult> {
    return exec(this.#transport, resource, name, options, signal);
  }

  /** What the cluster serves. */
  discover(signal?: AbortSignal): Promise<Discovery> {
    return discover(this.#transport, signal);
  }

  /** The server's version, and so whether it is there at all. */
  version(signal?: AbortSignal): Promise<{ readonly gitVersion: string }> {
    return this.#transport.json(
      { method: "GET", path: "/version", attempt: "ask for the version", repeat: "safe" },
      signal,
    );
  }

  /** The same cluster for somebody else: nothing of one's own credentials goes along. Close it after use. */
  withToken(token: string): Client {
    const access = { ...this.#access, impersonate: {}, credentials: fixedCredentials({ token }) };
    return new Client(access, this.#options);
  }

  /** The same cluster as a service account, which our own account must be allowed to impersonate. Close it after use. */
  asServiceAccount(namespace: string, name: string): Client {
    // The server adds the groups of service accounts itself, so that no right to impersonate groups is needed.
    const impersonate = { "Impersonate-User": `system:serviceaccount:${namespace}:${name}` };
    return new Client({ ...this.#access, impersonate }, this.#options);
  }

  /** Closes the kept connections. */
  close(): void {
    this.#transport.close();
  }

  #write<T>(
    method: "POST" | "PUT",
    resource: Resource,
    options: WriteOptions & Target,
    object: unknown,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const verb = method === "POST" ? "create" : "replace";
    const named = { ...options, name: options.name ?? metaOf(object).name };
    return this.#transport.json(
      {
        method,
        path: pathOf(resource, options),
        query: writeQuery(options),
        body: JSON.stringify(object),
        attempt: `${verb} ${titleOf(resource, named)}`,
        repeat: method === "POST" ? "unsafe" : "safe",
      },
      signal,
    );
  }
}

const contentTypes: Readonly<Record<Patch["type"], string>> = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
  // JSON is YAML, and this is the only name under which every server knows apply.
  apply: "application/apply-patch+yaml",
};

/** What is tried on one object. Without a name the server would take the whole collection, and delete all of it. */
function attemptOn(verb: string, resource: Resource, target: Target & { readonly name: string }): string {
  const attempt = `${verb} ${titleOf(resource, target)}`;
  if (target.name !== "") return attempt;
  throw new ApiError(attempt, { code: 404, reason: "NotFound", message: "an empty name names nothing" });
}

function writeQuery(options: WriteOptions): Record<string, string | undefined> {
  return { dryRun: options.dryRun ? "All" : undefined, fieldManager: options.fieldManager };
}

function deleteBody(options: DeleteOptions): string {
  const { propagation, gracePeriodSeconds, uid, resourceVersion, dryRun } = options;
  return JSON.stringify({
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: propagation,
    gracePeriodSeconds,
    ...((uid !== undefined || resourceVersion !== undefined) && { preconditions: { uid, resourceVersion } }),
    ...(dryRun && { dryRun: ["All"] }),
  });
}

function metaOf(object: unknown): { readonly name?: string; readonly namespace?: string } {
  const { metadata } = (object ?? {}) as { metadata?: { name?: string; namespace?: string } }; // read, never trusted
  return metadata ?? {};
}
