import type { Schema } from "../../src/api/index.ts";

/** One line for each field of a schema with all that decides which values are taken: `path type flags…`. */
export function fieldLines(schema: Schema, path: string): string[] {
  const inner = Object.entries(schema.properties ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    [path, ...facts(schema)].join(" "),
    ...inner.flatMap(([name, field]) => fieldLines(field, `${path}.${name}`)),
    ...(schema.items ? fieldLines(schema.items, `${path}[]`) : []),
    ...(schema.additionalProperties ? fieldLines(schema.additionalProperties, `${path}{}`) : []),
  ];
}

function facts(schema: Schema): string[] {
  return [
    schema.type ?? "any",
    ...(schema.format ? [schema.format] : []),
    ...(schema.nullable ? ["nullable"] : []),
    ...(schema.default === undefined ? [] : [`default=${JSON.stringify(schema.default)}`]),
    ...(schema.minItems === undefined ? [] : [`minItems=${schema.minItems}`]),
    ...(schema.enum ? [`one of ${JSON.stringify(schema.enum.toSorted())}`] : []),
    ...(schema.required ? [`requires ${schema.required.toSorted().join(",")}`] : []),
    ...(schema["x-kubernetes-preserve-unknown-fields"] ? ["open"] : []),
    ...(schema["x-kubernetes-int-or-string"] ? ["int-or-string"] : []),
    ...(schema["x-kubernetes-map-type"] ? [schema["x-kubernetes-map-type"]] : []),
  ];
}
