/**
 * Go strings are bytes; ours are JavaScript strings in which a byte that is not part of valid UTF-8 stands as the
 * lone surrogate U+DC80..U+DCFF. Valid text is therefore itself, and only odd text pays.
 */
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** The bytes of a Go string. */
export function toBytes(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  const out: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (isEscape(code)) out.push(code - 0xdc00);
    else out.push(...encoder.encode(char));
  }
  return Uint8Array.from(out);
}

/** The Go string of some bytes; bytes that are not UTF-8 are kept. */
export function fromBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    // Not UTF-8: decoded by hand, byte by byte where it has to be.
    return decodeLoosely(bytes);
  }
}

function decodeLoosely(bytes: Uint8Array): string {
  let out = "";
  let at = 0;
  while (at < bytes.length) {
    const size = runeSize(bytes, at);
    if (size === 0) {
      out += String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
      at += 1;
    } else {
      out += strict.decode(bytes.subarray(at, at + size));
      at += size;
    }
  }
  return out;
}

/** The length of the valid UTF-8 sequence at a place, or 0. */
function runeSize(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + size > bytes.length) return 0;
  for (let i = 1; i < size; i += 1) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  if (first === 0xe0 && second < 0xa0) return 0;
  if (first === 0xed && second > 0x9f) return 0;
  if (first === 0xf0 && second < 0x90) return 0;
  if (first === 0xf4 && second > 0x8f) return 0;
  return size;
}

/** Whether a code point stands for a byte that is not UTF-8. */
export function isEscape(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff;
}

/** Joined pieces may complete a sequence that was cut; this puts it together. */
export function joined(text: string): string {
  return text.isWellFormed() ? text : fromBytes(toBytes(text));
}

/** The text as any other program sees it: what is not UTF-8 becomes U+FFFD, one for each byte, as Go's JSON does. */
export function printable(text: string): string {
  return text.isWellFormed() ? text : joined(text).toWellFormed();
}

/** The length in bytes, which is what Go's len counts. */
export function byteLength(text: string): number {
  let size = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) size += 1;
    else if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length) {
      size += 2;
      i += 1;
    } else if (!isEscape(unit)) size += 2;
  }
  return size;
}

/** The bytes [from, to) of a Go string, itself a Go string. */
export function byteSlice(text: string, from: number, to: number): string {
  if (isAscii(text)) return text.slice(from, to);
  return fromBytes(toBytes(text).subarray(from, to));
}

/** Whether every character is one byte. */
export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) >= 0x80) return false;
  return true;
}

/**
 * Two texts in a form in which finding one in the other works on bytes: themselves, unless a stray byte is in either,
 * and then one character for each byte. `back` turns a piece of the first into a Go string again.
 */
export function onBytes(
  text: string,
  part: string,
): { text: string; part: string; back: (piece: string) => string } {
  if (text.isWellFormed() && part.isWellFormed()) return { text, part, back: (piece) => piece };
  const latin = (all: string) => Array.from(toBytes(all), (byte) => String.fromCharCode(byte)).join("");
  const back = (piece: string) => fromBytes(Uint8Array.from(piece, (char) => char.charCodeAt(0)));
  return { text: latin(text), part: latin(part), back };
}

/** The code points as Go's range sees them: a stray byte is U+FFFD. */
export function runes(text: string): number[] {
  const out: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    out.push(isEscape(code) ? 0xfffd : code);
  }
  return out;
}

/** The code points, each as a text of its own. */
export function chars(text: string): string[] {
  return Array.from(text);
}

/** The number of code points. */
export function runeCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** A code point as text; what is no code point is U+FFFD. */
export function runeText(code: number): string {
  if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return "\ufffd";
  return String.fromCodePoint(code);
}

/** Orders by bytes, as Go does; UTF-16 order differs above U+FFFF. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!/[\ud800-\udfff]/.test(a) && !/[\ud800-\udfff]/.test(b)) return a < b ? -1 : 1;
  const left = toBytes(a);
  const right = toBytes(b);
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i += 1) {
    const d = (left[i] ?? 0) - (right[i] ?? 0);
    if (d !== 0) return d < 0 ? -1 : 1;
  }
  return Math.sign(left.length - right.length);
}
