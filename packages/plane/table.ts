import { columnsOf } from "./columns.ts";
import type { JsonMap, KubeObject } from "./object.ts";
import type { Resource } from "./resources.ts";

/** A table without rows. */
export function tableHead(resource: Resource, meta: object | undefined, version = "v1"): JsonMap {
  const columnDefinitions = columnsOf(resource).map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format: format ?? "",
    description: description ?? name,
    priority: priority ?? 0,
  }));
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    ...(meta && { metadata: meta as JsonMap }),
    columnDefinitions,
  };
}

/** One row per object. */
export function rowsOf(
  resource: Resource,
  objects: readonly KubeObject[],
  include: string,
  nowMs = Date.now(),
): unknown[] {
  const columns = columnsOf(resource);
  return objects.map((object) => ({
    cells: columns.map((column) => column.cell(object, nowMs) ?? null),
    ...(include !== "None" && { object: include === "Object" ? object : partial(object) }),
  }));
}

/** An object without its content. */
export function partial(object: KubeObject, version = "v1"): JsonMap {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object.metadata as unknown as JsonMap,
  };
}
