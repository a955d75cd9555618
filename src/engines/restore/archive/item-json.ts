import { isRecord } from "../../../api/index.ts";
import { JsonScan, parseScanned } from "../../../store/index.ts";

/** Any object of any kind as an archive holds it. */
export interface Item {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ItemMeta;
  readonly [field: string]: unknown;
}

/** The part of an object's metadata that a restore looks at. */
interface ItemMeta {
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

/**
 * Reads one item of an archive, or says why it cannot be trusted.
 *
 * The file's name decides what an item is (filters and mappings work on it), so a content that says otherwise is
 * refused, and so is a content that two JSON readers would understand differently.
 */
export function parseItem(bytes: Uint8Array, identity: Identity): Item | string {
  const scan = new JsonScan();
  scan.push(bytes);
  if (scan.depth > maxDepth) return `its JSON is nested deeper than ${maxDepth}`;
  const read = parseScanned(bytes, scan);
  if ("fault" in read) return read.fault;
  return isItem(read.value) ? (mismatch(read.value, identity) ?? read.value) : "it is no Kubernetes object";
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
