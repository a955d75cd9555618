import { isEscape, runeText, toBytes } from "../text.ts";
import { isPrint } from "../unicode.ts";

const htmlMarks: Readonly<Record<string, string>> = {
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\0": "\ufffd",
};

/** Go's template.HTMLEscapeString. */
export function htmlEscape(text: string): string {
  // oxlint-disable-next-line no-control-regex -- Go replaces NUL too
  return text.replace(/["'&<>\0]/g, (mark) => htmlMarks[mark] ?? mark);
}

const jsMarks: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  '"': '\\"',
  "<": "\\u003C",
  ">": "\\u003E",
  "&": "\\u0026",
  "=": "\\u003D",
};

/** Go's template.JSEscapeString. */
export function jsEscape(text: string): string {
  let out = "";
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const known = jsMarks[char];
    if (known !== undefined) out += known;
    else if (code < 32) out += `\\u00${code.toString(16).toUpperCase().padStart(2, "0")}`;
    // A stray byte stays: U+FFFD, which it reads as, can be printed.
    else if (code < 0x80 || isEscape(code) || isPrint(code)) out += char;
    else out += `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`;
  }
  return out;
}

/** Go's url.QueryEscape. */
export function queryEscape(text: string): string {
  return percentEncode(text, /[A-Za-z0-9\-_.~]/).replaceAll("%20", "+");
}

/** Percent-encodes every byte whose character is not kept. */
export function percentEncode(text: string, kept: RegExp): string {
  let out = "";
  for (const byte of toBytes(text)) {
    const char = runeText(byte);
    if (byte < 0x80 && kept.test(char)) out += char;
    else out += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return out;
}
