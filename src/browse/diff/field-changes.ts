import { isRecord } from "../../api/index.ts";

/** A field that is not the same in two versions of an object. */
export interface FieldChange {
  /** `spec.template.spec.containers[web].image`. */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What an object says about itself that changes without anybody changing it. */
const noisyMetadata: ReadonlySet<string> = new Set([
  "creationTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
  "uid",
]);
const noisyAnnotations: ReadonlySet<string> = new Set([
  // The whole object again, Secrets in plain text included.
  "kubectl.kubernetes.io/last-applied-configuration",
  "deployment.kubernetes.io/revision",
]);

/** What is shown of a value that must not be. */
const hidden = "(hidden)";

/** The object without its type, its status, and what servers write into its metadata: what a person has decided. */
export function withoutNoise(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { apiVersion: _version, kind: _kind, status: _status, metadata, ...rest } = object;
  if (!isRecord(metadata)) return rest;
  const { annotations, ownerReferences, ...plain } = withoutKeys(metadata, noisyMetadata);
  const kept = isRecord(annotations) ? withoutKeys(annotations, noisyAnnotations) : {};
  const owners = Array.isArray(ownerReferences)
    ? ownerReferences.map((owner) => (isRecord(owner) ? withoutKeys(owner, noisyMetadata) : owner))
    : [];
  return {
    ...rest,
    metadata: {
      ...plain,
      ...(Object.keys(kept).length > 0 && { annotations: kept }),
      ...(owners.length > 0 && { ownerReferences: owners }),
    },
  };
}

/** The fields that differ, the first `limit` of them; values of Secrets are hidden, and what is long is cut. */
export function fieldChanges(
  before: unknown,
  after: unknown,
  { isSecret, limit }: { readonly isSecret: boolean; readonly limit: number },
): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  const walk = (a: unknown, b: unknown, path: string): void => {
    if (changes.length >= limit || canonical(a) === canonical(b)) return;
    const [left, right] = [childrenOf(a), childrenOf(b)];
    if (left && right && left.style === right.style) {
      const names = new Set([...left.of.keys(), ...right.of.keys()]);
      for (const name of names) {
        const at = left.style === "fields" ? joined(path, name) : `${path}[${name}]`;
        walk(left.of.get(name), right.of.get(name), at);
      }
      return;
    }
    const show = isSecret && /^(?:data|stringData)\b/.test(path) ? () => hidden : shownValue;
    changes.push({
      path,
      ...(a !== undefined && { before: show(a) }),
      ...(b !== undefined && { after: show(b) }),
    });
  };
  walk(before, after, "");
  return changes;
}

/** A value as text that is the same for the same value, whatever the order of its fields. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "undefined";
  const fields = Object.keys(value).toSorted();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

interface Children {
  readonly style: "fields" | "named" | "places";
  readonly of: ReadonlyMap<string, unknown>;
}

/** The parts of a value by name. Lists whose things have names are compared by those: an inserted container is one change. */
function childrenOf(value: unknown): Children | undefined {
  if (isRecord(value)) return { style: "fields", of: new Map(Object.entries(value)) };
  if (!Array.isArray(value)) return undefined;
  const names = value.map((one: unknown) => (isRecord(one) ? one["name"] : undefined));
  const isNamed =
    value.length > 0 &&
    names.every((name) => typeof name === "string") &&
    new Set(names).size === names.length;
  const keys = isNamed ? names : value.map((_one, i) => i);
  return {
    style: isNamed ? "named" : "places",
    of: new Map(value.map((one: unknown, i) => [String(keys[i]), one])),
  };
}

/** Names with dots stand in brackets, as in a path of JSON. */
function joined(path: string, name: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

const maxShownChars = 2_000;

function shownValue(value: unknown): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > maxShownChars ? `${text.slice(0, maxShownChars)}…` : value;
}

function withoutKeys(
  record: Readonly<Record<string, unknown>>,
  keys: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !keys.has(name)));
}
