/** A list's own fields, with its items as slices of the answer: nothing was parsed twice or printed again. */
export interface SplitList {
  /** Every field but `items`. */
  readonly head: Readonly<Record<string, unknown>>;
  /** The JSON text of each item, as the server wrote it. They share the answer's memory. */
  readonly items: readonly Buffer[];
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const open = 0x7b;
const close = 0x7d;
const openArray = 0x5b;
const closeArray = 0x5d;

/** Splits the JSON of a list into its items without parsing them; throws SyntaxError when it is no such JSON. */
export function splitList(json: Buffer): SplitList {
  let at = expect(json, skipSpace(json, 0), open);
  const items: Buffer[] = [];
  let head = "";
  for (let first = true; ; first = false) {
    at = skipSpace(json, at);
    if (json[at] === close) break;
    if (!first) at = skipSpace(json, expect(json, at, comma));
    const keyEnd = endOfString(json, at);
    const key = json.toString("latin1", at, keyEnd);
    at = skipSpace(json, expect(json, skipSpace(json, keyEnd), 0x3a));
    if (key === '"items"' && json[at] === openArray) {
      at = splitArray(json, at, items);
      continue;
    }
    const end = endOfValue(json, at);
    head += `${head === "" ? "" : ","}${key}:${json.toString("utf8", at, end)}`;
    at = end;
  }
  return { head: JSON.parse(`{${head}}`) as Record<string, unknown>, items };
}

function splitArray(json: Buffer, start: number, items: Buffer[]): number {
  let at = skipSpace(json, start + 1);
  if (json[at] === closeArray) return at + 1;
  for (;;) {
    const end = endOfValue(json, at);
    items.push(json.subarray(at, end));
    at = skipSpace(json, end);
    if (json[at] === closeArray) return at + 1;
    at = skipSpace(json, expect(json, at, comma));
  }
}

/** The index after the value that starts here. */
function endOfValue(json: Buffer, start: number): number {
  const first = json[start];
  if (first === quote) return endOfString(json, start);
  if (first !== open && first !== openArray) return endOfLiteral(json, start);
  let depth = 0;
  for (let at = start; at < json.length; ) {
    switch (json[at]) {
      case quote:
        at = endOfString(json, at);
        continue;
      case open:
      case openArray:
        depth += 1;
        break;
      case close:
      case closeArray:
        depth -= 1;
        if (depth === 0) return at + 1;
        break;
      default:
    }
    at += 1;
  }
  throw new SyntaxError("the list ends within a value");
}

/** Strings are where the bytes are, so they are skipped with the platform's own search. */
function endOfString(json: Buffer, start: number): number {
  if (json[start] !== quote) throw new SyntaxError(`expected a string at byte ${start} of the list`);
  for (let at = start + 1; ; at += 1) {
    at = json.indexOf(quote, at);
    if (at < 0) throw new SyntaxError("the list ends within a string");
    let slashes = 0;
    while (json[at - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
}

function endOfLiteral(json: Buffer, start: number): number {
  let at = start;
  while (at < json.length && !isDelimiter(json[at])) at += 1;
  if (at === start) throw new SyntaxError(`expected a value at byte ${start} of the list`);
  return at;
}

function isDelimiter(byte: number | undefined): boolean {
  return byte === comma || byte === close || byte === closeArray || isSpace(byte);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function skipSpace(json: Buffer, start: number): number {
  let at = start;
  while (isSpace(json[at])) at += 1;
  return at;
}

function expect(json: Buffer, at: number, byte: number): number {
  if (json[at] === byte) return at + 1;
  throw new SyntaxError(`expected ${String.fromCharCode(byte)} at byte ${at} of the list`);
}
