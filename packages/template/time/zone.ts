import type { Zone } from "../value.ts";
import { dateOf, daysOf } from "./civil.ts";

/** Coordinated universal time. */
export const utc: Zone = { name: "UTC", at: () => ({ offset: 0, abbreviation: "UTC" }) };

/** A zone that never changes. */
export function fixedZone(name: string, offset: number): Zone {
  return { name, at: () => ({ offset, abbreviation: name }) };
}

interface Kind {
  readonly offset: number;
  readonly summer: boolean;
  readonly abbreviation: string;
}

interface Table {
  readonly times: readonly number[];
  readonly kinds: readonly Kind[];
  /** The kind in force from times[i] on. */
  readonly indexes: readonly number[];
  readonly rule: string;
}

/** A zone of the tz database, from the bytes of its compiled file; undefined when they are none. */
export function compiledZone(name: string, bytes: Uint8Array): Zone | undefined {
  const table = readTable(bytes);
  if (table === undefined) return undefined;
  const rule = parseRule(table.rule);
  const first = table.kinds.find((kind) => !kind.summer) ??
    table.kinds[0] ?? { offset: 0, summer: false, abbreviation: "UTC" };
  return {
    name,
    at(seconds) {
      const { times, indexes, kinds } = table;
      let low = 0;
      let high = times.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((times[middle] ?? 0) <= seconds) low = middle + 1;
        else high = middle;
      }
      if (low === times.length && rule !== undefined) return ruleAt(rule, seconds);
      return low === 0 ? first : (kinds[indexes[low - 1] ?? 0] ?? first);
    },
  };
}

function readTable(bytes: Uint8Array): Table | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (view.getUint32(0) !== 0x545a6966) return undefined;
    const version = view.getUint8(4);
    if (version === 0) return readBlock(bytes, view, 0, 4);
    const counts = readCounts(view, 0);
    return readBlock(bytes, view, 44 + blockSize(counts, 4), 8);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // cut short
    throw error;
  }
}

type Counts = readonly [
  utc: number,
  standard: number,
  leaps: number,
  times: number,
  kinds: number,
  chars: number,
];

function readCounts(view: DataView, at: number): Counts {
  const count = (i: number) => view.getUint32(at + 20 + i * 4);
  return [count(0), count(1), count(2), count(3), count(4), count(5)];
}

function blockSize([utcs, standard, leaps, times, kinds, chars]: Counts, wide: 4 | 8): number {
  return times * (wide + 1) + kinds * 6 + chars + leaps * (wide + 4) + standard + utcs;
}

function readBlock(bytes: Uint8Array, view: DataView, header: number, wide: 4 | 8): Table {
  const counts = readCounts(view, header);
  const [, , , timeCount, kindCount, charCount] = counts;
  const start = header + 44;
  const indexAt = start + timeCount * wide;
  const kindAt = indexAt + timeCount;
  const charAt = kindAt + kindCount * 6;
  const times = Array.from({ length: timeCount }, (_, i) =>
    wide === 8 ? Number(view.getBigInt64(start + i * 8)) : view.getInt32(start + i * 4),
  );
  const kinds = Array.from({ length: kindCount }, (_, i) => {
    const at = kindAt + i * 6;
    const from = charAt + view.getUint8(at + 5);
    const end = bytes.indexOf(0, from);
    const abbreviation = ascii(bytes.subarray(from, end < 0 ? charAt + charCount : end));
    return { offset: view.getInt32(at), summer: view.getUint8(at + 4) === 1, abbreviation };
  });
  const footer = wide === 8 ? ascii(bytes.subarray(start + blockSize(counts, 8))).split("\n")[1] : undefined;
  return { times, kinds, indexes: Array.from(bytes.subarray(indexAt, kindAt)), rule: footer ?? "" };
}

function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

interface Rule {
  readonly standard: Kind;
  readonly summer?: Kind & { readonly start: string; readonly end: string };
}

/** The rule for all time to come, as POSIX writes TZ. */
function parseRule(text: string): Rule | undefined {
  const name = "(<[^>]+>|[A-Za-z]{3,})";
  const clock = "([+-]?\\d{1,3}(?::\\d\\d(?::\\d\\d)?)?)";
  const shape = new RegExp(`^${name}${clock}(?:${name}${clock}?,([^,]+),([^,]+))?$`);
  const found = shape.exec(text);
  if (found === null) return undefined;
  const [, std = "", stdOffset = "", dst, dstOffset, start = "", end = ""] = found;
  const bare = (abbreviation: string) => abbreviation.replace(/[<>]/g, "");
  const offset = -clockSeconds(stdOffset);
  const standard = { offset, summer: false, abbreviation: bare(std) };
  if (dst === undefined) return { standard };
  const ahead = dstOffset === undefined ? offset + 3600 : -clockSeconds(dstOffset);
  return { standard, summer: { offset: ahead, summer: true, abbreviation: bare(dst), start, end } };
}

function clockSeconds(text: string): number {
  const [hours = "0", minutes = "0", seconds = "0"] = text.replace(/^[+-]/, "").split(":");
  const all = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return text.startsWith("-") ? -all : all;
}

function ruleAt({ standard, summer }: Rule, seconds: number): Kind {
  if (summer === undefined) return standard;
  const { year } = dateOf(Math.floor((seconds + standard.offset) / 86_400));
  const start = ruleDay(summer.start, year) - standard.offset;
  const end = ruleDay(summer.end, year) - summer.offset;
  const inside = start < end ? seconds >= start && seconds < end : seconds >= start || seconds < end;
  return inside ? summer : standard;
}

/** When a change of the clock happens in a year, on the wall's clock. */
function ruleDay(text: string, year: number): number {
  const [date = "", clock = "2"] = text.split("/");
  const first = daysOf(year, 1, 1);
  const leap = daysOf(year, 3, 1) - first === 60;
  let day: number;
  if (date.startsWith("M")) {
    const [month = 1, week = 1, weekday = 0] = date.slice(1).split(".").map(Number);
    const start = daysOf(year, month, 1);
    const next = month === 12 ? daysOf(year + 1, 1, 1) : daysOf(year, month + 1, 1);
    day = start + ((((weekday - start - 4) % 7) + 7) % 7) + (week - 1) * 7;
    while (day >= next) day -= 7;
  } else if (date.startsWith("J")) {
    const number = Number(date.slice(1));
    day = first + number - 1 + (leap && number >= 60 ? 1 : 0);
  } else day = first + Number(date);
  return day * 86_400 + clockSeconds(clock);
}

/** A zone from what the JavaScript engine knows; its abbreviations are the engine's. */
export function builtInZone(name: string): Zone | undefined {
  try {
    const options = { timeZone: name, hourCycle: "h23" } as const;
    const offsets = new Intl.DateTimeFormat("en-US", { ...options, timeZoneName: "longOffset" });
    const names = new Intl.DateTimeFormat("en-US", { ...options, timeZoneName: "short" });
    const zonePart = (format: Intl.DateTimeFormat, seconds: number) =>
      format.formatToParts(seconds * 1000).find((part) => part.type === "timeZoneName")?.value ?? "";
    return {
      name,
      at(seconds) {
        const offset = clockSeconds(zonePart(offsets, seconds).replace("GMT", "") || "0");
        return { offset, abbreviation: zonePart(names, seconds) };
      },
    };
  } catch {
    return undefined; // the engine does not know the zone
  }
}
