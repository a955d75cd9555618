import { isTimeZone, moments, wallTime } from "./time-zone.ts";

/** When a schedule fires. */
export type Cron =
  | { readonly everyMs: number }
  /** Without a zone the times are UTC. */
  | { readonly fields: Fields; readonly zone?: string };

interface Fields {
  readonly minute: ReadonlySet<number>;
  readonly hour: ReadonlySet<number>;
  readonly day: ReadonlySet<number>;
  readonly month: ReadonlySet<number>;
  readonly weekday: ReadonlySet<number>;
  /** Cron's old rule: when both kinds of day are restricted, either of them is enough. */
  readonly eitherDay: boolean;
}

const words: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/**
 * Reads five fields or a descriptor (`@daily`, `@every 1h`), with `CRON_TZ=ZONE` or `TZ=ZONE` in front where they are not in
 * UTC; a string is the reason why it cannot be read.
 */
export function parseCron(text: string, durationMs: (text: string) => number | undefined): Cron | string {
  const zoned = /^(?:CRON_)?TZ=(?:"([^"]*)"|(\S+))\s+(.*)$/.exec(text.trim());
  const zone = zoned?.[1] ?? zoned?.[2];
  if (zone !== undefined && !isTimeZone(zone)) return `there is no time zone "${zone}"`;
  const body = zoned ? (zoned[3] ?? "") : text.trim();
  const every = /^@every\s+(\S+)$/.exec(body);
  if (every) {
    const ms = durationMs(every[1] ?? "");
    return ms === undefined || ms < 1000
      ? `"${every[1]}" is not a duration of a second or more`
      : { everyMs: ms };
  }
  const parts = (Object.hasOwn(words, body) ? (words[body] ?? "") : body).split(/\s+/);
  if (parts.length !== 5) return `"${text}" has ${parts.length} fields, not five`;
  const fields = fieldsOf(parts);
  if (typeof fields === "string") return fields;
  const isUtc = zone === undefined || /^(UTC|Etc\/UTC|Local)$/.test(zone);
  return { fields, ...(!isUtc && { zone }) };
}

/** Clocks are changed by less than this; walls are looked through from so long before. */
const changeMs = 3 * 3_600_000;

/**
 * The first moment after `afterMs` at which the schedule fires; undefined when there is none in five years.
 *
 * Where clocks are put forward, what falls into the hour that is left out fires right after it. Where they are put back, a
 * schedule for certain hours fires once, in the first of the two hours; one for every hour fires in both.
 */
export function nextTime(cron: Cron, afterMs: number): number | undefined {
  if ("everyMs" in cron) return Math.floor((afterMs + cron.everyMs) / 1000) * 1000;
  const { fields, zone } = cron;
  const isHourly = fields.hour.size === 24;
  let best: number | undefined;
  const from = wallTime(zone, afterMs) - (zone === undefined ? 0 : changeMs);
  for (const wall of wallTimes(fields, from)) {
    const { at, skipped } = moments(zone, wall);
    const [first = skipped ?? 0, second] = at;
    if (best !== undefined && first >= best) return best;
    // In an hour that is left out nothing is due that comes every hour.
    const all = isHourly ? at : [first];
    const next = all.find((ms) => ms > afterMs);
    if (next !== undefined) best = Math.min(best ?? next, next);
    if (best !== undefined && second === undefined && first > afterMs) return best;
  }
  return best;
}

/** What the clocks show when the schedule fires, in order and for five years. */
function* wallTimes(fields: Fields, after: number): Generator<number> {
  const { minute, hour, month } = fields;
  const at = new Date(after);
  at.setUTCSeconds(0, 0);
  at.setUTCMinutes(at.getUTCMinutes() + 1);
  const limit = after + 5 * 366 * 86_400_000;
  while (at.getTime() <= limit) {
    if (!month.has(at.getUTCMonth() + 1)) {
      at.setUTCMonth(at.getUTCMonth() + 1, 1);
      at.setUTCHours(0, 0);
    } else if (!dayFits(fields, at)) {
      at.setUTCDate(at.getUTCDate() + 1);
      at.setUTCHours(0, 0);
    } else if (!hour.has(at.getUTCHours())) at.setUTCHours(at.getUTCHours() + 1, 0);
    else {
      if (minute.has(at.getUTCMinutes())) yield at.getTime();
      at.setUTCMinutes(at.getUTCMinutes() + 1);
    }
  }
}

function dayFits({ day, weekday, eitherDay }: Fields, at: Date): boolean {
  const [byDay, byWeekday] = [day.has(at.getUTCDate()), weekday.has(at.getUTCDay())];
  return eitherDay ? byDay || byWeekday : byDay && byWeekday;
}

function fieldsOf(parts: readonly string[]): Fields | string {
  const [m = "", h = "", d = "", mo = "", w = ""] = parts;
  const minute = field(m, 0, 59);
  const hour = field(h, 0, 23);
  const day = field(d, 1, 31);
  const month = field(mo, 1, 12, months);
  const weekday = field(w, 0, 7, weekdays);
  for (const one of [minute, hour, day, month, weekday]) if (typeof one === "string") return one;
  const sets = { minute, hour, day, month, weekday } as Omit<Fields, "eitherDay">; // the strings are gone
  const sundays = new Set([...sets.weekday].map((n) => n % 7));
  return { ...sets, weekday: sundays, eitherDay: !isAny(d) && !isAny(w) };
}

/** A step makes a restriction of it, as upstream's parser (to 1.18) counts. */
function isAny(text: string): boolean {
  return text.split(",").some((part) => /^[*?](\/0*1)?$/.test(part));
}

function field(text: string, low: number, high: number, names: readonly string[] = []): Set<number> | string {
  const found = new Set<number>();
  for (const part of text.split(",")) {
    const [, range = "", step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const bounds = boundsOf(range, low, high, names, step !== undefined);
    const by = Number(step ?? 1);
    if (!bounds || by === 0) return `"${text}" is not a field of ${low} to ${high}`;
    // A range that ends before it begins goes round: `22-2`, `fri-mon`.
    const span = high - low + 1;
    const last = bounds[1] < bounds[0] ? bounds[1] + span : bounds[1];
    for (let n = bounds[0]; n <= last; n += by) found.add(((n - low) % span) + low);
  }
  return found;
}

function boundsOf(
  range: string,
  low: number,
  high: number,
  names: readonly string[],
  stepped: boolean,
): readonly [number, number] | undefined {
  if (range === "*" || range === "?") return [low, high];
  const [from = "", to] = range.split("-");
  const read = (word: string) => {
    const at = names.indexOf(word.toLowerCase());
    // Weekdays count from 0, months from 1; both lists begin at their field's lowest number.
    return at >= 0 ? at + low : /^\d+$/.test(word) ? Number(word) : Number.NaN;
  };
  const first = read(from);
  const last = to === undefined ? (stepped ? high : first) : read(to);
  const isIn = (n: number) => n >= low && n <= high;
  return isIn(first) && isIn(last) ? [first, last] : undefined;
}
