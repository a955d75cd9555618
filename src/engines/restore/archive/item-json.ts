import { isRawNumber, isRecord } from "../../../api/index.ts";

/** Any object of any kind as an archive holds it. */
export interface Item {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ItemMeta;
  readonly [field: string]: unknown;
}

/** The part of an object's metadata that a restore looks at. */
export interface ItemMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Which object a file claims to be. */
export interface Identity {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Deeper than any schema; the recursion of everything that walks an item is bounded by it. */
const maxDepth = 512;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads one item of an archive, or says why it cannot be trusted.
 *
 * The file's name decides what an item is (filters and mappings work on it), so a content that says otherwise is
 * refused, and so is a content that two JSON readers would understand differently.
 */
export function parseItem(bytes: Uint8Array, identity: Identity): Item | string {
  const shape = scan(bytes);
  if (shape.depth > maxDepth) return `its JSON is nested deeper than ${maxDepth}`;
  let value: unknown;
  try {
    const text = utf8.decode(bytes);
    value = shape.longNumber ? JSON.parse(text, keepNumber) : JSON.parse(text);
  } catch {
    return "it is no JSON"; // the parser's own words quote the content, which may be a Secret
  }
  if (countKeys(value) !== shape.keys) return "a key occurs twice in its JSON";
  return isItem(value) ? (mismatch(value, identity) ?? value) : "it is no Kubernetes object";
}

interface Shape {
  depth: number;
  keys: number;
  /** A number too long to be sure that a double holds it. */
  longNumber: boolean;
}

/** Walks the bytes once, without recursion: how deep, how many keys, any long number. Syntax is JSON.parse's business. */
function scan(bytes: Uint8Array): Shape {
  const shape: Shape = { depth: 0, keys: 0, longNumber: false };
  let depth = 0;
  let digits = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inString) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inString = false;
      continue;
    }
    const numeric = byte !== undefined && ((byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x65);
    digits = numeric ? digits + 1 : 0;
    if (digits > 15) shape.longNumber = true;
    if (byte === 0x22) inString = true;
    else if (byte === 0x3a) shape.keys += 1;
    else if (byte === 0x7b || byte === 0x5b) shape.depth = Math.max(shape.depth, (depth += 1));
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return shape;
}

/** Numbers that a double would change (int64 beyond 2^53) keep their own text. */
function keepNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || String(value) === source) return value;
  return rawNumber(source);
}

/** `JSON.rawJSON` exists in Node 24; TypeScript's library does not know it yet. */
function rawNumber(source: string): unknown {
  const json: unknown = JSON;
  return (json as { rawJSON(text: string): unknown }).rawJSON(source);
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null || isRawNumber(value)) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) count += countKeys(element);
    return count;
  }
  for (const child of Object.values(value)) count += 1 + countKeys(child);
  return count;
}

function isItem(value: unknown): value is Item {
  if (!isRecord(value)) return false;
  const { apiVersion, kind, metadata } = value;
  return (
    isText(apiVersion) &&
    isText(kind) &&
    isRecord(metadata) &&
    isText(metadata["name"]) &&
    isTextMap(metadata["labels"]) &&
    isTextMap(metadata["annotations"]) &&
    (metadata["namespace"] === undefined || typeof metadata["namespace"] === "string")
  );
}

function mismatch(item: Item, identity: Identity): string | undefined {
  if (item.metadata.name !== identity.name) return "its name is not the name of its file";
  if ((item.metadata.namespace ?? "") !== (identity.namespace ?? "")) {
    return "its namespace is not the namespace of its file";
  }
  return undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isTextMap(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return isRecord(value) && Object.values(value).every((entry) => typeof entry === "string");
}
