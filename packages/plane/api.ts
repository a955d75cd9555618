import { randomUUID } from "node:crypto";
import { applyDefaults, prepareCreate, suffix } from "./defaults.ts";
import { type DeleteOptions, deletion } from "./deletion.ts";
import { toCoreGroup, toEventsGroup } from "./events.ts";
import { copy, isMap, type JsonMap, type KubeObject, type Meta, same, stamp } from "./object.ts";
import { Registry } from "./registry.ts";
import { apiVersionOf, type Resource } from "./resources.ts";
import {
  ApiError,
  alreadyExists,
  type Cause,
  conflict,
  forbidden,
  invalid,
  modified,
  notFound,
} from "./status.ts";
import type { Change, Key, Row, Store } from "./store.ts";
import { fillDefaults, type Schema, violations } from "./structural.ts";
import { faults } from "./validate.ts";

/** How a write is to be done. */
export interface WriteOptions {
  readonly dryRun?: boolean;
  /** `status` writes only the status, anything else only the rest. */
  readonly subresource?: string;
}

/** Changes an object on its way in; throws to refuse it. */
export type Admission = (
  object: KubeObject,
  resource: Resource,
  old: KubeObject | undefined,
  dryRun: boolean,
) => void;

/**
 * The rules of reading and writing objects, without HTTP.
 *
 * Controllers and the HTTP server share it. Everything is synchronous: between reading an object and writing it back nothing
 * else can happen, which is all the locking there is.
 */
export class Api {
  readonly store: Store;
  readonly registry = new Registry();
  readonly now: () => number;
  /** Called in order for each write. */
  readonly admissions: Admission[] = [];

  constructor(store: Store, now: () => number) {
    this.store = store;
    this.now = now;
    const definitions = { resource: "customresourcedefinitions.apiextensions.k8s.io" };
    for (const row of store.list(definitions)) this.registry.setCustom(row.name, parse(row.value));
    store.subscribe((change) => {
      if (change.resource !== definitions.resource) return;
      this.registry.setCustom(change.name, change.type === "DELETED" ? undefined : parse(change.value));
    });
  }

  /** The object, or a 404. */
  get(resource: Resource, namespace: string, name: string): KubeObject {
    const row = this.store.get(keyOf(resource, namespace, name));
    if (!row) throw notFound(resource, name);
    return parse(row.value);
  }

  /** The object of a built-in resource by its storage name, or undefined. */
  read(storage: string, namespace: string, name: string): KubeObject | undefined {
    const row = this.store.get({ resource: storage, namespace, name });
    return row && parse(row.value);
  }

  /** Every object of a resource by its storage name, in one namespace or all. */
  readAll(storage: string, namespace?: string): KubeObject[] {
    const range = { resource: storage, ...(namespace !== undefined && { namespace }) };
    return this.store.list(range).map((row) => parse(row.value));
  }

  /** The resource of a storage name; a bug when there is none. */
  resource(storage: string): Resource {
    const found = this.registry.findStorage(storage);
    if (!found) throw new Error(`no resource is stored as ${storage}`);
    return found;
  }

  /** Creates an object from a decoded body. */
  create(resource: Resource, namespace: string, body: KubeObject, options: WriteOptions = {}): KubeObject {
    const object = copy(body);
    const meta = this.#freshMeta(resource, namespace, object);
    object.metadata = meta;
    if (hasGeneration(resource)) meta.generation = 1;
    if (resource.subresources.includes("status")) delete object.status;
    this.#fill(resource, object);
    if (!resource.custom) prepareCreate(object, resource.storage);
    for (const admit of this.admissions) admit(object, resource, undefined, options.dryRun === true);
    if (meta.name === "" && meta.generateName) meta.name = `${meta.generateName.slice(0, 58)}${suffix()}`;
    this.#check(resource, object);
    const key = keyOf(resource, namespace, meta.name);
    const taken = this.store.get(key);
    if (taken)
      throw alreadyExists(resource, meta.name, parse(taken.value).metadata.deletionTimestamp !== undefined);
    if (options.dryRun) return object;
    return this.#write(key, resource, object);
  }

