import { formatFloat } from "./fmt/float.ts";
import { base64 } from "./functions/base.ts";
import { compareText, isEscape } from "./text.ts";
import { jsonTime } from "./time/show.ts";
import { Bytes, Dict, Int, isTrue, List, NilPointer, Struct, Time, type Value, wrap } from "./value.ts";

/** What encoding/json refuses. */
class JsonFault extends Error {}

/** Go's json.Marshal, and with an indent MarshalIndent; "" when there is no JSON for the value, as sprig has it. */
export function toJson(value: Value, indent = ""): string {
  try {
    return encode(value, indent, "\n", 0);
  } catch (error) {
    if (error instanceof JsonFault) return "";
    throw error;
  }
}

function encode(value: Value, indent: string, line: string, depth: number): string {
  if (depth > 1000) throw new JsonFault("nests too deep");
  if (value === null || value === undefined || value instanceof NilPointer) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return encodeText(value);
  if (typeof value === "number") return encodeFloat(value);
  if (value instanceof Int) return String(value.value);
  if (value instanceof Bytes) return `"${base64(value.data)}"`;
  if (value instanceof Time) return `"${jsonTime(value)}"`;
  if (value instanceof List) {
    if (value.isNil) return "null";
    return wrapped(
      "[",
      value.items().map((item) => encode(item, indent, line + indent, depth + 1)),
      "]",
      indent,
      line,
    );
  }
  if (value instanceof Dict) return encodeDict(value, indent, line, depth);
  if (value instanceof Struct) return encodeStruct(value, indent, line, depth);
  throw new JsonFault("no JSON for this type");
}

function wrapped(
  open: string,
  items: readonly string[],
  close: string,
  indent: string,
  line: string,
): string {
  if (items.length === 0) return open + close;
  if (indent === "") return open + items.join(",") + close;
  return open + line + indent + items.join(`,${line}${indent}`) + line + close;
}

function encodeDict(value: Dict, indent: string, line: string, depth: number): string {
  if (value.isNil) return "null";
  const colon = indent === "" ? ":" : ": ";
  const keys = value.keys().sort(compareText);
  const items = keys.map(
    (key) => `${encodeText(key)}${colon}${encode(value.get(key), indent, line + indent, depth + 1)}`,
  );
  return wrapped("{", items, "}", indent, line);
}

function encodeStruct(value: Struct, indent: string, line: string, depth: number): string {
  // Our only struct with hidden fields alone is a version, which is JSON by its text when it is a pointer.
  if (value.text !== undefined) return encodeText(value.text());
  const colon = indent === "" ? ":" : ": ";
  const items: string[] = [];
  for (const field of value.fields) {
    const inner = wrap(field.value);
    if (field.hidden === true || field.json === "-" || (field.omitEmpty === true && isOmitted(inner)))
      continue;
    items.push(
      `${encodeText(field.json ?? field.name)}${colon}${encode(inner, indent, line + indent, depth + 1)}`,
    );
  }
  return wrapped("{", items, "}", indent, line);
}

function isOmitted(value: Value): boolean {
  return !(value instanceof Struct && !value.pointer) && !isTrue(value);
}

function encodeFloat(value: number): string {
  if (!Number.isFinite(value)) throw new JsonFault("no JSON for this number");
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-6 && size < 1e21)) return formatFloat(value, "f", -1);
  return formatFloat(value, "e", -1).replace(/e-0(\d)$/, "e-$1");
}

const marks: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\b": "\\b",
  "\f": "\\f",
};

function encodeText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters that JSON escapes
  if (!/[\u0000-\u001f"\\<>&\u2028\u2029\ud800-\udfff]/.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const mark = marks[char];
    if (mark !== undefined) out += mark;
    else if (isEscape(code)) out += "\\ufffd";
    else if (code < 32 || "<>&\u2028\u2029".includes(char)) out += `\\u${code.toString(16).padStart(4, "0")}`;
    else out += char;
  }
  return `${out}"`;
}
