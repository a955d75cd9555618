import { isMap } from "../object.ts";
import type { Resource } from "../resources.ts";
import { type FieldType, structOf } from "../schema/types.ts";
import type { Schema } from "../structural.ts";

/** How server-side apply treats a value: what its children are, how list items are told apart. */
export interface Shape {
  /** Replaced as a whole. */
  readonly atomic: boolean;
  /** Keys that identify an item of a list; empty for a set; absent when the list is atomic. */
  readonly keys?: readonly string[];
  child(key: string): Shape;
  readonly item: Shape;
}

/** The shape of a resource's objects. */
export function shapeOf(resource: Resource): Shape {
  if (resource.struct !== undefined) {
    return ofType({ is: "struct", name: resource.struct, retainKeys: false, atomic: false });
  }
  const root = ofSchema(isMap(resource.custom?.schema) ? (resource.custom.schema as Schema) : {});
  const metadata = ofType({ is: "struct", name: "ObjectMeta", retainKeys: false, atomic: false });
  return { ...root, atomic: false, child: (key) => (key === "metadata" ? metadata : root.child(key)) };
}

const anything: Shape = {
  atomic: false,
  child: () => anything,
  get item() {
    return anything;
  },
};

function ofType(type: FieldType | undefined): Shape {
  if (!type) return anything;
  switch (type.is) {
    case "scalar":
      return anything;
    case "map":
      return { atomic: type.atomic, child: () => ofType(type.of), item: anything };
    case "list":
      return {
        atomic: type.mapKeys === undefined,
        ...(type.mapKeys && { keys: type.mapKeys }),
        child: () => anything,
        get item() {
          return ofType(type.of);
        },
      };
    case "struct": {
      const struct = structOf(type.name);
      return {
        atomic: type.atomic || struct?.atomic === true,
        child: (key) => ofType(struct?.fields.get(key)?.type),
        item: anything,
      };
    }
  }
}

function ofSchema(schema: Schema): Shape {
  const listType = schema["x-kubernetes-list-type"];
  const keys =
    listType === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : listType === "set" ? [] : undefined;
  const extra = isMap(schema.additionalProperties) ? (schema.additionalProperties as Schema) : undefined;
  return {
    atomic: schema.type === "array" && keys === undefined,
    ...(keys && { keys }),
    child: (key) => ofSchema(schema.properties?.[key] ?? extra ?? {}),
    get item() {
      return ofSchema(schema.items ?? {});
    },
  };
}
