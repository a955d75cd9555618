import { servedPaths } from "./discovery.ts";
import { isMap, type JsonMap } from "./object.ts";
import type { Registry } from "./registry.ts";
import { apiVersionOf, type Resource } from "./resources.ts";
import { type FieldType, structOf } from "./schema/types.ts";

/** `/openapi/v3`: which documents there are. */
export function openapiIndex(registry: Registry, revision: number): JsonMap {
  const paths = servedPaths(registry).map((path) => [
    path,
    { serverRelativeURL: `/openapi/v3/${path}?hash=${revision}` },
  ]);
  return { paths: Object.fromEntries(paths) as JsonMap };
}

/**
 * `/openapi/v3/PATH`: enough for `kubectl apply` (that PATCH takes fieldValidation) and `kubectl explain` (fields and types).
 * Strategic merge patches are left out of the content types, so that kubectl computes them with the types it has built in.
 */
export function openapiDocument(registry: Registry, path: string): JsonMap | undefined {
  const resources = registry
    .all()
    .filter((r) => (r.group === "" ? `api/${r.version}` : `apis/${apiVersionOf(r)}`) === path);
  if (resources.length === 0) return undefined;
  const schemas: JsonMap = {};
  const paths: JsonMap = {};
  for (const r of resources) {
    if (r.struct !== undefined) collect(r.struct, schemas);
    const id = r.struct ?? `${r.kind}.${r.version}.${r.group}`;
    const gvk = { group: r.group, version: r.version, kind: r.kind };
    const schema = schemas[id] ?? r.custom?.schema ?? { type: "object" };
    schemas[id] = { ...(schema as JsonMap), "x-kubernetes-group-version-kind": [gvk] };
    const scope = r.namespaced ? "namespaces/{namespace}/" : "";
    paths[`/${path}/${scope}${r.plural}/{name}`] = {
      get: operation(r, id, "get"),
      patch: operation(r, id, "patch"),
    };
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.34.0" },
    paths,
    components: { schemas },
  };
}

function operation(r: Resource, id: string, action: string): JsonMap {
  const content = { "application/json": { schema: { $ref: `#/components/schemas/${id}` } } };
  const parameter = (name: string): JsonMap => ({
    name,
    in: "query",
    schema: { type: "string", uniqueItems: true },
  });
  const patch = action === "patch";
  return {
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group: r.group, version: r.version, kind: r.kind },
    ...(patch && {
      parameters: ["dryRun", "fieldManager", "fieldValidation", "force"].map(parameter),
      requestBody: { content: { "application/merge-patch+json": { schema: { type: "object" } } } },
    }),
    responses: { 200: { description: "OK", content } },
  };
}

/** A built-in type and all that it refers to. */
function collect(name: string, schemas: JsonMap): void {
  if (schemas[name] !== undefined) return;
  const struct = structOf(name);
  if (!struct) return;
  const properties: JsonMap = {};
  const schema: JsonMap = { type: "object", properties };
  schemas[name] = schema;
  const requires = [...struct.fields].filter(([, field]) => field.required).map(([key]) => key);
  if (requires.length > 0) schema["required"] = requires;
  for (const [key, field] of struct.fields) properties[key] = typeSchema(field.type, schemas);
}

function typeSchema(type: FieldType, schemas: JsonMap): JsonMap {
  switch (type.is) {
    case "struct":
      collect(type.name, schemas);
      return isMap(schemas[type.name]) ? { $ref: `#/components/schemas/${type.name}` } : { type: "object" };
    case "map":
      return { type: "object", additionalProperties: typeSchema(type.of, schemas) };
    case "list":
      return { type: "array", items: typeSchema(type.of, schemas) };
    case "scalar":
      return scalars[type.scalar] ?? {};
  }
}

const scalars: Readonly<Record<string, JsonMap>> = {
  s: { type: "string" },
  y: { type: "string", format: "byte" },
  t: { type: "string", format: "date-time" },
  u: { type: "string", format: "date-time" },
  q: { type: "string" },
  i: { type: "integer", format: "int32" },
  l: { type: "integer", format: "int64" },
  n: { type: "number" },
  b: { type: "boolean" },
  x: { type: "string", format: "int-or-string" },
  r: { type: "object" },
};