  /** Replaces an object, or one side of it when a subresource is named; what did not change is not written. */
  update(resource: Resource, namespace: string, body: KubeObject, options: WriteOptions = {}): KubeObject {
    const { name } = body.metadata;
    const key = keyOf(resource, namespace, name);
    const row = this.store.get(key);
    if (!row) throw notFound(resource, name);
    const old = this.#present(resource, parse(row.value));
    const object = copy(body);
    checkVersion(resource, old, object);
    carryMeta(old.metadata, object.metadata, namespace);
    this.#separate(resource, old, object, options.subresource);
    if (options.subresource === undefined) {
      this.#fill(resource, object);
      for (const admit of this.admissions) admit(object, resource, old, options.dryRun === true);
    }
    this.#check(resource, object, old);
    if (
      hasGeneration(resource) &&
      options.subresource !== "status" &&
      options.subresource !== "binding" && // where a pod runs is not what it is
      contentChanged(resource, old, object)
    ) {
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
    const leaves = object.metadata.deletionTimestamp !== undefined && isReleased(object);
    if (options.dryRun) return object;
    if (leaves) return this.#remove(key, resource, object);
    if (same(stripVersion(old), stripVersion(object))) return old;
    return this.#write(key, resource, object);
  }

  /** Reads, changes and writes back; the change is made again by the caller when it returns nothing. */
  modify(
    resource: Resource,
    namespace: string,
    name: string,
    change: (object: KubeObject) => KubeObject | void,
    options: WriteOptions = {},
  ): KubeObject {
    const object = this.get(resource, namespace, name);
    return this.update(resource, namespace, change(object) ?? object, options);
  }

  /** Deletes, or begins to: returns the object and whether it is gone. */
  delete(
    resource: Resource,
    namespace: string,
    name: string,
    options: DeleteOptions = {},
  ): { object: KubeObject; gone: boolean } {
    const key = keyOf(resource, namespace, name);
    const row = this.store.get(key);
    if (!row) throw notFound(resource, name);
    const old = parse(row.value);
    checkPreconditions(resource, old, options);
    const plan = deletion(resource, old, options, this.now());
    if (options.dryRun) return { object: plan.object, gone: plan.gone };
    if (plan.gone) return { object: this.#remove(key, resource, plan.object), gone: true };
    if (same(stripVersion(old), stripVersion(plan.object))) return { object: old, gone: false };
    return { object: this.#write(key, resource, plan.object), gone: false };
  }

  /** An object of one version as another serves it. */
  convert(resource: Resource, object: KubeObject): KubeObject {
    return this.#present(resource, object);
  }

  /** Whether stored text can be served as it is. */
  isVerbatim(resource: Resource): boolean {
    return resource.custom
      ? resource.custom.storageVersion === resource.version
      : resource.group !== "events.k8s.io";
  }

  #present(resource: Resource, object: KubeObject): KubeObject {
    if (resource.group === "events.k8s.io" && object.apiVersion === "v1") return toEventsGroup(object);
    object.apiVersion = apiVersionOf(resource);
    return object;
  }

  #freshMeta(resource: Resource, namespace: string, object: KubeObject): Meta {
    const { resourceVersion, name, ...rest } = object.metadata;
    // "0" counts as none; velero's command line sends it.
    if (resourceVersion && resourceVersion !== "0")
      throw new ApiError(500, "", "resourceVersion should not be set on objects to be created");
    const meta: Meta = { ...rest, name: name ?? "" };
    if (resource.namespaced) meta.namespace = namespace;
    else delete meta.namespace;
    delete meta.deletionTimestamp;
    delete meta.deletionGracePeriodSeconds;
    delete meta.generation;
    meta.uid = randomUUID();
    meta.creationTimestamp = stamp(this.now());
    return meta;
  }

  #fill(resource: Resource, object: KubeObject): void {
    if (!resource.custom) applyDefaults(object, resource.storage);
    else if (isMap(resource.custom.schema))
      fillDefaults(object as unknown as JsonMap, resource.custom.schema as Schema);
  }

  #check(resource: Resource, object: KubeObject, old?: KubeObject): void {
    const causes: Cause[] = faults(object, resource, old);
    if (resource.custom && isMap(resource.custom.schema)) {
      causes.push(...violations(object as unknown as JsonMap, resource.custom.schema as Schema));
    }
    if (causes.length > 0) throw invalid(resource, object.metadata.name, causes);
  }

  /** A status write keeps everything else, any other write keeps the status. */
  #separate(resource: Resource, old: KubeObject, object: KubeObject, subresource: string | undefined): void {
    if (!resource.subresources.includes("status")) return;
    if (subresource === "status") {
      for (const key of Object.keys(object)) if (key !== "status" && key !== "metadata") delete object[key];
      for (const [key, value] of Object.entries(old))
        if (key !== "status" && key !== "metadata") object[key] = value;
      const { labels, annotations, ownerReferences, finalizers } = old.metadata;
      const kept = resource.custom
        ? { labels, annotations, ownerReferences, finalizers }
        : { ownerReferences };
      object.metadata = clean({ ...object.metadata, ...kept });
    } else if (subresource === undefined) {
      if (old.status === undefined) delete object.status;
      else object.status = old.status;
    }
  }

  #write(key: Key, resource: Resource, object: KubeObject): KubeObject {
    const stored = this.#stored(resource, object);
    const row = this.store.write(key, (rev) => render(stored, rev));
    object.metadata.resourceVersion = String(row.rev);
    return object;
  }

  #remove(key: Key, resource: Resource, object: KubeObject): KubeObject {
    const stored = this.#stored(resource, object);
    const row = this.store.write(key, (rev) => render(stored, rev), true);
    object.metadata.resourceVersion = String(row.rev);
    return object;
  }

  #stored(resource: Resource, object: KubeObject): KubeObject {
    if (resource.group === "events.k8s.io") return toCoreGroup(object);
    if (!resource.custom) return object;
    return { ...object, apiVersion: `${resource.group}/${resource.custom.storageVersion}` };
  }
}

