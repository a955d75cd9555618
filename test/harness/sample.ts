import type { Schema } from "../../src/api/index.ts";

/** How to fill fields that may be null: with a value, or with null. */
export interface SampleOptions {
  readonly nulls?: boolean;
}

/** A value with every field that the schema names, so that no field can be forgotten in a round trip. */
export function sampleOf(schema: Schema, options: SampleOptions = {}, path = "sample"): unknown {
  if (options.nulls && schema.nullable) return null;
  if (schema.enum) return schema.enum.findLast((value) => value !== "");
  if (schema["x-kubernetes-int-or-string"]) return schema.pattern ? "10Gi" : "80%";
  switch (schema.type) {
    case "string":
      return text(schema, path);
    case "boolean":
      return true;
    case "integer":
      // Larger than 32 bits where 64 are promised.
      return Math.min(schema.format === "int64" ? 1_099_511_627_777 : 42, schema.maximum ?? Infinity);
    case "number":
      return 0.25;
    case "array":
      return [sampleOf(schema.items ?? {}, options, path)];
    case "object":
      return objectOf(schema, options, path);
    default:
      return { kept: [1, "two", { three: true }] };
  }
}

function text(schema: Schema, path: string): string {
  if (schema.format === "date-time") return "2026-11-15T10:00:00Z";
  if (schema.format === "byte") return Buffer.from(path).toString("base64");
  return path;
}

function objectOf(schema: Schema, options: SampleOptions, path: string): object {
  const kept = schema["x-kubernetes-preserve-unknown-fields"] && { kept: [1, "two", { three: true }] };
  const free = schema.additionalProperties && {
    "some-key": sampleOf(schema.additionalProperties, options, `${path}-value`),
  };
  const known = Object.entries(schema.properties ?? {}).map(([name, inner]) => [
    name,
    sampleOf(inner, options, name),
  ]);
  return { ...Object.fromEntries(known), ...free, ...kept };
}
