import { expect, test } from "vitest";
import { allKinds, type Fields, type Schema } from "../src/api/index.ts";
import { sampleOf } from "./harness/sample.ts";

const schema: Schema = {
  type: "object",
  properties: {
    text: { type: "string" },
    when: { type: "string", format: "date-time", nullable: true },
    bytes: { type: "string", format: "byte" },
    big: { type: "integer", format: "int64" },
    small: { type: "integer", maximum: 5 },
    share: { type: "number" },
    on: { type: "boolean" },
    mode: { type: "string", enum: ["a", "b", ""] },
    size: { "x-kubernetes-int-or-string": true, pattern: "^\\d+Gi$" },
    port: { "x-kubernetes-int-or-string": true },
    list: { type: "array", items: { type: "object", properties: { one: { type: "string" } } } },
    map: { type: "object", additionalProperties: { type: "integer" } },
    raw: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    any: { "x-kubernetes-preserve-unknown-fields": true },
  },
};

test("sampleOf() fills every field with a value of its type", () => {
  expect(sampleOf(schema)).toEqual({
    text: "text",
    when: "2026-11-15T10:00:00Z",
    bytes: "Ynl0ZXM=",
    big: 1_099_511_627_777,
    small: 5,
    share: 0.25,
    on: true,
    mode: "b",
    size: "10Gi",
    port: "80%",
    list: [{ one: "one" }],
    map: { "some-key": 42 },
    raw: { kept: [1, "two", { three: true }] },
    any: { kept: [1, "two", { three: true }] },
  });
});

test("sampleOf() puts null where the schema allows it, when asked", () => {
  expect(sampleOf(schema, { nulls: true })).toMatchObject({ when: null, text: "text" });
});

test("sampleOf() leaves no field of any kind out", () => {
  for (const kind of allKinds) {
    const sample = sampleOf({ type: "object", properties: kind.fields });
    expect(missing(kind.fields, sample), kind.kind).toEqual([]);
  }
});

/** The fields of a schema that a value lacks. */
function missing(fields: Fields, value: unknown, path = ""): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const inner = (value as Record<string, unknown> | undefined)?.[name];
    if (inner === undefined) return [`${path}.${name}`];
    return missingInside(field, inner, `${path}.${name}`);
  });
}

function missingInside(field: Schema, value: unknown, path: string): string[] {
  if (field.items) return missingInside(field.items, (value as unknown[])[0], `${path}[]`);
  if (field.additionalProperties) {
    return missingInside(field.additionalProperties, Object.values(value as object)[0], `${path}{}`);
  }
  return missing(field.properties ?? {}, value, path);
}
