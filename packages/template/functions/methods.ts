import { CallError } from "../error.ts";
import { civil, dayNames, monthNames, secondsOf } from "../time/civil.ts";
import { durationText, roundDuration } from "../time/duration.ts";
import { formatTime } from "../time/format.ts";
import { offsetAt } from "../time/parse.ts";
import { goTime, jsonTime, timeText } from "../time/show.ts";
import { utc } from "../time/zone.ts";
import {
  Bytes,
  Int,
  type IntType,
  int,
  int64,
  type Method,
  Struct,
  sized,
  Time,
  type Type,
  types,
  type Value,
} from "../value.ts";
import { between, later, localZone, zeroTime } from "./dates.ts";
import type { Args, Context, Func } from "./define.ts";

const durationType: IntType = { ...types.int64, name: "time.Duration", text: durationText };
const monthType: IntType = {
  ...types.int,
  name: "time.Month",
  text: (n) => monthNames[Number(n) - 1] ?? `%!Month(${n})`,
};
const weekdayType: IntType = {
  ...types.int,
  name: "time.Weekday",
  text: (n) => dayNames[Number(n)] ?? `%!Weekday(${n})`,
};

/** A time.Duration. */
export function duration(nanos: bigint): Int {
  return sized(durationType, nanos);
}

/** The method of a value by its name, ready to be called. */
export function methodOf(value: Value, name: string, context: Context): Func | undefined {
  const method = lookup(value, name, context);
  if (method === undefined) return undefined;
  return { params: method.params, variadic: false, call: (args: Args) => method.call(args.rest(0)) };
}

function lookup(value: Value, name: string, context: Context): Method | undefined {
  let methods: Readonly<Record<string, Method>> | undefined;
  if (value instanceof Struct) methods = value.methods;
  else if (value instanceof Time) methods = timeMethods(value, context);
  else if (value instanceof Int && value.type.text !== undefined) methods = numberMethods(value);
  return methods !== undefined && Object.hasOwn(methods, name) ? methods[name] : undefined;
}

const get = (call: () => Value): Method => ({ params: [], call });
const taking = (params: readonly Type[], call: Method["call"]): Method => ({ params, call });

function numberMethods(number: Int): Readonly<Record<string, Method>> {
  const { value, type } = number;
  const text = { String: get(() => type.text?.(value) ?? "") };
  if (type !== durationType) return text;
  const per = (unit: number) => get(() => Number(value / BigInt(unit)) + Number(value % BigInt(unit)) / unit);
  const whole = (unit: bigint) => get(() => int64(value / unit));
  return {
    ...text,
    Hours: per(3.6e12),
    Minutes: per(6e10),
    Seconds: per(1e9),
    Milliseconds: whole(1_000_000n),
    Microseconds: whole(1000n),
    Nanoseconds: whole(1n),
    Abs: get(() => duration(value < 0n ? -value : value)),
    Round: taking([durationType], ([unit]) => duration(roundDuration(value, bigOf(unit)))),
    Truncate: taking([durationType], ([unit]) =>
      duration(bigOf(unit) <= 0n ? value : value - (value % bigOf(unit))),
    ),
  };
}

function bigOf(value: Value): bigint {
  return value instanceof Int ? value.value : 0n;
}

function timeOf(value: Value): Time {
  if (value instanceof Time) return value;
  throw new CallError("not a time");
}

function timeMethods(time: Time, context: Context): Readonly<Record<string, Method>> {
  return { ...clockMethods(time), ...momentMethods(time, context) };
}

function clockMethods(time: Time): Readonly<Record<string, Method>> {
  const t = civil(time);
  return {
    Year: get(() => int(t.year)),
    Month: get(() => sized(monthType, BigInt(t.month))),
    Day: get(() => int(t.day)),
    Hour: get(() => int(t.hour)),
    Minute: get(() => int(t.minute)),
    Second: get(() => int(t.second)),
    Nanosecond: get(() => int(t.nanos)),
    Weekday: get(() => sized(weekdayType, BigInt(t.weekday))),
    YearDay: get(() => int(t.yearDay)),
    String: get(() => timeText(time)),
    GoString: get(() => goTime(time)),
    Format: taking([types.string], ([layout]) => formatTime(time, typeof layout === "string" ? layout : "")),
    MarshalJSON: get(() => bytes(`"${jsonTime(time)}"`)),
    MarshalText: get(() => bytes(jsonTime(time))),
    Date: several("Date", 3),
    Clock: several("Clock", 3),
    ISOWeek: twice("ISOWeek", "int"),
    Zone: twice("Zone", "int"),
  };
}

