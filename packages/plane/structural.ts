import { copy, isMap, type Json, type JsonMap, same } from "./object.ts";
import { badValue, type Cause, required, unsupported } from "./status.ts";

/** The part of JSON schema that a CustomResourceDefinition may use. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
}

/** Removes what the schema does not name and returns the paths of what was removed. The root keeps its type and metadata. */
export function prune(value: JsonMap, schema: Schema): string[] {
  const gone: string[] = [];
  pruneMap(value, schema, "", gone, true);
  return gone;
}

function pruneAny(value: Json | undefined, schema: Schema, path: string, gone: string[]): void {
  if (Array.isArray(value) && schema.items) {
    const { items } = schema;
    (value as readonly Json[]).forEach((item, i) => pruneAny(item, items, `${path}[${i}]`, gone));
  } else if (isMap(value))
    pruneMap(value, schema, path, gone, schema["x-kubernetes-embedded-resource"] === true);
}

function pruneMap(value: JsonMap, schema: Schema, path: string, gone: string[], isObject: boolean): void {
  const extra = schema.additionalProperties;
  for (const key of Object.keys(value)) {
    if (isObject && (key === "apiVersion" || key === "kind" || key === "metadata")) continue;
    const here = path === "" ? key : `${path}.${key}`;
    const child = schema.properties?.[key] ?? (isMap(extra) ? (extra as Schema) : undefined);
    if (child) pruneAny(value[key], child, here, gone);
    else if (extra !== true && schema["x-kubernetes-preserve-unknown-fields"] !== true) {
      delete value[key];
      gone.push(here);
    }
  }
}

/** Fills in defaults where a key is absent, and drops nulls that may not be null where there is a default. */
export function fillDefaults(value: Json | undefined, schema: Schema): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value as readonly Json[]) fillDefaults(item, schema.items);
    return;
  }
  if (!isMap(value)) return;
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    const absent = value[key] === undefined || (value[key] === null && child.nullable !== true);
    if (absent && child.default !== undefined) value[key] = copy(child.default);
    fillDefaults(value[key], child);
  }
  const extra = schema.additionalProperties;
  if (!isMap(extra)) return;
  for (const [key, item] of Object.entries(value)) {
    if (!schema.properties?.[key]) fillDefaults(item, extra as Schema);
  }
}

/** Why a value breaks its schema, in the API server's words. */
export function violations(value: Json | undefined, schema: Schema, path = ""): Cause[] {
  const causes: Cause[] = [];
  if (value === undefined) return causes;
  const field = path === "" ? "<nil>" : path;
  if (value === null) {
    if (schema.nullable !== true && schema.type !== undefined)
      causes.push(wrongType(field, value, schema.type));
    return causes;
  }
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  if (schema.type !== undefined && !intOrString && !isType(value, schema.type)) {
    return [wrongType(field, value, schema.type)];
  }
  if (intOrString && typeof value !== "string" && !Number.isInteger(value)) {
    return [wrongType(field, value, "integer,string")];
  }
  if (schema.enum && !schema.enum.some((item) => same(item, value))) {
    causes.push(unsupported(field, value, schema.enum.map(String)));
  }
  if (typeof value === "number") causes.push(...numberFaults(value, schema, field));
  else if (typeof value === "string") causes.push(...textFaults(value, schema, field));
  else if (Array.isArray(value)) causes.push(...listFaults(value as readonly Json[], schema, path));
  else if (isMap(value)) causes.push(...mapFaults(value, schema, path));
  causes.push(...combinationFaults(value, schema, path, field));
  return causes;
}

function isType(value: Json, type: string): boolean {
  switch (type) {
    case "object":
      return isMap(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number";
    default:
      return typeof value === type;
  }
}

function wrongType(field: string, value: Json, type: string): Cause {
  const found =
    value === null ? "null" : Array.isArray(value) ? "array" : isMap(value) ? "object" : jsonType(value);
  const where = field === "<nil>" ? "" : field;
  const message = `Invalid value: "${found}": ${where} in body must be of type ${type}: "${found}"`;
  return { reason: "FieldValueTypeInvalid", message, field };
}

function jsonType(value: Json): string {
  return typeof value === "number" ? (Number.isInteger(value) ? "integer" : "number") : typeof value;
}

function numberFaults(value: number, schema: Schema, field: string): Cause[] {
  const causes: Cause[] = [];
  const { minimum, maximum, multipleOf } = schema;
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum)) {
    const than = schema.exclusiveMinimum ? "greater than" : "greater than or equal to";
    causes.push(badValue(field, value, `${field} in body should be ${than} ${minimum}`));
  }
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum)) {
    const than = schema.exclusiveMaximum ? "less than" : "less than or equal to";
    causes.push(badValue(field, value, `${field} in body should be ${than} ${maximum}`));
  }
  if (multipleOf !== undefined && value % multipleOf !== 0) {
    causes.push(badValue(field, value, `${field} in body should be a multiple of ${multipleOf}`));
  }
  return causes;
}

