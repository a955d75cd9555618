import type { Time } from "../value.ts";
import { civil, monthNames } from "./civil.ts";
import { formatTime } from "./format.ts";

/** Go's Time.String. */
export function timeText(time: Time): string {
  return formatTime(time, "2006-01-02 15:04:05.999999999 -0700 MST");
}

/** Go's Time.GoString, which %#v shows. */
export function goTime(time: Time): string {
  const t = civil(time);
  const { name } = time.zone;
  const zone = name === "UTC" || name === "Local" ? `time.${name}` : `time.Location(${JSON.stringify(name)})`;
  return `time.Date(${t.year}, time.${monthNames[t.month - 1]}, ${t.day}, ${t.hour}, ${t.minute}, ${t.second}, ${t.nanos}, ${zone})`;
}

/** RFC 3339 with the nanoseconds that there are, as encoding/json writes a time. */
export function jsonTime(time: Time): string {
  return formatTime(time, "2006-01-02T15:04:05.999999999Z07:00");
}
