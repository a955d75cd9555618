/** A count that can be believed: NaN, infinities, negatives, fractions of bytes and what 2^53 cannot hold say nothing. */
export function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Reads one JSON object; undefined for anything else, since banners and half lines share the pipe. */
export function readObject(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return asObject(JSON.parse(line));
  } catch {
    return undefined; // one unreadable line never fails a backup
  }
}

/** The value as an object, undefined when it is none. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>) // just checked
    : undefined;
}

/** Text of a program, safe to show: one line, no control characters, bounded. */
export function shown(text: string, limit = 500): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- colours of the mover
      .replace(/\u001b\[[0-9;]*m/g, "")
      // oxlint-disable-next-line no-control-regex -- the text goes to terminals and into status fields
      .replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ")
      .trim()
      .slice(0, limit)
  );
}