function textFaults(value: string, schema: Schema, field: string): Cause[] {
  const causes: Cause[] = [];
  const length = Array.from(value).length;
  if (schema.minLength !== undefined && length < schema.minLength) {
    causes.push(badValue(field, value, `${field} in body should be at least ${schema.minLength} chars long`));
  }
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    causes.push({
      reason: "FieldValueTooLong",
      message: `Too long: may not be more than ${schema.maxLength} bytes`,
      field,
    });
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value)) {
    causes.push(badValue(field, value, `${field} in body should match '${schema.pattern}'`));
  }
  if (schema.format === "date-time" && Number.isNaN(Date.parse(value))) {
    causes.push(
      badValue(field, value, `${field} in body must be of type date-time: ${JSON.stringify(value)}`),
    );
  }
  return causes;
}

function listFaults(value: readonly Json[], schema: Schema, path: string): Cause[] {
  const causes: Cause[] = [];
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    causes.push(
      badValue(path, value.length, `${path} in body should have at least ${schema.minItems} items`),
    );
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    causes.push({
      reason: "FieldValueTooMany",
      message: `Too many: ${value.length}: must have at most ${schema.maxItems} items`,
      field: path,
    });
  }
  const { items } = schema;
  if (items) value.forEach((item, i) => causes.push(...violations(item, items, `${path}[${i}]`)));
  return [...causes, ...duplicates(value, schema, path)];
}

function duplicates(value: readonly Json[], schema: Schema, path: string): Cause[] {
  const kind = schema["x-kubernetes-list-type"];
  if (kind !== "set" && kind !== "map") return [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const id = (item: Json): Json =>
    kind === "map" && isMap(item) ? Object.fromEntries(keys.map((key) => [key, item[key]])) : item;
  const causes: Cause[] = [];
  value.forEach((item, i) => {
    if (!value.slice(0, i).some((old) => same(id(old), id(item)))) return;
    causes.push({
      reason: "FieldValueDuplicate",
      message: `Duplicate value: ${JSON.stringify(id(item))}`,
      field: `${path}[${i}]`,
    });
  });
  return causes;
}

function mapFaults(value: JsonMap, schema: Schema, path: string): Cause[] {
  const causes: Cause[] = [];
  const below = (key: string): string => (path === "" ? key : `${path}.${key}`);
  for (const key of schema.required ?? []) if (value[key] === undefined) causes.push(required(below(key)));
  const extra = schema.additionalProperties;
  for (const [key, item] of Object.entries(value)) {
    const child = schema.properties?.[key] ?? (isMap(extra) ? (extra as Schema) : undefined);
    if (child && !(path === "" && key === "metadata")) causes.push(...violations(item, child, below(key)));
  }
  const size = Object.keys(value).length;
  if (schema.minProperties !== undefined && size < schema.minProperties) {
    causes.push(
      badValue(path, size, `${path} in body should have at least ${schema.minProperties} properties`),
    );
  }
  if (schema.maxProperties !== undefined && size > schema.maxProperties) {
    causes.push({
      reason: "FieldValueTooMany",
      message: `Too many: ${size}: must have at most ${schema.maxProperties} items`,
      field: path,
    });
  }
  return causes;
}

function combinationFaults(value: Json, schema: Schema, path: string, field: string): Cause[] {
  const causes: Cause[] = [];
  const fits = (one: Schema): boolean => violations(value, one, path).length === 0;
  for (const one of schema.allOf ?? []) causes.push(...violations(value, one, path));
  if (schema.anyOf && !schema.anyOf.some(fits)) {
    causes.push(badValue(field, value, `${field} in body must validate at least one schema (anyOf)`));
  }
  if (schema.oneOf && schema.oneOf.filter(fits).length !== 1) {
    causes.push(badValue(field, value, `${field} in body must validate one and only one schema (oneOf)`));
  }
  if (schema.not && fits(schema.not)) {
    causes.push(badValue(field, value, `${field} in body must not validate the schema (not)`));
  }
  return causes;
}
