import type { Api } from "../api.ts";
import { decode } from "../decode.ts";
import type { DeleteOptions } from "../deletion.ts";
import {
  isMap,
  type Json,
  type JsonMap,
  type KubeObject,
  listAt,
  mapAt,
  numberAt,
  textAt,
} from "../object.ts";
import { applyPatch } from "../patch/apply.ts";
import { jsonPatch, mergePatch, strategicPatch } from "../patch/patch.ts";
import { apiVersionOf, type Resource } from "../resources.ts";
import { ApiError, badRequest, notFound } from "../status.ts";
import { prune, type Schema } from "../structural.ts";
import {
  bodyOf,
  contentType,
  type Exchange,
  isDryRun,
  objectBody,
  parseWords,
  send,
  unsupportedMedia,
  warn,
} from "./exchange.ts";
import { conversionWords, goWords } from "./go-words.ts";
import type { ResourcePath } from "./path.ts";
import { filterOf, present } from "./read.ts";

/** POST to a collection. */
export async function create(api: Api, x: Exchange, resource: Resource, path: ResourcePath): Promise<void> {
  const dryRun = isDryRun(x);
  const object = typed(x, resource, await objectBody(x, resource.kind, resource.struct ?? ""), path);
  const created = api.create(resource, path.namespace ?? "", object, { dryRun });
  await send(x, 201, present(x, resource, api.convert(resource, created)));
}

/** PUT of an object or its status. */
export async function update(api: Api, x: Exchange, resource: Resource, path: ResourcePath): Promise<void> {
  const dryRun = isDryRun(x);
  const object = typed(x, resource, await objectBody(x, resource.kind, resource.struct ?? ""), path);
  const { name } = object.metadata;
  if (name === undefined || name === "") {
    throw badRequest("the name of the object (based on URL) was undeterminable: name must be provided");
  }
  if (name !== path.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${path.name})`);
  }
  const updated = api.update(resource, path.namespace ?? "", object, options(path, dryRun));
  await send(x, 200, present(x, resource, api.convert(resource, updated)));
}

function options(path: ResourcePath, dryRun: boolean): { dryRun: boolean; subresource?: string } {
  return { dryRun, ...(path.subresource !== undefined && { subresource: path.subresource }) };
}

/** PATCH of an object or its status; server-side apply creates what is missing. */
export async function patch(api: Api, x: Exchange, resource: Resource, path: ResourcePath): Promise<void> {
  const dryRun = isDryRun(x);
  const type = contentType(x);
  const body = await patchBody(x, type);
  if (type === "application/apply-patch+yaml") return apply(api, x, resource, path, body as JsonMap, dryRun);
  const { namespace = "", name = "" } = path;
  const old = api.convert(resource, api.get(resource, namespace, name));
  const patched = patchedBy(type, resource, old as unknown as JsonMap, body);
  const object = typedPatch(x, resource, patched, path, type === strategic ? (body as JsonMap) : undefined);
  if (object.metadata.name !== name) {
    throw badRequest(
      `the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  const updated = api.update(resource, namespace, object, options(path, dryRun));
  await send(x, 200, present(x, resource, api.convert(resource, updated)));
}

async function patchBody(x: Exchange, type: string): Promise<Json> {
  const text = await bodyOf(x.request);
  if (type === "application/apply-patch+yaml") {
    const { parse } = await import("yaml");
    const value: unknown = parse(text);
    if (!isMap(value)) throw badRequest("error decoding YAML: the patch is not an object");
    return value;
  }
  if (!patchTypes.has(type)) throw unsupportedMedia(type);
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw badRequest(`error decoding patch: ${parseWords(error, text)}`);
  }
}

const strategic = "application/strategic-merge-patch+json";
const patchTypes = new Set(["application/json-patch+json", "application/merge-patch+json", strategic]);

function patchedBy(type: string, resource: Resource, old: JsonMap, body: Json): JsonMap {
  if (type === "application/json-patch+json") return asMap(jsonPatch(old, body));
  if (!isMap(body))
    throw badRequest(
      "error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}",
    );
  if (type === "application/merge-patch+json") return asMap(mergePatch(old, body));
  if (resource.struct === undefined) throw unsupportedMedia(type);
  return strategicPatch(resource.struct, old, body);
}

