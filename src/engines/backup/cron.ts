/** When a schedule fires. */
export type Cron = { readonly everyMs: number } | { readonly fields: Fields };

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

/** Reads five fields or a descriptor (`@daily`, `@every 1h`); a string is the reason why it cannot be read. Times are UTC. */
export function parseCron(text: string, durationMs: (text: string) => number | undefined): Cron | string {
  const zoned = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(text.trim());
  if (zoned && !/^(UTC|Etc\/UTC)$/.test(zoned[1] ?? ""))
    return `time zone "${zoned[1]}" is not supported, only UTC`;
  const body = zoned ? (zoned[2] ?? "") : text.trim();
  const every = /^@every\s+(\S+)$/.exec(body);
  if (every) {
    const ms = durationMs(every[1] ?? "");
    return ms === undefined || ms < 1000
      ? `"${every[1]}" is not a duration of a second or more`
      : { everyMs: ms };
  }
  const parts = (Object.hasOwn(words, body) ? (words[body] ?? "") : body).split(/\s+/);
  if (parts.length !== 5) return `"${text}" has ${parts.length} fields, not five`;
  return fieldsOf(parts);
}

/** The first moment after `afterMs` at which the schedule fires; undefined when there is none in five years. */
export function nextTime(cron: Cron, afterMs: number): number | undefined {
  if ("everyMs" in cron) return Math.floor((afterMs + cron.everyMs) / 1000) * 1000;
  const { minute, hour, month } = cron.fields;
  const at = new Date(afterMs);
  at.setUTCSeconds(0, 0);
  at.setUTCMinutes(at.getUTCMinutes() + 1);
  const limit = afterMs + 5 * 366 * 86_400_000;
  while (at.getTime() <= limit) {
    if (!month.has(at.getUTCMonth() + 1)) {
      at.setUTCMonth(at.getUTCMonth() + 1, 1);
      at.setUTCHours(0, 0);
    } else if (!dayFits(cron.fields, at)) {
      at.setUTCDate(at.getUTCDate() + 1);
      at.setUTCHours(0, 0);
    } else if (!hour.has(at.getUTCHours())) at.setUTCHours(at.getUTCHours() + 1, 0);
    else if (!minute.has(at.getUTCMinutes())) at.setUTCMinutes(at.getUTCMinutes() + 1);
    else return at.getTime();
  }
  return undefined;
}

function dayFits({ day, weekday, eitherDay }: Fields, at: Date): boolean {
  const [byDay, byWeekday] = [day.has(at.getUTCDate()), weekday.has(at.getUTCDay())];
  return eitherDay ? byDay || byWeekday : byDay && byWeekday;
}

function fieldsOf(parts: readonly string[]): Cron | string {
  const [m = "", h = "", d = "", mo = "", w = ""] = parts;
  const minute = field(m, 0, 59);
  const hour = field(h, 0, 23);
  const day = field(d, 1, 31);
  const month = field(mo, 1, 12, months);
  const weekday = field(w, 0, 7, weekdays);
  for (const one of [minute, hour, day, month, weekday]) if (typeof one === "string") return one;
  const sets = { minute, hour, day, month, weekday } as Omit<Fields, "eitherDay">; // the strings are gone
  const sundays = new Set([...sets.weekday].map((n) => n % 7));
  return { fields: { ...sets, weekday: sundays, eitherDay: !isAny(d) && !isAny(w) } };
}

function isAny(text: string): boolean {
  return text.startsWith("*") || text === "?";
}

function field(text: string, low: number, high: number, names: readonly string[] = []): Set<number> | string {
  const found = new Set<number>();
  for (const part of text.split(",")) {
    const [, range = "", step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const bounds = boundsOf(range, low, high, names, step !== undefined);
    const by = Number(step ?? 1);
    if (!bounds || by === 0) return `"${text}" is not a field of ${low} to ${high}`;
    for (let n = bounds[0]; n <= bounds[1]; n += by) found.add(n);
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
  return first >= low && last <= high && first <= last ? [first, last] : undefined;
}
