/** Colours of the terminal by name. */
const codes = { red: 31, green: 32, yellow: 33, blue: 34, dim: 2, bold: 1 } as const;

/** The text in a colour, or as it is. */
export function paint(text: string, color: keyof typeof codes, on: boolean): string {
  return on && text !== "" ? `\x1b[${codes[color]}m${text}\x1b[0m` : text;
}

/** The text without control characters: names and messages of a cluster must not move the cursor. */
export function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, " ").trim();
}

/** How many columns a text takes; wide characters count two. */
export function width(text: string): number {
  let columns = 0;
  for (const char of text) columns += charWidth(char.codePointAt(0) ?? 0);
  return columns;
}

/** The text in exactly (or, unpadded, at most) so many columns; what is cut ends in an ellipsis. */
export function fit(text: string, columns: number, padded = true): string {
  const size = width(text);
  if (size <= columns) return padded ? text + " ".repeat(columns - size) : text;
  if (columns <= 0) return "";
  let kept = "";
  let used = 0;
  for (const char of text) {
    const next = charWidth(char.codePointAt(0) ?? 0);
    if (used + next > columns - 1) break;
    kept += char;
    used += next;
  }
  return `${kept}…${padded ? " ".repeat(columns - used - 1) : ""}`;
}

/** The text in lines of at most so many columns, broken between words; a word that is longer is cut. */
export function wrap(text: string, columns: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? "";
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").filter(Boolean)) {
    const longer = line === "" ? `${indent}${word}` : `${line} ${word}`;
    if (line !== "" && width(longer) > columns) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = longer;
  }
  return [...lines, line].map((each) => fit(each, columns, false));
}

/** The text in exactly so many columns; what is too long loses its middle, as the end of a name often tells more. */
export function fitMiddle(text: string, columns: number): string {
  if (width(text) <= columns || columns < 12) return fit(text, columns);
  const tail = Math.floor(columns / 3);
  const chars = Array.from(text);
  let end = "";
  while (width(end) < tail) end = `${chars.pop() ?? ""}${end}`;
  return fit(`${fit(chars.join(""), columns - width(end), false)}${end}`, columns);
}

/** The text in exactly so many columns; `namespace/workload: volume` loses the namespace first, which its neighbours share. */
export function fitName(text: string, columns: number): string {
  const [, own] = width(text) <= columns ? [] : (/^[a-z0-9-]+\/(.+)$/.exec(text) ?? []);
  return fitMiddle(own ?? text, columns);
}

/** East Asian wide and emoji blocks, the ones that terminals draw over two columns; marks that combine take none. */
function charWidth(code: number): number {
  if (code >= 0x300 && code <= 0x36f) return 0;
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff);
  return wide ? 2 : 1;
}