function asMap(value: Json): JsonMap {
  if (isMap(value)) return value;
  throw new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

async function apply(
  api: Api,
  x: Exchange,
  resource: Resource,
  path: ResourcePath,
  body: JsonMap,
  dryRun: boolean,
): Promise<void> {
  const manager = x.url.searchParams.get("fieldManager");
  if (!manager) {
    throw new ApiError(
      422,
      "Invalid",
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      {
        group: "meta.k8s.io",
        kind: "PatchOptions",
        causes: [
          {
            reason: "FieldValueRequired",
            message: "Required value: is required for apply patch",
            field: "fieldManager",
          },
        ],
      },
    );
  }
  const { namespace = "", name = "" } = path;
  const metadata = { ...mapAt(body, "metadata"), name };
  const intent = typed(x, resource, { ...body, metadata }, path);
  const force = x.url.searchParams.get("force") === "true";
  const old = readOr(api, resource, namespace, name);
  const merged = applyPatch(resource, old, intent, {
    manager,
    force,
    time: api.now(),
    ...(path.subresource !== undefined && { subresource: path.subresource }),
  });
  if (!old) {
    if (path.subresource !== undefined) throw notFound(resource, name);
    const created = api.create(resource, namespace, merged, { dryRun });
    return send(x, 201, present(x, resource, api.convert(resource, created)));
  }
  const updated = api.update(resource, namespace, merged, options(path, dryRun));
  return send(x, 200, present(x, resource, api.convert(resource, updated)));
}

function readOr(api: Api, resource: Resource, namespace: string, name: string): KubeObject | undefined {
  try {
    return api.convert(resource, api.get(resource, namespace, name));
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw error;
  }
}

/** DELETE of one object. */
export async function remove(api: Api, x: Exchange, resource: Resource, path: ResourcePath): Promise<void> {
  const how = await deleteOptions(x);
  const { object, gone } = api.delete(resource, path.namespace ?? "", path.name ?? "", how);
  if (gone && !returnsObject.has(resource.storage)) {
    const { group, plural } = resource;
    const details = {
      name: object.metadata.name,
      ...(group !== "" && { group }),
      kind: plural,
      uid: object.metadata.uid,
    };
    return send(x, 200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details });
  }
  return send(x, 200, present(x, resource, api.convert(resource, object)));
}

/** Kinds whose deletion answers with the object even when it is gone. */
const returnsObject = new Set(
  "pods services serviceaccounts persistentvolumeclaims persistentvolumes podtemplates resourcequotas storageclasses.storage.k8s.io csinodes.storage.k8s.io csidrivers.storage.k8s.io volumeattachments.storage.k8s.io".split(
    " ",
  ),
);

/** DELETE of a collection: each object that the selectors match. */
export async function removeAll(
  api: Api,
  x: Exchange,
  resource: Resource,
  path: ResourcePath,
): Promise<void> {
  const how = await deleteOptions(x);
  const filter = filterOf(x, resource, path);
  const items: unknown[] = [];
  const version = api.store.rev;
  for (const object of api.readAll(resource.storage, path.namespace)) {
    if (!filter.matches(object)) continue;
    api.delete(resource, object.metadata.namespace ?? "", object.metadata.name, how);
    const { kind, apiVersion, ...rest } = api.convert(resource, object);
    items.push(resource.custom ? { apiVersion, kind, ...rest } : rest);
  }
  await send(x, 200, {
    kind: resource.listKind,
    apiVersion: apiVersionOf(resource),
    metadata: { resourceVersion: String(version) },
    items,
  });
}

