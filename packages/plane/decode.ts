import { isMap, type Json, type JsonMap, words } from "./object.ts";
import { type Field, type FieldType, type Struct, structOf } from "./schema/types.ts";
import { badRequest } from "./status.ts";

/** What a typed decoder would make of a body: only known fields, empties dropped. */
export interface Decoded {
  readonly value: JsonMap;
  /** Paths of fields that the type does not have. */
  readonly unknown: readonly string[];
}

// Go types that keep an empty value because they are pointers, or that drop a zero because they are not; OpenAPI does not tell.
const keepEmpty = new Set(["storageClassName", "hostPath.type", "ingressClassName"]);
const dropFalse = new Set(
  "hostNetwork hostPID hostIPC readOnly stdin stdinOnce tty paused unschedulable publishNotReadyAddresses".split(
    " ",
  ),
);
const dropZero = new Set(
  "minReadySeconds initialDelaySeconds hostPort nodePort readyReplicas unavailableReplicas updatedReplicas active succeeded failed count generation observedGeneration currentReplicas fullyLabeledReplicas".split(
    " ",
  ),
);

/** Decodes a body of a built-in kind; a value of the wrong type is a 400, as Go's decoder words it. */
export function decode(structName: string, kind: string, version: string, body: JsonMap): Decoded {
  const struct = structOf(structName);
  if (!struct) throw new Error(`no schema for ${structName}`);
  const unknown: string[] = [];
  const walk = new Walk(unknown, (message) => {
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${message}`);
  });
  const value = walk.struct(struct, body, "");
  return { value, unknown };
}

class Walk {
  readonly #unknown: string[];
  readonly #fail: (message: string) => never;

  constructor(unknown: string[], fail: (message: string) => never) {
    this.#unknown = unknown;
    this.#fail = fail;
  }

  struct(struct: Struct, value: JsonMap, path: string): JsonMap {
    const out: JsonMap = {};
    for (const [key, item] of Object.entries(value)) {
      const field = struct.fields.get(key);
      const here = path === "" ? key : `${path}.${key}`;
      if (!field) this.#unknown.push(here);
      else if (item !== null && item !== undefined) {
        const decoded = this.#value(field.type, item, here, struct.name);
        if (!isEmpty(key, field, decoded, path)) out[key] = decoded;
      }
    }
    return out;
  }

  #value(type: FieldType, value: Json, path: string, owner: string): Json {
    switch (type.is) {
      case "scalar":
        return this.#scalar(type.scalar, value, path, owner);
      case "map":
        if (!isMap(value)) return this.#wrong(value, path, owner, goType(type));
        return Object.fromEntries(
          Object.entries(value).map(([key, item]) => [
            key,
            item === null
              ? zero(type.of)
              : this.#value(type.of, item ?? null, type.of.is === "scalar" ? path : `${path}.${key}`, owner),
          ]),
        );
      case "list":
        if (!Array.isArray(value)) return this.#wrong(value, path, owner, goType(type));
        return (value as readonly Json[]).map((item, i) =>
          item === null
            ? zero(type.of)
            : this.#value(type.of, item, type.of.is === "scalar" ? path : `${path}[${i}]`, owner),
        );
      case "struct": {
        const struct = structOf(type.name);
        if (!isMap(value)) return this.#wrong(value, path, owner, goType(type));
        return struct ? this.struct(struct, value, path) : value;
      }
    }
  }

  #scalar(scalar: string, value: Json, path: string, owner: string): Json {
    const is = typeof value;
    switch (scalar) {
      case "s":
        return is === "string" ? value : this.#wrong(value, path, owner, "string");
      case "y":
        if (typeof value !== "string") return this.#wrong(value, path, owner, "[]uint8");
        return this.#bytes(value);
      case "t":
      case "u":
        return is === "string" ? value : this.#wrong(value, path, owner, "v1.Time");
      case "i":
      case "l":
        if (is === "number" && Number.isInteger(value)) return value;
        return this.#wrong(value, path, owner, scalar === "i" ? "int32" : "int64");
      case "n":
        return is === "number" ? value : this.#wrong(value, path, owner, "float64");
      case "b":
        return is === "boolean" ? value : this.#wrong(value, path, owner, "bool");
      case "q":
        return is === "number"
          ? words(value)
          : is === "string"
            ? value
            : this.#wrong(value, path, owner, "resource.Quantity");
      default:
        return value;
    }
  }

  #bytes(value: string): string {
    const bad = /^(?:[A-Za-z0-9+/]{4})*/.exec(value)?.[0].length ?? 0;
    const rest = value.slice(bad);
    if (rest === "" || /^(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/.test(rest)) return value;
    const odd = /[^A-Za-z0-9+/]/.exec(rest)?.index ?? rest.length;
    return this.#fail(`illegal base64 data at input byte ${bad + odd}`);
  }

  #wrong(value: Json, path: string, owner: string, goTypeName: string): never {
    const found = Array.isArray(value)
      ? "array"
      : isMap(value)
        ? "object"
        : typeof value === "boolean"
          ? "bool"
          : typeof value;
    const shown =
      found === "number" && !Number.isInteger(value) && /int/.test(goTypeName)
        ? `number ${words(value)}`
        : found;
    return this.#fail(
      `json: cannot unmarshal ${shown} into Go struct field ${owner}.${path.replaceAll(/\[\d+\]/g, "")} of type ${goTypeName}`,
    );
  }
}

function isEmpty(key: string, field: Field, value: Json, path: string): boolean {
  if (field.required) return false;
  if (value === "") return !keepEmpty.has(key) && !(key === "type" && path.endsWith("hostPath"));
  if (value === false) return dropFalse.has(key);
  if (value === 0) return dropZero.has(key);
  if (Array.isArray(value)) return value.length === 0;
  return field.type.is === "map" && isMap(value) && Object.keys(value).length === 0;
}

/** What Go leaves behind for a null inside a map or a list. */
function zero(type: FieldType): Json {
  if (type.is === "scalar") return { i: 0, l: 0, n: 0, b: false, s: "", y: "" }[type.scalar] ?? null;
  return type.is === "list" ? [] : {};
}

function goType(type: FieldType): string {
  switch (type.is) {
    case "map":
      return `map[string]${goType(type.of)}`;
    case "list":
      return `[]${goType(type.of)}`;
    case "struct":
      return `v1.${type.name.split(".").at(-1)}`;
    case "scalar":
      return (
        { s: "string", i: "int32", l: "int64", b: "bool", n: "float64", y: "[]uint8" }[type.scalar] ??
        "v1.Time"
      );
  }
}
