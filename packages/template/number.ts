import type { Numeral } from "./node.ts";
import { unquoteChar } from "./quote.ts";

/** Why a text is not a number of the wanted type. */
export type NumberFault = "syntax" | "range";

const maxInt64 = 2n ** 63n - 1n;
const maxUint64 = 2n ** 64n - 1n;

/** Go's strconv.ParseInt for 64 bits; base 0 reads prefixes and underscores. */
export function parseInt64(text: string, base: 0 | 8 | 10): bigint | NumberFault {
  const negative = text.startsWith("-");
  const digits = negative || text.startsWith("+") ? text.slice(1) : text;
  const value = parseUint64(digits, base);
  if (typeof value === "string") return value;
  if (value > maxInt64 + (negative ? 1n : 0n)) return "range";
  return negative ? -value : value;
}

/** Go's strconv.ParseUint for 64 bits. */
export function parseUint64(text: string, base: 0 | 8 | 10): bigint | NumberFault {
  const parsed = base === 0 ? prefixed(text) : { digits: text, radix: base };
  if (parsed === undefined) return "syntax";
  const { digits, radix } = parsed;
  const allowed = { 2: /^[01]+$/, 8: /^[0-7]+$/, 10: /^[0-9]+$/, 16: /^[0-9a-fA-F]+$/ }[radix];
  if (!allowed.test(digits)) return "syntax";
  const value = BigInt({ 2: "0b", 8: "0o", 10: "", 16: "0x" }[radix] + digits);
  return value > maxUint64 ? "range" : value;
}

function prefixed(text: string): { digits: string; radix: 2 | 8 | 10 | 16 } | undefined {
  if (text.includes("_") && !underscoresOk(text)) return undefined;
  const plain = text.replaceAll("_", "");
  const letter = plain.length > 2 ? plain[1]?.toLowerCase() : undefined;
  if (plain[0] !== "0" || plain.length === 1) return { digits: plain, radix: 10 };
  if (letter === "x") return { digits: plain.slice(2), radix: 16 };
  if (letter === "o") return { digits: plain.slice(2), radix: 8 };
  if (letter === "b") return { digits: plain.slice(2), radix: 2 };
  return { digits: plain.slice(1), radix: 8 };
}

/** Underscores must stand between digits, or after a base's prefix. */
function underscoresOk(text: string): boolean {
  const body = text.replace(/^[+-]/, "");
  const hex = /^0x/i.test(body);
  const rest = /^0[box]/i.test(body) ? `0${body.slice(2)}` : body;
  const digit = hex ? "[0-9a-fA-F]" : "[0-9]";
  const wrong = new RegExp(`(^|(?!${digit}|_).)_|__|_$|_(?!${digit})`);
  return !wrong.test(rest);
}

const decimalForm = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const hexForm = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)p([+-]?\d+)$/i;

/** Go's strconv.ParseFloat for 64 bits. */
export function parseFloat64(text: string): number | NumberFault {
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (named !== null) {
    if (/nan/i.test(text)) return named[1] === "" ? Number.NaN : "syntax";
    return named[1] === "-" ? -Infinity : Infinity;
  }
  if (text.includes("_") && !underscoresOk(text)) return "syntax";
  const plain = text.replaceAll("_", "");
  const hex = hexForm.exec(plain);
  const value = hex === null ? (decimalForm.test(plain) ? Number(plain) : undefined) : hexFloat(hex);
  if (value === undefined) return "syntax";
  return Number.isFinite(value) ? value : "range";
}

/** A hexadecimal float, rounded half to even at 53 bits. */
function hexFloat(parts: RegExpExecArray): number | undefined {
  const [, sign, whole = "", part = "", power = "0"] = parts;
  if (whole + part === "") return undefined;
  let mantissa = BigInt(`0x${whole}${part}`);
  if (mantissa === 0n) return sign === "-" ? -0 : 0;
  let exponent = Math.max(-100000, Math.min(100000, Number(power))) - 4 * part.length;
  const width = mantissa.toString(2).length;
  // Below 2^-1022 fewer bits are left.
  const keep = Math.min(53, width + exponent + 1074);
  if (keep < 0) return sign === "-" ? -0 : 0;
  const drop = width - keep;
  if (drop > 0) {
    const cut = mantissa & ((1n << BigInt(drop)) - 1n);
    const half = 1n << BigInt(drop - 1);
    mantissa >>= BigInt(drop);
    exponent += drop;
    if (cut > half || (cut === half && (mantissa & 1n) === 1n)) mantissa += 1n;
  }
  if (mantissa.toString(2).length + exponent > 1024) return Infinity;
  const value = scale(Number(mantissa), exponent);
  return sign === "-" ? -value : value;
}

/** value × 2^exponent, in steps that do not leave the range on the way. */
function scale(value: number, exponent: number): number {
  let out = value;
  let left = exponent;
  for (; left > 1000; left -= 1000) out *= 2 ** 1000;
  for (; left < -1000; left += 1000) out *= 2 ** -1000;
  return out * 2 ** left;
}

/** Reads a literal as every type it can be, or says why it is none. */
export function parseNumeral(text: string, type: "number" | "complex" | "charConstant"): Numeral | string {
  if (type === "charConstant") return parseChar(text);
  if (type === "complex") return parseComplex(text);
  if (text.endsWith("i")) {
    const im = parseFloat64(text.slice(0, -1));
    if (typeof im === "number") return complexNumeral(text, 0, im);
  }
  const uint = parseUint64(text, 0);
  const int = parseInt64(text, 0);
  if (typeof int === "bigint") {
    const unsigned = typeof uint === "bigint" ? uint : int === 0n ? 0n : undefined;
    return { text, int, float: Number(int), ...(unsigned === undefined ? {} : { uint: unsigned }) };
  }
  if (typeof uint === "bigint") return { text, uint, float: Number(uint) };
  const float = parseFloat64(text);
  if (typeof float === "string") return `illegal number syntax: ${JSON.stringify(text)}`;
  if (!/[.eEpP]/.test(text)) return `integer overflow: ${JSON.stringify(text)}`;
  return { text, float, ...integersOf(float) };
}

/** The integers that a float is exactly. */
function integersOf(float: number): { int?: bigint; uint?: bigint } {
  if (!Number.isInteger(float)) return {};
  const whole = BigInt(float);
  const signed = whole >= -maxInt64 - 1n && whole <= maxInt64;
  const unsigned = whole >= 0n && whole <= maxUint64;
  return { ...(signed ? { int: whole } : {}), ...(unsigned ? { uint: whole } : {}) };
}

function parseChar(text: string): Numeral | string {
  const char = unquoteChar(text.slice(1), 0, "'");
  if (char === undefined) return "invalid syntax";
  if (text.slice(1 + char.next) !== "'") return `malformed character constant: ${text}`;
  return { text, int: BigInt(char.code), uint: BigInt(char.code), float: char.code };
}

function parseComplex(text: string): Numeral | string {
  const split = /^(.*?[^eEpP+-])([+-].*)i$/.exec(text);
  const re = parseFloat64(split?.[1] ?? "");
  const im = parseFloat64(split?.[2] ?? "");
  if (typeof re === "string" || typeof im === "string") return "syntax error scanning complex number";
  return complexNumeral(text, re, im);
}

function complexNumeral(text: string, re: number, im: number): Numeral {
  return { text, complex: { re, im }, ...(im === 0 ? { float: re, ...integersOf(re) } : {}) };
}