function bytes(text: string): Bytes {
  return new Bytes(new TextEncoder().encode(text));
}

/** Methods with results that a template cannot take. */
function several(name: string, count: number): Method {
  return get(() => {
    throw new CallError(`function ${name} has ${count} return values; should be 1 or 2`);
  });
}

function twice(name: string, second: string): Method {
  return get(() => {
    throw new CallError(
      `invalid function signature for ${name}: second return value should be error; is ${second}`,
    );
  });
}

function momentMethods(time: Time, context: Context): Readonly<Record<string, Method>> {
  const nanos = BigInt(time.seconds) * 1_000_000_000n + BigInt(time.nanos);
  const other = (test: (order: bigint) => Value) =>
    taking([types.time], ([value]) => {
      const t = timeOf(value);
      return test(BigInt(time.seconds - t.seconds) * 1_000_000_000n + BigInt(time.nanos - t.nanos));
    });
  const shown = (zone: Time["zone"]) => get(() => new Time(time.seconds, time.nanos, zone));
  return {
    Unix: get(() => int64(time.seconds)),
    UnixNano: get(() => int64(nanos)),
    UnixMilli: get(() => int64(nanos / 1_000_000n - (nanos % 1_000_000n < 0n ? 1n : 0n))),
    UnixMicro: get(() => int64(nanos / 1000n - (nanos % 1000n < 0n ? 1n : 0n))),
    IsZero: get(() => time.seconds === zeroTime.seconds && time.nanos === 0),
    IsDST: get(() => isSummer(time)),
    UTC: shown(utc),
    Local: get(() => new Time(time.seconds, time.nanos, localZone(context))),
    Location: get(() => new Struct("time.Location", [], { pointer: true, text: () => time.zone.name })),
    Add: taking([durationType], ([by]) => later(time, bigOf(by))),
    AddDate: taking([types.int, types.int, types.int], (by) =>
      addDate(
        time,
        by.map((n) => Number(bigOf(n))),
      ),
    ),
    Sub: taking([types.time], ([value]) => duration(between(time, timeOf(value)))),
    After: other((order) => order > 0n),
    Before: other((order) => order < 0n),
    Equal: other((order) => order === 0n),
    Compare: other((order) => int(order > 0n ? 1 : order < 0n ? -1 : 0)),
    Truncate: taking([durationType], ([unit]) => cut(time, bigOf(unit), false)),
    Round: taking([durationType], ([unit]) => cut(time, bigOf(unit), true)),
  };
}

function isSummer(time: Time): boolean {
  const { year } = civil(time);
  const offsets = [1, 7].map((month) => time.zone.at(secondsOf(year, month, 1)).offset);
  return time.zone.at(time.seconds).offset > Math.min(...offsets);
}

function addDate(time: Time, [years = 0, months = 0, days = 0]: readonly number[]): Time {
  const t = civil(time);
  const wall = secondsOf(
    t.year + years,
    t.month + months,
    t.day + days,
    t.hour * 3600 + t.minute * 60 + t.second,
  );
  return new Time(wall - offsetAt(wall, time.zone), time.nanos, time.zone);
}

/** Cut or rounded to a unit, counted from the year 1. */
function cut(time: Time, unit: bigint, round: boolean): Time {
  if (unit <= 0n) return time;
  const since = (BigInt(time.seconds) - BigInt(zeroTime.seconds)) * 1_000_000_000n + BigInt(time.nanos);
  const rest = ((since % unit) + unit) % unit;
  return later(time, round && rest + rest >= unit ? unit - rest : -rest);
}
