import { protobufFields } from "../wire/index.ts";
import type { Json, JsonMap } from "./object.ts";
import { numbers } from "./schema/numbers.ts";
import { type FieldType, type Struct, structOf } from "./schema/types.ts";
import { badRequest } from "./status.ts";

/**
 * Reads the body of a kubectl that creates objects in protobuf, as JSON.
 *
 * Only bodies are read; answers are JSON, which every client takes. The envelope is `k8s\0` and an Unknown message.
 */
export function decodeProtobuf(body: Uint8Array, structName: string | undefined): JsonMap {
  const magic = Buffer.from(body.subarray(0, 4)).toString("latin1");
  const struct = structName === undefined ? undefined : structOf(structName);
  if (magic !== "k8s\0" || !struct) throw badRequest("the body is not a protobuf object of a built-in kind");
  let raw: Uint8Array = new Uint8Array();
  const head: JsonMap = {};
  for (const field of fieldsIn(body.subarray(4))) {
    if (field.number === 2) raw = field.bytes;
    if (field.number !== 1) continue;
    for (const part of fieldsIn(field.bytes))
      head[part.number === 1 ? "apiVersion" : "kind"] = text(part.bytes);
  }
  return { ...head, ...message(struct.name, struct, raw) };
}

interface WireField {
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly varint: bigint;
}

let index: Map<string, Map<number, { name: string; inline?: string }>> | undefined;

function namesOf(messageName: string): Map<number, { name: string; inline?: string }> {
  index ??= new Map(numbers.trim().split("\n").map(parseLine));
  return index.get(messageName) ?? new Map();
}

function parseLine(line: string): [string, Map<number, { name: string; inline?: string }>] {
  const [name = "", ...words] = line.split(" ");
  const entries = words.map((word): [number, { name: string; inline?: string }] => {
    const [, field = "", number = "0", inline] = /^(\w+)=(\d+)(?:>(\w+))?$/.exec(word) ?? [];
    return [Number(number), { name: field, ...(inline !== undefined && { inline }) }];
  });
  return [name, new Map(entries)];
}

function message(name: string, struct: Struct, bytes: Uint8Array): JsonMap {
  const names = namesOf(name);
  const out: JsonMap = {};
  for (const field of fieldsIn(bytes)) {
    const known = names.get(field.number);
    if (!known) continue;
    if (known.inline !== undefined) Object.assign(out, message(known.inline, struct, field.bytes));
    else {
      const type = struct.fields.get(known.name)?.type;
      if (type) put(out, known.name, type, field);
    }
  }
  return out;
}

function put(out: JsonMap, name: string, type: FieldType, field: WireField): void {
  if (type.is === "list") {
    out[name] = [...((out[name] as readonly Json[] | undefined) ?? []), valueOf(type.of, field)];
  } else if (type.is === "map") {
    const entry: JsonMap = {};
    let key = "";
    let value: Json = type.of.is === "scalar" ? "" : {};
    for (const part of fieldsIn(field.bytes)) {
      if (part.number === 1) key = text(part.bytes);
      else value = valueOf(type.of, part);
    }
    entry[key] = value;
    out[name] = { ...(out[name] as JsonMap | undefined), ...entry };
  } else out[name] = valueOf(type, field);
}

function valueOf(type: FieldType, field: WireField): Json {
  if (type.is === "struct") {
    const struct = structOf(type.name);
    return struct ? message(type.name.split(".").at(-1) ?? "", struct, field.bytes) : {};
  }
  return type.is === "scalar" ? scalar(type.scalar, field) : null;
}

function scalar(kind: string, { bytes, varint }: WireField): Json {
  switch (kind) {
    case "i":
    case "l":
      return Number(BigInt.asIntN(64, varint));
    case "b":
      return varint !== 0n;
    case "y":
      return Buffer.from(bytes).toString("base64");
    case "t":
    case "u":
      return time(bytes, kind === "u");
    case "q":
      return text([...fieldsIn(bytes)].find((f) => f.number === 1)?.bytes ?? new Uint8Array());
    case "x":
      return intOrString(bytes);
    case "n":
      return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
    case "r":
    case "a": {
      const raw = [...fieldsIn(bytes)].find((f) => f.number === 1)?.bytes;
      return raw ? (JSON.parse(text(raw)) as Json) : {};
    }
    default:
      return text(bytes);
  }
}

function time(bytes: Uint8Array, micro: boolean): Json {
  let [seconds, nanos] = [0, 0];
  for (const part of fieldsIn(bytes)) {
    if (part.number === 1) seconds = Number(BigInt.asIntN(64, part.varint));
    else nanos = Number(part.varint);
  }
  // The zero time of Go means that there is none.
  if (bytes.length === 0 || seconds < 0) return null;
  const iso = new Date(seconds * 1000).toISOString().slice(0, 19);
  return micro ? `${iso}.${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z` : `${iso}Z`;
}

function intOrString(bytes: Uint8Array): Json {
  let [isText, number, word] = [false, 0, ""];
  for (const part of fieldsIn(bytes)) {
    if (part.number === 1) isText = part.varint === 1n;
    else if (part.number === 2) number = Number(BigInt.asIntN(64, part.varint));
    else word = text(part.bytes);
  }
  return isText ? word : number;
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

const none = new Uint8Array();

function* fieldsIn(bytes: Uint8Array): Generator<WireField> {
  try {
    for (const { number, value } of protobufFields(bytes)) {
      if (typeof value === "bigint") yield { number, bytes: none, varint: value };
      else yield { number, bytes: value, varint: 0n };
    }
  } catch (error) {
    throw badRequest(
      `the protobuf body cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