/** Refuses new objects in a namespace that is missing or going away. */
export function namespaceLifecycle(api: Api): Admission {
  return (object, resource, old) => {
    const namespace = object.metadata.namespace;
    if (old || !resource.namespaced || namespace === undefined) return;
    const found = api.read("namespaces", "", namespace);
    if (!found) throw notFound({ group: "", plural: "namespaces", kind: "Namespace" }, namespace);
    if (found.metadata.deletionTimestamp === undefined) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const cause = {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    };
    throw forbidden(resource, object.metadata.name, why, [cause]);
  };
}

/** Stored JSON as an object. */
export function parse(value: string): KubeObject {
  return JSON.parse(value) as KubeObject;
}

/** The object of a change. */
export function objectOf(change: Change | Row): KubeObject {
  return parse(change.value);
}

function keyOf(resource: Resource, namespace: string, name: string): Key {
  return { resource: resource.storage, namespace: resource.namespaced ? namespace : "", name };
}

/** Kind and apiVersion come first: lists of built-in kinds cut them off by length. */
function render(object: KubeObject, rev: number): string {
  const { kind, apiVersion, metadata, ...rest } = object;
  const meta = { ...metadata, resourceVersion: String(rev) };
  return JSON.stringify({ kind, apiVersion, metadata: meta, ...rest });
}

function checkVersion(resource: Resource, old: KubeObject, object: KubeObject): void {
  const { resourceVersion, uid } = object.metadata;
  const { name } = old.metadata;
  if (uid !== undefined && uid !== old.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`;
    throw conflict(resource, name, why);
  }
  if (
    resourceVersion !== undefined &&
    resourceVersion !== "" &&
    resourceVersion !== old.metadata.resourceVersion
  ) {
    throw conflict(resource, name, modified);
  }
  if (!resourceVersion && resource.custom) {
    const message = "Invalid value: 0: must be specified for an update";
    // The real server names the resource here, not the kind.
    const named = { ...resource, kind: resource.plural };
    throw invalid(named, name, [{ reason: "FieldValueInvalid", message, field: "metadata.resourceVersion" }]);
  }
}

/** What a client may not change is carried over; finalizers may only leave once deletion began. */
function carryMeta(old: Meta, next: Meta, namespace: string): void {
  next.name = old.name;
  for (const key of [
    "uid",
    "creationTimestamp",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
  ] as const) {
    if (old[key] === undefined) delete next[key];
    else Object.assign(next, { [key]: old[key] });
  }
  if (old.namespace === undefined) delete next.namespace;
  else next.namespace = namespace;
  if (old.generateName !== undefined) next.generateName ??= old.generateName;
  next.resourceVersion = old.resourceVersion ?? "";
  for (const key of ["finalizers", "ownerReferences", "labels", "annotations"] as const) {
    if (next[key] !== undefined && Object.keys(next[key]).length === 0) delete next[key];
  }
}

function checkPreconditions(resource: Resource, old: KubeObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const named = { ...resource, plural: resource.kind };
  if (uid !== undefined && uid !== old.metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${old.metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(named, old.metadata.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${old.metadata.resourceVersion}). The object might have been modified`;
    throw conflict(named, old.metadata.name, why);
  }
}

const generations = new Set(
  "pods deployments.apps replicasets.apps statefulsets.apps daemonsets.apps replicationcontrollers jobs.batch cronjobs.batch ingresses.networking.k8s.io networkpolicies.networking.k8s.io poddisruptionbudgets.policy customresourcedefinitions.apiextensions.k8s.io".split(
    " ",
  ),
);

function hasGeneration(resource: Resource): boolean {
  return resource.custom !== undefined || generations.has(resource.storage);
}

function contentChanged(resource: Resource, old: KubeObject, next: KubeObject): boolean {
  if (!resource.custom) return !same(old.spec, next.spec);
  const content = (o: KubeObject): JsonMap => {
    const { metadata: _meta, status, ...rest } = o;
    return (resource.subresources.includes("status") ? rest : { ...rest, status }) as JsonMap;
  };
  return !same(content(old), content(next));
}

/** Nothing holds it any more: no finalizers, and for a namespace none in its spec either. */
function isReleased(object: KubeObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0) return false;
  if ((object.metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  const held =
    object.kind === "Namespace" &&
    Array.isArray(object.spec?.["finalizers"]) &&
    object.spec["finalizers"].length > 0;
  return !held;
}

function stripVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _rv, managedFields: _fields, ...meta } = object.metadata;
  return { ...object, metadata: meta };
}

function clean(meta: object): Meta {
  return Object.fromEntries(
    Object.entries(meta).filter(([, value]) => value !== undefined),
  ) as unknown as Meta;
}
