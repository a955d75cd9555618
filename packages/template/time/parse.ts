import { Time, type Zone } from "../value.ts";
import { dayNames, daysIn, isLeap, monthNames, secondsOf } from "./civil.ts";
import { type Chunk, chunks, type Part, type ZonePart } from "./layout.ts";
import { fixedZone, utc } from "./zone.ts";

interface Fields {
  year: number;
  month: number;
  day: number;
  yearDay: number;
  hour: number;
  minute: number;
  second: number;
  nanos: number;
  pm: boolean;
  am: boolean;
  utc: boolean;
  offset: number | undefined;
  zoneName: string;
}

/** Go's time.ParseInLocation; undefined when the text does not follow the layout. */
export function parseTime(layout: string, text: string, local: Zone): Time | undefined {
  const fields: Fields = {
    year: 0,
    month: -1,
    day: -1,
    yearDay: -1,
    hour: 0,
    minute: 0,
    second: 0,
    nanos: 0,
    pm: false,
    am: false,
    utc: false,
    offset: undefined,
    zoneName: "",
  };
  const steps = chunks(layout);
  let rest: string | undefined = text;
  for (const [i, chunk] of steps.entries()) {
    rest = skip(rest, chunk.literal);
    if (rest === undefined) return undefined;
    if (chunk.part === undefined) break;
    rest = read(fields, chunk, rest, steps[i + 1]);
    if (rest === undefined) return undefined;
  }
  if (rest !== "") return undefined;
  if (fields.pm && fields.hour < 12) fields.hour += 12;
  else if (fields.am && fields.hour === 12) fields.hour = 0;
  return dated(fields) ? placed(fields, local) : undefined;
}

/** Skips literal text; a run of spaces matches any run of spaces. */
function skip(value: string, literal: string): string | undefined {
  let rest = value;
  for (let i = 0; i < literal.length; i += 1) {
    if (literal[i] === " ") {
      if (rest !== "" && rest[0] !== " ") return undefined;
      while (literal[i + 1] === " ") i += 1;
      rest = rest.replace(/^ +/, "");
    } else {
      if (rest[0] !== literal[i]) return undefined;
      rest = rest.slice(1);
    }
  }
  return rest;
}

function read(f: Fields, chunk: Chunk, value: string, next: Chunk | undefined): string | undefined {
  const part = chunk.part as Part;
  switch (part) {
    case "year":
    case "longYear":
      return readYear(f, part, value);
    case "longMonth":
    case "month": {
      const index = lookup(part === "month" ? monthNames.map((name) => name.slice(0, 3)) : monthNames, value);
      f.month = index + 1;
      return index < 0 ? undefined : value.slice(part === "month" ? 3 : (monthNames[index] ?? "").length);
    }
    case "longWeekDay":
    case "weekDay": {
      const index = lookup(part === "weekDay" ? dayNames.map((name) => name.slice(0, 3)) : dayNames, value);
      return index < 0 ? undefined : value.slice(part === "weekDay" ? 3 : (dayNames[index] ?? "").length);
    }
    case "PM":
    case "pm": {
      const mark = value.slice(0, 2);
      f.pm = mark === part;
      f.am = mark === (part === "PM" ? "AM" : "am");
      return f.pm || f.am ? value.slice(2) : undefined;
    }
    case "underYearDay":
    case "zeroYearDay":
      return readYearDay(f, part, value);
    case "TZ":
      return readName(f, value);
    case "fraction0":
      return chunk.text.length > value.length ? undefined : readNanos(f, value, chunk.text.length);
    case "fraction9":
      return /^[.,]\d/.test(value)
        ? readNanos(f, value, 1 + (/^\d+/.exec(value.slice(1))?.[0].length ?? 0))
        : value;
    default:
      return isZone(part) ? readOffset(f, part, value) : readNumber(f, part, value, next);
  }
}

