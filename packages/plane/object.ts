/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonMap;

/** A JSON object. */
export interface JsonMap {
  [key: string]: Json | undefined;
}

/** One owner of an object. */
interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** What every object carries. */
export interface Meta {
  name: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFields[];
}

/** Who applied which fields; only server-side apply is recorded. */
export interface ManagedFields {
  manager: string;
  operation: string;
  apiVersion: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonMap;
  subresource?: string;
}

/** A stored object of any kind. */
export interface KubeObject {
  kind: string;
  apiVersion: string;
  metadata: Meta;
  spec?: JsonMap;
  status?: JsonMap;
  [field: string]: unknown;
}

/** Whether a value is a JSON object (not an array, not null). */
export function isMap(value: unknown): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The child object of that name, or an empty one. */
export function mapAt(value: unknown, key: string): JsonMap {
  const child = isMap(value) ? value[key] : undefined;
  return isMap(child) ? child : {};
}

/** The list of that name, or an empty one. */
export function listAt(value: unknown, key: string): readonly Json[] {
  const child = isMap(value) ? value[key] : undefined;
  return Array.isArray(child) ? child : [];
}

/** The text of that name, or undefined. */
export function textAt(value: unknown, key: string): string | undefined {
  const child = isMap(value) ? value[key] : undefined;
  return typeof child === "string" ? child : undefined;
}

/** The number of that name, or undefined. */
export function numberAt(value: unknown, key: string): number | undefined {
  const child = isMap(value) ? value[key] : undefined;
  return typeof child === "number" ? child : undefined;
}

/** The value at a dotted path such as `spec.nodeName`. */
export function at(value: unknown, path: string): unknown {
  let here: unknown = value;
  for (const key of path.split(".")) here = isMap(here) ? here[key] : undefined;
  return here;
}

/** A scalar as text, anything else as JSON. */
export function words(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

/** A deep copy of plain JSON. */
export function copy<T>(value: T): T {
  return structuredClone(value);
}

/** Deep equality of JSON; an absent key equals an undefined one, key order does not matter. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => same(item, b[i]));
  }
  if (!isMap(a) || !isMap(b)) return false;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) if (!same(a[key], b[key])) return false;
  return true;
}

/** A time as Kubernetes writes it: UTC, whole seconds. */
export function stamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
