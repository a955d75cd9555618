import { CallError } from "../error.ts";
import { durationText, parseDuration, roundDuration } from "../time/duration.ts";
import { formatTime } from "../time/format.ts";
import { parseTime } from "../time/parse.ts";
import { utc } from "../time/zone.ts";
import { Int, Time, type Value, type Zone } from "../value.ts";
import { type Context, define, type Func } from "./define.ts";

const inZone = define("string any string", (a, context) => dated(a.text(0), a.any(1), a.text(2), context));
const modify = define("string time", (a) => {
  const nanos = parseDuration(a.text(0));
  return nanos === undefined ? a.time(1) : later(a.time(1), nanos);
});

/** sprig's dates. */
export const dates: Readonly<Record<string, Func>> = {
  date: define("string any", (a, context) => dated(a.text(0), a.any(1), "Local", context)),
  date_in_zone: inZone,
  dateInZone: inZone,
  date_modify: modify,
  dateModify: modify,
  now: define("", (_, context) => now(context)),
  htmlDate: define("any", (a, context) => dated("2006-01-02", a.any(0), "Local", context)),
  htmlDateInZone: define("any string", (a, context) => dated("2006-01-02", a.any(0), a.text(1), context)),
  ago: define("any", (a, context) =>
    durationText(roundDuration(since(momentOf(a.any(0), context), context), 1_000_000_000n)),
  ),
  toDate: define(
    "string string",
    (a, context) => parseTime(a.text(0), a.text(1), localZone(context)) ?? zeroTime,
  ),
  unixEpoch: define("time", (a) => String(a.time(0).seconds)),
};

/** The first moment of the year 1, which is what Go's zero time is. */
export const zeroTime = new Time(-62_135_596_800, 0, utc);

/** The time now, in the local zone. */
function now(context: Context): Time {
  const { nowMs } = context.ports;
  if (nowMs === undefined) throw new CallError("there is no clock here");
  const ms = nowMs();
  const seconds = Math.floor(ms / 1000);
  return new Time(seconds, Math.round((ms - seconds * 1000) * 1e6), localZone(context));
}

/** The local zone; UTC when none was given or it is not known. */
export function localZone(context: Context): Zone {
  return context.zone("Local") ?? utc;
}

function dated(layout: string, value: Value, zoneName: string, context: Context): string {
  const time = momentOf(value, context);
  const text = formatTime(new Time(time.seconds, time.nanos, context.zone(zoneName) ?? utc), layout);
  context.budget.text(text.length);
  return text;
}

/** A time, or seconds since 1970; anything else is now, as in sprig. */
function momentOf(value: Value, context: Context): Time {
  if (value instanceof Time) return value;
  const seconds = value instanceof Int && ["int", "int64", "int32"].includes(value.type.name);
  return seconds ? new Time(Number(value.value), 0, localZone(context)) : now(context);
}

/** A time some nanoseconds later. */
export function later(time: Time, nanos: bigint): Time {
  const all = BigInt(time.seconds) * 1_000_000_000n + BigInt(time.nanos) + nanos;
  const part = ((all % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  return new Time(Number((all - part) / 1_000_000_000n), Number(part), time.zone);
}

const longest = 2n ** 63n - 1n;

/** Nanoseconds between two times, held within a Duration. */
export function between(a: Time, b: Time): bigint {
  const nanos = (BigInt(a.seconds) - BigInt(b.seconds)) * 1_000_000_000n + BigInt(a.nanos - b.nanos);
  return nanos > longest ? longest : nanos < -longest - 1n ? -longest - 1n : nanos;
}

function since(time: Time, context: Context): bigint {
  return between(now(context), time);
}