function readYear(f: Fields, part: "year" | "longYear", value: string): string | undefined {
  const digits = /^\d+/.exec(value)?.[0] ?? "";
  const size = part === "year" ? 2 : 4;
  // strconv reads the signs that Go lets through here; a date with a sign in its year is refused by the digit check.
  if (digits.length < size) return undefined;
  const year = Number(digits.slice(0, size));
  f.year = part === "longYear" ? year : year >= 69 ? year + 1900 : year + 2000;
  return value.slice(size);
}

const numbers: Partial<
  Record<
    Part,
    { key: "month" | "day" | "hour" | "minute" | "second"; fixed: boolean; max: number; min: number }
  >
> = {
  numMonth: { key: "month", fixed: false, min: 1, max: 12 },
  zeroMonth: { key: "month", fixed: true, min: 1, max: 12 },
  day: { key: "day", fixed: false, min: 0, max: 99 },
  underDay: { key: "day", fixed: false, min: 0, max: 99 },
  zeroDay: { key: "day", fixed: true, min: 0, max: 99 },
  hour: { key: "hour", fixed: false, min: 0, max: 23 },
  hour12: { key: "hour", fixed: false, min: 0, max: 12 },
  zeroHour12: { key: "hour", fixed: true, min: 0, max: 12 },
  minute: { key: "minute", fixed: false, min: 0, max: 59 },
  zeroMinute: { key: "minute", fixed: true, min: 0, max: 59 },
  second: { key: "second", fixed: false, min: 0, max: 59 },
  zeroSecond: { key: "second", fixed: true, min: 0, max: 59 },
};

function readNumber(f: Fields, part: Part, value: string, next: Chunk | undefined): string | undefined {
  const rule = numbers[part];
  if (rule === undefined) return undefined;
  const text = part === "underDay" && value[0] === " " ? value.slice(1) : value;
  const digits = /^\d\d?/.exec(text)?.[0];
  if (digits === undefined || (rule.fixed && digits.length < 2)) return undefined;
  const number = Number(digits);
  if (number < rule.min || number > rule.max) return undefined;
  f[rule.key] = number;
  const rest = text.slice(digits.length);
  // A fraction may follow seconds even where the layout has none.
  const expected = next?.literal === "" && (next.part === "fraction0" || next.part === "fraction9");
  if (rule.key !== "second" || expected || !/^[.,]\d/.test(rest)) return rest;
  return readNanos(f, rest, 1 + (/^\d+/.exec(rest.slice(1))?.[0].length ?? 0));
}

function readYearDay(f: Fields, part: "underYearDay" | "zeroYearDay", value: string): string | undefined {
  const text = part === "underYearDay" ? value.replace(/^ {1,2}/, "") : value;
  const digits = /^\d{1,3}/.exec(text)?.[0];
  if (digits === undefined || (part === "zeroYearDay" && digits.length !== 3)) return undefined;
  f.yearDay = Number(digits);
  return text.slice(digits.length);
}

function readNanos(f: Fields, value: string, size: number): string | undefined {
  if (value[0] !== "." && value[0] !== ",") return undefined;
  const digits = value.slice(1, Math.min(size, 10));
  if (!/^\d+$/.test(digits)) return undefined;
  f.nanos = Number(digits.padEnd(9, "0"));
  return value.slice(size);
}

function isZone(part: Part): part is ZonePart {
  return part.startsWith("-07") || part.startsWith("Z07");
}

function readOffset(f: Fields, part: ZonePart, value: string): string | undefined {
  if (part.startsWith("Z") && value.startsWith("Z")) {
    f.utc = true;
    return value.slice(1);
  }
  const size = part.length;
  const text = value.slice(0, size);
  const shape = {
    3: /^([+-])(\d\d)$/,
    5: /^([+-])(\d\d)(\d\d)$/,
    6: /^([+-])(\d\d):(\d\d)$/,
    7: /^([+-])(\d\d)(\d\d)(\d\d)$/,
    9: /^([+-])(\d\d):(\d\d):(\d\d)$/,
  }[size];
  const found = shape?.exec(text);
  if (found === null || found === undefined) return undefined;
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = found;
  if (Number(hours) > 24 || Number(minutes) > 60 || Number(seconds) > 60) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  f.offset = sign === "-" ? -offset : offset;
  return value.slice(size);
}