async function deleteOptions(x: Exchange): Promise<DeleteOptions> {
  const text = await bodyOf(x.request);
  const query = x.url.searchParams;
  let body: JsonMap = {};
  if (text.trim() !== "") {
    const parsed: unknown = contentType(x) === "application/json" ? parseOptions(text) : {};
    if (isMap(parsed)) body = parsed;
  }
  const grace = query.get("gracePeriodSeconds");
  const gracePeriodSeconds =
    numberAt(body, "gracePeriodSeconds") ?? (grace === null ? undefined : Number(grace));
  const orphan = body["orphanDependents"] ?? query.get("orphanDependents");
  const named = textAt(body, "propagationPolicy") ?? query.get("propagationPolicy") ?? undefined;
  const propagationPolicy = named ?? (orphan === true || orphan === "true" ? "Orphan" : undefined);
  const preconditions = mapAt(body, "preconditions");
  const [uid, resourceVersion] = [textAt(preconditions, "uid"), textAt(preconditions, "resourceVersion")];
  return {
    dryRun: isDryRun(x) || listAt(body, "dryRun").includes("All"),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    preconditions: {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  };
}

function parseOptions(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${String(error)}`);
  }
}

/** A patched object goes through the same decoder, but a value of the wrong type is a 422 about the patch. */
function typedPatch(
  x: Exchange,
  resource: Resource,
  body: JsonMap,
  path: ResourcePath,
  strategicBody?: JsonMap,
): KubeObject {
  try {
    return typed(x, resource, body, path);
  } catch (error) {
    const found =
      error instanceof ApiError ? /cannot be handled as a \w+: (?!strict)(.*)$/.exec(error.message) : null;
    if (!found) throw error;
    // A strategic patch is decoded another way, and the server quotes what was sent instead of what it made.
    const message = strategicBody
      ? `Invalid value: ${JSON.stringify(goWords(strategicBody))}: ${conversionWords(found[1] ?? "")}`
      : `Invalid value: ${JSON.stringify(JSON.stringify(body))}: ${found[1]}`;
    throw new ApiError(422, "Invalid", ` "" is invalid: patch: ${message}`, {
      causes: [{ reason: "FieldValueInvalid", message, field: "patch" }],
    });
  }
}

/** A body as the object of a resource: type checked, unknown fields dropped and reported. */
function typed(x: Exchange, resource: Resource, body: JsonMap, path: ResourcePath): KubeObject {
  const apiVersion = apiVersionOf(resource);
  checkKind(resource, body);
  const metadata = mapAt(body, "metadata");
  const namespace = textAt(metadata, "namespace");
  let value: JsonMap;
  let unknown: readonly string[] = [];
  if (resource.struct !== undefined) {
    const decoded = decode(resource.struct, resource.kind, resource.version, body);
    value = decoded.value;
    unknown = decoded.unknown;
  } else {
    const meta = decode("ObjectMeta", resource.kind, resource.version, metadata);
    value = { ...body, metadata: meta.value };
    const { schema } = resource.custom ?? {};
    const gone = isMap(schema) ? prune(value, schema as Schema) : [];
    unknown = [...meta.unknown.map((field) => `metadata.${field}`), ...gone];
  }
  report(x, resource, unknown);
  if (resource.namespaced && namespace !== undefined && namespace !== "" && namespace !== path.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  const { kind: _kind, apiVersion: _version, metadata: meta, ...rest } = value;
  return {
    kind: resource.kind,
    apiVersion,
    metadata: (isMap(meta) ? meta : {}) as unknown as KubeObject["metadata"],
    ...rest,
  };
}

function checkKind(resource: Resource, body: JsonMap): void {
  const kind = textAt(body, "kind");
  const apiVersion = textAt(body, "apiVersion");
  const wanted = apiVersionOf(resource);
  if (resource.custom) {
    if (!kind) throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(body)}'`);
    if (!apiVersion) throw badRequest(`Object 'apiVersion' is missing in '${JSON.stringify(body)}'`);
  }
  if ((!kind || kind === resource.kind) && (!apiVersion || apiVersion === wanted)) return;
  if (apiVersion && apiVersion !== wanted) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`,
    );
  }
  const internal = resource.group === "" ? "core" : (resource.group.split(".")[0] ?? "");
  const version = resource.version;
  throw badRequest(
    `${kind} in version "${version}" cannot be handled as a ${resource.kind}: converting (${version}.${kind}) to (${internal}.${resource.kind}): unknown conversion`,
  );
}

function report(x: Exchange, resource: Resource, unknown: readonly string[]): void {
  const mode = x.url.searchParams.get("fieldValidation") ?? "";
  if (mode !== "" && mode !== "Strict" && mode !== "Warn" && mode !== "Ignore") {
    throw badRequest(`invalid fieldValidation: ${mode}`);
  }
  if (unknown.length === 0 || mode === "Ignore") return;
  const words = unknown.map((field) => `unknown field ${JSON.stringify(field)}`);
  if (mode === "Strict") {
    throw badRequest(
      `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: strict decoding error: ${words.join(", ")}`,
    );
  }
  for (const word of words) warn(x, word);
}
