/** Formatters are slow to make; bounded by the zones that there are. */
const made = new Map<string, Intl.DateTimeFormat>();

/** Whether this is the name of a time zone, as the database of time zones has it. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false;
  try {
    formatter(name);
    return true;
  } catch {
    return false; // a RangeError: no such zone
  }
}

/** What the clocks of a zone show at a moment, as if it were UTC. */
export function wallTime(zone: string | undefined, ms: number): number {
  return ms + offsetAt(zone, ms);
}

/**
 * The moments at which the clocks of a zone show this: one, two in the hour that comes twice in autumn, none in the hour
 * that is left out in spring. For such a one the moment after it is given, apart.
 */
export function moments(
  zone: string | undefined,
  wall: number,
): { readonly at: readonly number[]; readonly skipped?: number } {
  if (zone === undefined) return { at: [wall] };
  // No zone is more than 15 hours from UTC, and none changes its clocks twice in two days.
  const dayMs = 86_400_000;
  const [before, after] = [offsetAt(zone, wall - dayMs), offsetAt(zone, wall + dayMs)];
  const at = [...new Set([wall - before, wall - after])].filter((ms) => wallTime(zone, ms) === wall);
  if (at.length > 0) return { at: at.toSorted((a, b) => a - b) };
  return { at: [], skipped: changeBetween(zone, wall - after, wall - before) };
}

/** The first moment with the offset of the later one; moments of change are whole minutes. */
function changeBetween(zone: string, earlier: number, later: number): number {
  const offset = offsetAt(zone, later);
  let [low, high] = [earlier, later];
  while (high - low > 60_000) {
    const middle = low + Math.floor((high - low) / 120_000) * 60_000;
    if (offsetAt(zone, middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}

function offsetAt(zone: string | undefined, ms: number): number {
  if (zone === undefined) return 0;
  const parts = new Map(
    formatter(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const wall = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return wall - Math.floor(ms / 1000) * 1000;
}

function formatter(zone: string): Intl.DateTimeFormat {
  const known = made.get(zone);
  if (known) return known;
  const fresh = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  made.set(zone, fresh);
  return fresh;
}
