import type { Time } from "../value.ts";
import { type Civil, civil, dayNames, monthNames } from "./civil.ts";
import { type Chunk, chunks, type Part } from "./layout.ts";

/** Go's Time.Format. */
export function formatTime(time: Time, layout: string): string {
  const shown = civil(time);
  let out = "";
  for (const chunk of chunks(layout)) {
    out += chunk.literal;
    if (chunk.part !== undefined) out += part(shown, chunk.part, chunk);
  }
  return out;
}

function part(t: Civil, name: Part, chunk: Chunk): string {
  switch (name) {
    case "longYear":
      return wide(t.year, 4);
    case "year":
      return wide(Math.max(t.year, 0) % 100, 2);
    case "longMonth":
      return monthNames[t.month - 1] ?? "";
    case "month":
      return (monthNames[t.month - 1] ?? "").slice(0, 3);
    case "numMonth":
      return String(t.month);
    case "zeroMonth":
      return wide(t.month, 2);
    case "longWeekDay":
      return dayNames[t.weekday] ?? "";
    case "weekDay":
      return (dayNames[t.weekday] ?? "").slice(0, 3);
    case "day":
      return String(t.day);
    case "underDay":
      return String(t.day).padStart(2);
    case "zeroDay":
      return wide(t.day, 2);
    case "underYearDay":
      return String(t.yearDay).padStart(3);
    case "zeroYearDay":
      return wide(t.yearDay, 3);
    case "fraction0":
    case "fraction9":
      return fraction(t.nanos, chunk.text, name);
    case "TZ":
      return t.abbreviation === "" ? offset(t.offset, "-0700") : t.abbreviation;
    default:
      return clock(t, name);
  }
}

function clock(t: Civil, name: Part): string {
  switch (name) {
    case "hour":
      return wide(t.hour, 2);
    case "hour12":
      return String(t.hour % 12 || 12);
    case "zeroHour12":
      return wide(t.hour % 12 || 12, 2);
    case "minute":
      return String(t.minute);
    case "zeroMinute":
      return wide(t.minute, 2);
    case "second":
      return String(t.second);
    case "zeroSecond":
      return wide(t.second, 2);
    case "PM":
      return t.hour >= 12 ? "PM" : "AM";
    case "pm":
      return t.hour >= 12 ? "pm" : "am";
    default:
      return name.startsWith("Z") && t.offset === 0 ? "Z" : offset(t.offset, name);
  }
}

function offset(seconds: number, form: string): string {
  const all = Math.abs(seconds);
  const minutes = Math.trunc(all / 60);
  const colon = form.includes(":") ? ":" : "";
  let out = (seconds < 0 ? "-" : "+") + wide(Math.trunc(minutes / 60), 2);
  if (form.length > 3) out += colon + wide(minutes % 60, 2);
  if (form.length > 6) out += colon + wide(all % 60, 2);
  return out;
}

function fraction(nanos: number, text: string, name: "fraction0" | "fraction9"): string {
  const digits = wide(nanos, 9).slice(0, text.length - 1);
  if (name === "fraction0") return (text[0] ?? ".") + digits;
  const kept = digits.replace(/0+$/, "");
  return kept === "" ? "" : (text[0] ?? ".") + kept;
}

function wide(value: number, width: number): string {
  return (value < 0 ? "-" : "") + String(Math.abs(value)).padStart(width, "0");
}
