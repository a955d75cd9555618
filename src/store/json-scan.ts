/** Walks JSON as it arrives, without recursion: how deep, how many keys and values, any long number. Syntax is JSON.parse's business. */
export class JsonScan {
  depth = 0;
  keys = 0;
  /** At least as many as there are values. */
  values = 1;
  /** A number too long to be sure that a double holds it. */
  longNumber = false;
  #depth = 0;
  #digits = 0;
  #inString = false;
  #escaped = false;

  push(bytes: Uint8Array): void {
    let [depth, digits, inString, escaped] = [this.#depth, this.#digits, this.#inString, this.#escaped];
    for (const byte of bytes) {
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === 0x5c) escaped = true;
        else if (byte === 0x22) inString = false;
        continue;
      }
      digits = (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x65 ? digits + 1 : 0;
      if (digits > 15) this.longNumber = true;
      if (byte === 0x22) inString = true;
      else if (byte === 0x3a) this.keys += 1;
      else if (byte === 0x2c) this.values += 1;
      else if (byte === 0x7b || byte === 0x5b) {
        this.values += 1;
        depth += 1;
        if (depth > this.depth) this.depth = depth;
      } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    }
    [this.#depth, this.#digits, this.#inString, this.#escaped] = [depth, digits, inString, escaped];
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What two readers of JSON would understand alike, or why it cannot be trusted. The scan must have seen these very bytes. */
export function parseScanned(
  bytes: Uint8Array,
  scan: JsonScan,
): { readonly value: unknown } | { readonly fault: string } {
  let value: unknown;
  try {
    const text = utf8.decode(bytes);
    value = scan.longNumber ? JSON.parse(text, keepNumber) : JSON.parse(text);
  } catch {
    return { fault: "it is no JSON" }; // the parser's own words quote the content, which may be a Secret
  }
  return countKeys(value) === scan.keys ? { value } : { fault: "a key occurs twice in its JSON" };
}

/** Numbers that a double would change (int64 beyond 2^53) keep their own text. */
function keepNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || String(value) === source) return value;
  return raw.rawJSON(source);
}

/** `JSON.rawJSON` exists in Node 24; TypeScript's library does not know it yet. */
const raw = JSON as unknown as { rawJSON(text: string): unknown; isRawJSON(value: unknown): boolean };

/** Bounded by the depth that the caller has let pass. */
function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null || raw.isRawJSON(value)) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) count += countKeys(element);
    return count;
  }
  for (const child of Object.values(value)) count += 1 + countKeys(child);
  return count;
}
