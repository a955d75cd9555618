import { fromBytes, isEscape } from "./text.ts";
import { isPrint } from "./unicode.ts";

const short: Readonly<Record<number, string>> = {
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};

/** Go's strconv.Quote, and with `ascii` QuoteToASCII. */
export function quote(text: string, ascii = false): string {
  let out = '"';
  for (const char of text) out += escaped(char, '"', ascii);
  return `${out}"`;
}

/** Go's strconv.QuoteRune, and with `ascii` QuoteRuneToASCII. */
export function quoteRune(code: number, ascii = false): string {
  const valid = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return `'${escaped(String.fromCodePoint(valid ? code : 0xfffd), "'", ascii)}'`;
}

/** Whether strconv would write the text between back quotes. */
export function canBackquote(text: string): boolean {
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (isEscape(code) || code === 0xfeff || code === 0x60 || code === 0x7f || (code < 32 && code !== 9))
      return false;
  }
  return true;
}

function escaped(char: string, mark: string, ascii: boolean): string {
  const code = char.codePointAt(0) ?? 0;
  if (isEscape(code)) return `\\x${(code - 0xdc00).toString(16)}`;
  if (char === mark || char === "\\") return `\\${char}`;
  if (code < 0x80 ? isPrint(code) : !ascii && isPrint(code)) return char;
  const brief = short[code];
  if (brief !== undefined) return brief;
  const hex = code.toString(16);
  if (code < 32 || code === 0x7f) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** Go's strconv.Unquote of a whole literal; undefined when it is not one. */
export function unquote(literal: string): string | undefined {
  const mark = literal[0];
  if (literal.length < 2 || mark !== literal.at(-1)) return undefined;
  const body = literal.slice(1, -1);
  if (mark === "`") return body.includes("`") ? undefined : body.replaceAll("\r", "");
  if ((mark !== '"' && mark !== "'") || body.includes("\n")) return undefined;
  const bytes: number[] = [];
  let at = 0;
  let count = 0;
  while (at < body.length) {
    const step = unquoteChar(body, at, mark);
    if (step === undefined) return undefined;
    if (step.byte) bytes.push(step.code);
    else bytes.push(...encoder.encode(String.fromCodePoint(step.code)));
    at = step.next;
    count += 1;
  }
  if (mark === "'" && count !== 1) return undefined;
  return fromBytes(Uint8Array.from(bytes));
}

const encoder = new TextEncoder();
const letters: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, "\\": 92 };

interface Unquoted {
  readonly code: number;
  /** A \x or octal escape is one byte, not a code point. */
  readonly byte: boolean;
  readonly next: number;
}

/** One character or escape of a literal, or undefined when it is malformed. */
export function unquoteChar(body: string, at: number, mark: string): Unquoted | undefined {
  const code = body.codePointAt(at);
  if (code === undefined || body[at] === mark) return undefined;
  if (code !== 92) return { code, byte: false, next: at + (code > 0xffff ? 2 : 1) };
  const letter = body[at + 1];
  if (letter === undefined) return undefined;
  const simple = letters[letter];
  if (simple !== undefined) return { code: simple, byte: false, next: at + 2 };
  if (letter === "'" || letter === '"')
    return letter === mark ? { code: letter.charCodeAt(0), byte: false, next: at + 2 } : undefined;
  if (letter >= "0" && letter <= "7") return numeric(body, at + 1, 3, 8);
  const width = { x: 2, u: 4, U: 8 }[letter];
  return width === undefined ? undefined : numeric(body, at + 2, width, 16);
}

function numeric(body: string, at: number, width: number, base: 8 | 16): Unquoted | undefined {
  const digits = body.slice(at, at + width);
  if (digits.length < width || !(base === 8 ? /^[0-7]+$/ : /^[0-9a-fA-F]+$/).test(digits)) return undefined;
  const code = Number.parseInt(digits, base);
  if (width <= 3) return code > 255 ? undefined : { code, byte: true, next: at + width };
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return { code, byte: false, next: at + width };
}