function readName(f: Fields, value: string): string | undefined {
  if (value.startsWith("UTC")) {
    f.utc = true;
    return value.slice(3);
  }
  const size = zoneNameSize(value);
  if (size === 0) return undefined;
  f.zoneName = value.slice(0, size);
  return value.slice(size);
}

function zoneNameSize(value: string): number {
  if (value.length < 3) return 0;
  if (/^(ChST|MeST)/.test(value)) return 4;
  if (value.startsWith("GMT")) return 3 + signedSize(value.slice(3));
  if (/^[+-]/.test(value)) return signedSize(value);
  const upper = /^[A-Z]{0,6}/.exec(value)?.[0] ?? "";
  if (upper.length === 3) return 3;
  if (upper.length === 4) return upper[3] === "T" || upper === "WITA" ? 4 : 0;
  return upper.length === 5 && upper[4] === "T" ? 5 : 0;
}

function signedSize(value: string): number {
  const found = /^[+-](\d+)/.exec(value);
  return found === null || Number(found[1]) > 23 ? 0 : found[0].length;
}

/** Case does not matter in names. */
function lookup(names: readonly string[], value: string): number {
  return names.findIndex((name) => value.slice(0, name.length).toLowerCase() === name.toLowerCase());
}

/** Settles month and day; false when there is no such date. */
function dated(f: Fields): boolean {
  if (f.yearDay >= 0 && !fromYearDay(f)) return false;
  if (f.month < 0) f.month = 1;
  if (f.day < 0) f.day = 1;
  return f.day >= 1 && f.day <= daysIn(f.month, f.year);
}

function fromYearDay(f: Fields): boolean {
  const length = isLeap(f.year) ? 366 : 365;
  if (f.yearDay < 1 || f.yearDay > length) return false;
  let month = 1;
  let day = f.yearDay;
  while (day > daysIn(month, f.year)) {
    day -= daysIn(month, f.year);
    month += 1;
  }
  if ((f.month >= 0 && f.month !== month) || (f.day >= 0 && f.day !== day)) return false;
  f.month = month;
  f.day = day;
  return true;
}

function placed(f: Fields, local: Zone): Time {
  const seconds = secondsOf(f.year, f.month, f.day, f.hour * 3600 + f.minute * 60 + f.second);
  if (f.utc) return new Time(seconds, f.nanos, utc);
  if (f.offset !== undefined) {
    const moment = seconds - f.offset;
    const there = local.at(moment);
    const same = there.offset === f.offset && (f.zoneName === "" || there.abbreviation === f.zoneName);
    return new Time(moment, f.nanos, same ? local : fixedZone(f.zoneName, f.offset));
  }
  if (f.zoneName !== "") return named(f, seconds, local);
  return new Time(seconds - offsetAt(seconds, local), f.nanos, local);
}

/** A zone known by its abbreviation only counts when it is one of the local zone's. */
function named(f: Fields, seconds: number, local: Zone): Time {
  const there = local.at(seconds - offsetAt(seconds, local));
  if (there.abbreviation === f.zoneName) return new Time(seconds - there.offset, f.nanos, local);
  const hours = f.zoneName.length > 3 && f.zoneName.startsWith("GMT") ? Number(f.zoneName.slice(3)) : 0;
  // The offset is only shown: Go does not move the clock by it here.
  return new Time(seconds, f.nanos, fixedZone(f.zoneName, hours * 3600));
}

/** The offset at a wall clock's reading. */
export function offsetAt(wall: number, zone: Zone): number {
  const guess = zone.at(wall).offset;
  const there = zone.at(wall - guess).offset;
  if (there === guess) return guess;
  const again = zone.at(wall - there).offset;
  return again === there ? there : guess;
}
