/** Go's unicode.IsSpace. */
export function isSpace(code: number): boolean {
  if (code < 0x100) return (code >= 9 && code <= 13) || code === 32 || code === 0x85 || code === 0xa0;
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

const letter = /^\p{L}$/u;
const digit = /^\p{Nd}$/u;
const number = /^\p{N}$/u;
const upper = /^\p{Lu}$/u;
const lower = /^\p{Ll}$/u;
const titled = /^\p{Lt}$/u;
const visible = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;

const at = (pattern: RegExp) => (code: number) => pattern.test(String.fromCodePoint(code));

/** Go's unicode.IsLetter. */
export const isLetter = at(letter);
/** Go's unicode.IsDigit. */
export const isDigit = at(digit);
/** Go's unicode.IsNumber. */
export const isNumber = at(number);
/** Go's unicode.IsUpper. */
export const isUpper = at(upper);
/** Go's unicode.IsLower. */
export const isLower = at(lower);
/** Go's unicode.IsTitle. */
export const isTitle = at(titled);

/** Go's unicode.IsPrint. */
export function isPrint(code: number): boolean {
  if (code < 0x7f) return code >= 0x20;
  return visible.test(String.fromCodePoint(code));
}

/** One code point in upper case; Go maps one to one, where JavaScript may answer with several. */
export function toUpper(code: number): number {
  if (code < 0x80) return code >= 97 && code <= 122 ? code - 32 : code;
  const mapped = String.fromCodePoint(code).toUpperCase();
  return single(mapped) ?? iotaSubscript(code);
}

/** One code point in lower case. */
export function toLower(code: number): number {
  if (code < 0x80) return code >= 65 && code <= 90 ? code + 32 : code;
  if (code === 0x130) return 0x69;
  return single(String.fromCodePoint(code).toLowerCase()) ?? code;
}

/** One code point in title case. */
export function toTitle(code: number): number {
  if (code >= 0x1c4 && code <= 0x1cc) return code < 0x1c7 ? 0x1c5 : code < 0x1ca ? 0x1c8 : 0x1cb;
  if (code >= 0x1f1 && code <= 0x1f3) return 0x1f2;
  if (code >= 0x10d0 && code <= 0x10ff) return code;
  return toUpper(code);
}

/** Changes every code point of a text. */
export function mapRunes(text: string, change: (code: number) => number): string {
  let out = "";
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    // A stray byte becomes U+FFFD, as strings.Map does it.
    out += String.fromCodePoint(change(code >= 0xdc80 && code <= 0xdcff ? 0xfffd : code));
  }
  return out;
}

/** Go's strings.ToUpper. */
export function upperCase(text: string): string {
  return mapRunes(text, toUpper);
}

/** Go's strings.ToLower. */
export function lowerCase(text: string): string {
  return mapRunes(text, toLower);
}

/** Go's strings.TrimSpace. */
export function trimSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function single(text: string): number | undefined {
  const code = text.codePointAt(0) ?? 0;
  return text.length === (code > 0xffff ? 2 : 1) ? code : undefined;
}

/** Greek letters with an iota below have a capital of their own, which the full mapping takes apart. */
function iotaSubscript(code: number): number {
  const row = code & 0xfff0;
  if ((row === 0x1f80 || row === 0x1f90 || row === 0x1fa0) && (code & 15) < 8) return code + 8;
  if (code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3) return code + 9;
  return code;
}
