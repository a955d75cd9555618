import { isDigit, isLetter, isPrint } from "./unicode.ts";

/** A code point as Go's %#U shows it. */
export function unicodeName(code: number): string {
  if (code < 0) return `U+${(BigInt(code) & 0xffffffffffffffffn).toString(16).toUpperCase()}`;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return isPrint(code) ? `${name} '${String.fromCodePoint(code)}'` : name;
}

/** The four characters that separate words in an action. */
export function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 13 || code === 10;
}

/** What words are made of. */
export function isAlphaNumeric(code: number): boolean {
  if (code < 0x80) {
    return (
      (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
    );
  }
  return isLetter(code) || isDigit(code);
}

/** Whether a trim marker follows an opening. */
export function hasLeftTrim(text: string, at: number): boolean {
  return text[at] === "-" && isBlank(text.charCodeAt(at + 1));
}

/** Whether a trim marker stands before a closing. */
export function hasRightTrim(text: string, at: number): boolean {
  return isBlank(text.charCodeAt(at)) && text[at + 1] === "-";
}

/** Where a stretch of text ends without its last blanks. */
export function trimRight(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** Line ends in a stretch of text. */
export function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let i = text.indexOf("\n", from); i >= 0 && i < to; i = text.indexOf("\n", i + 1)) count += 1;
  return count;
}
