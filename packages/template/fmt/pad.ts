import type { Budget } from "../budget.ts";
import { canBackquote, quote, quoteRune } from "../quote.ts";
import { byteSlice, chars, isAscii, runeCount, runeText, toBytes } from "../text.ts";
import { isPrint } from "../unicode.ts";
import { type FloatVerb, formatFloat } from "./float.ts";

/** The flags between % and the verb. */
export interface Flags {
  width: number | undefined;
  precision: number | undefined;
  minus: boolean;
  plus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  /** %+v */
  plusV: boolean;
  /** %#v */
  sharpV: boolean;
}

/** Flags that ask for nothing. */
export function noFlags(): Flags {
  return {
    width: undefined,
    precision: undefined,
    minus: false,
    plus: false,
    sharp: false,
    space: false,
    zero: false,
    plusV: false,
    sharpV: false,
  };
}

/** Writes scalars with flags, as Go's fmt does. */
export class Padder {
  flags: Flags = noFlags();
  out = "";
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  write(text: string): void {
    this.out += text;
    this.#budget.grow(this.out.length, text.length);
  }

  #padding(count: number, zero = this.flags.zero): string {
    if (count <= 0) return "";
    this.#budget.text(this.out.length + count);
    return (zero && !this.flags.minus ? "0" : " ").repeat(count);
  }

  pad(text: string, zero = this.flags.zero): void {
    const { width } = this.flags;
    if (width === undefined || width === 0) return this.write(text);
    const padding = this.#padding(width - runeCount(text), zero);
    this.write(this.flags.minus ? text + padding : padding + text);
  }

  text(text: string): void {
    this.pad(this.#truncated(text));
  }

  quoted(text: string): void {
    const kept = this.#truncated(text);
    if (this.flags.sharp && canBackquote(kept)) this.pad(`\`${kept}\``);
    else this.pad(quote(kept, this.flags.plus));
  }

  #truncated(text: string): string {
    const { precision } = this.flags;
    if (precision === undefined || text.length <= precision) return text;
    return isAscii(text) ? text.slice(0, precision) : chars(text).slice(0, precision).join("");
  }

  /** %x of a string or of bytes. */
  hex(bytes: Uint8Array, upper: boolean): void {
    const { precision, sharp, space, width, minus } = this.flags;
    const prefix = sharp ? (upper ? "0X" : "0x") : "";
    const kept = precision !== undefined && precision < bytes.length ? bytes.subarray(0, precision) : bytes;
    if (kept.length === 0) return this.write(this.#padding(width ?? 0));
    const digits = Array.from(kept, (byte) => byte.toString(16).padStart(2, "0"));
    const body = space ? digits.join(` ${prefix}`) : digits.join("");
    const text = prefix + (upper ? body.toUpperCase().replaceAll("0X", prefix) : body);
    const padding = this.#padding((width ?? 0) - text.length);
    this.write(minus ? text + padding : padding + text);
  }

  hexText(text: string, upper: boolean): void {
    const { precision } = this.flags;
    this.hex(toBytes(precision === undefined ? text : byteSlice(text, 0, precision)), upper);
  }

  integer(value: bigint, base: 2 | 8 | 10 | 16, verb: string): void {
    const { precision, width, zero, minus, plus, space, sharp } = this.flags;
    const negative = value < 0n;
    let digits = (negative ? -value : value).toString(base);
    if (verb === "X") digits = digits.toUpperCase();
    if (precision === 0 && value === 0n) return this.write(this.#padding(width ?? 0, false));
    let least = precision ?? 0;
    if (precision === undefined && zero && !minus && width !== undefined)
      least = width - (negative || plus || space ? 1 : 0);
    if (least > digits.length)
      digits = this.#padding(least - digits.length, false).replaceAll(" ", "0") + digits;
    if (sharp && base === 2) digits = `0b${digits}`;
    else if (sharp && base === 8 && !digits.startsWith("0")) digits = `0${digits}`;
    else if (sharp && base === 16) digits = (verb === "X" ? "0X" : "0x") + digits;
    if (verb === "O") digits = `0o${digits}`;
    this.pad((negative ? "-" : plus ? "+" : space ? " " : "") + digits, false);
  }

  character(code: bigint): void {
    this.pad(runeText(clampRune(code)));
  }

  quotedCharacter(code: bigint): void {
    this.pad(quoteRune(clampRune(code), this.flags.plus));
  }

  unicode(value: bigint): void {
    const code = BigInt.asUintN(64, value);
    const digits = code
      .toString(16)
      .toUpperCase()
      .padStart(Math.max(4, this.flags.precision ?? 0), "0");
    const shown = this.flags.sharp && code <= 0x10ffffn && isPrint(Number(code));
    this.pad(`U+${digits}${shown ? ` '${String.fromCodePoint(Number(code))}'` : ""}`, false);
  }

  float(value: number, verb: FloatVerb, precision: number): void {
    const { flags } = this;
    const wanted = flags.precision ?? precision;
    const raw = formatFloat(value, verb, wanted);
    const signed = raw.startsWith("-") || raw.startsWith("+");
    let sign = signed ? (raw[0] ?? "") : "+";
    let body = signed ? raw.slice(1) : raw;
    if (flags.space && sign === "+" && !flags.plus) sign = " ";
    if (body === "Inf" || body === "NaN") {
      const bare = body === "NaN" && !flags.space && !flags.plus;
      return this.pad(bare ? body : sign + body, false);
    }
    if (flags.sharp && verb !== "b") body = withPoint(body, verb, wanted);
    if (!flags.plus && sign === "+") return this.pad(body);
    const missing = (flags.width ?? 0) - body.length - 1;
    if (flags.zero && !flags.minus && missing > 0) this.write(sign + this.#padding(missing) + body);
    else this.pad(sign + body);
  }
}

function clampRune(value: bigint): number {
  return value < 0n || value > 0x10ffffn ? 0xfffd : Number(value);
}

/** The # flag keeps the point and the zeros that a short form drops. */
function withPoint(body: string, verb: FloatVerb, precision: number): string {
  const hex = verb === "x" || verb === "X";
  let digits = verb === "g" || verb === "G" || verb === "x" ? (precision === -1 ? 6 : precision) : 0;
  const cut = body.search(hex ? /[pP]/ : /[eE]/);
  let number = cut < 0 ? body : body.slice(0, cut);
  const tail = cut < 0 ? "" : body.slice(cut);
  let seen = false;
  for (const char of number) {
    if (char === ".") continue;
    if (char !== "0") seen = true;
    if (seen) digits -= 1;
  }
  if (!number.includes(".")) {
    if (number === "0") digits -= 1;
    number += ".";
  }
  return number + "0".repeat(Math.max(digits, 0)) + tail;
}
