/** How long ago, in kubectl's shortest words; `<unknown>` when the moment is not known. */
export function age(timestamp: string | undefined, nowMs: number): string {
  if (timestamp === undefined) return "<unknown>";
  return duration(nowMs - Date.parse(timestamp));
}

/** A length of time as kubectl prints it: two units at most, fewer as it grows. */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  if (hours < 192) return two(Math.floor(hours / 24), "d", hours % 24, "h");
  const days = Math.floor(hours / 24);
  if (days < 730) return `${days}d`;
  return days < 2920 ? two(Math.floor(days / 365), "y", days % 365, "d") : `${Math.floor(days / 365)}y`;
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
