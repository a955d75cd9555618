/** The parts of a layout that stand for something. */
export type Part =
  | "longMonth"
  | "month"
  | "numMonth"
  | "zeroMonth"
  | "longWeekDay"
  | "weekDay"
  | "day"
  | "underDay"
  | "zeroDay"
  | "underYearDay"
  | "zeroYearDay"
  | "hour"
  | "hour12"
  | "zeroHour12"
  | "minute"
  | "zeroMinute"
  | "second"
  | "zeroSecond"
  | "longYear"
  | "year"
  | "PM"
  | "pm"
  | "TZ"
  | "fraction0"
  | "fraction9"
  | ZonePart;

/** Offsets: Z variants write Z for UTC. */
export type ZonePart =
  | "Z070000"
  | "Z07:00:00"
  | "Z0700"
  | "Z07:00"
  | "Z07"
  | "-070000"
  | "-07:00:00"
  | "-0700"
  | "-07:00"
  | "-07";

/** One step of a layout: literal text, then a part (none at the end). */
export interface Chunk {
  readonly literal: string;
  readonly part?: Part;
  /** The part as the layout writes it. */
  readonly text: string;
}

const zoneParts: readonly ZonePart[] = [
  "Z070000",
  "Z07:00:00",
  "Z0700",
  "Z07:00",
  "Z07",
  "-070000",
  "-07:00:00",
  "-0700",
  "-07:00",
  "-07",
];
const zeroParts: Readonly<Record<string, Part>> = {
  "01": "zeroMonth",
  "02": "zeroDay",
  "03": "zeroHour12",
  "04": "zeroMinute",
  "05": "zeroSecond",
  "06": "year",
};
const cache = new Map<string, readonly Chunk[]>();
const cacheSize = 256;

/** Cuts a Go layout into its chunks; a bounded number of layouts is remembered. */
export function chunks(layout: string): readonly Chunk[] {
  const known = cache.get(layout);
  if (known !== undefined) return known;
  const out = cut(layout);
  if (cache.size >= cacheSize) cache.clear();
  cache.set(layout, out);
  return out;
}

function cut(layout: string): Chunk[] {
  const out: Chunk[] = [];
  let start = 0;
  let at = 0;
  while (at < layout.length) {
    const found = partAt(layout, at);
    if (found === undefined) {
      at += 1;
      continue;
    }
    const from = at + (found.skip ?? 0);
    const end = from + found.size;
    out.push({ literal: layout.slice(start, from), part: found.part, text: layout.slice(from, end) });
    start = end;
    at = end;
  }
  out.push({ literal: layout.slice(start), text: "" });
  return out;
}

interface Found {
  readonly part: Part;
  readonly size: number;
  /** Literal characters before the part. */
  readonly skip?: number;
}

function partAt(layout: string, at: number): Found | undefined {
  const is = (text: string) => layout.startsWith(text, at);
  switch (layout[at]) {
    case "J":
      return named(layout, at, "January", "longMonth", "Jan", "month");
    case "M":
      if (is("MST")) return { part: "TZ", size: 3 };
      return named(layout, at, "Monday", "longWeekDay", "Mon", "weekDay");
    case "0":
      return zeroPart(layout, at);
    case "1":
      return is("15") ? { part: "hour", size: 2 } : { part: "numMonth", size: 1 };
    case "2":
      return is("2006") ? { part: "longYear", size: 4 } : { part: "day", size: 1 };
    case "_":
      if (is("_2006")) return { part: "longYear", size: 4, skip: 1 };
      if (is("_2")) return { part: "underDay", size: 2 };
      return is("__2") ? { part: "underYearDay", size: 3 } : undefined;
    case "3":
      return { part: "hour12", size: 1 };
    case "4":
      return { part: "minute", size: 1 };
    case "5":
      return { part: "second", size: 1 };
    case "P":
      return is("PM") ? { part: "PM", size: 2 } : undefined;
    case "p":
      return is("pm") ? { part: "pm", size: 2 } : undefined;
    case "-":
    case "Z": {
      const part = zoneParts.find((zone) => is(zone));
      return part === undefined ? undefined : { part, size: part.length };
    }
    case ".":
    case ",":
      return fraction(layout, at);
    default:
      return undefined;
  }
}

function named(
  layout: string,
  at: number,
  long: string,
  longPart: Part,
  short: string,
  shortPart: Part,
): Found | undefined {
  if (!layout.startsWith(short, at)) return undefined;
  if (layout.startsWith(long, at)) return { part: longPart, size: long.length };
  const next = layout[at + 3] ?? "";
  return next >= "a" && next <= "z" ? undefined : { part: shortPart, size: 3 };
}

function zeroPart(layout: string, at: number): Found | undefined {
  const part = zeroParts[layout.slice(at, at + 2)];
  if (part !== undefined) return { part, size: 2 };
  return layout.startsWith("002", at) ? { part: "zeroYearDay", size: 3 } : undefined;
}

function fraction(layout: string, at: number): Found | undefined {
  const digit = layout[at + 1];
  if (digit !== "0" && digit !== "9") return undefined;
  let end = at + 1;
  while (layout[end] === digit) end += 1;
  if (/[0-9]/.test(layout[end] ?? "")) return undefined;
  return { part: digit === "0" ? "fraction0" : "fraction9", size: end - at };
}
