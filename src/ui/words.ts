import { formatDuration, type Operation } from "../progress/index.ts";

/** How long it has taken until now, or took. */
export function elapsed({ startedAt, finishedAt }: Operation, nowMs: number): string {
  return startedAt === undefined ? "" : formatDuration(Math.max(0, (finishedAt ?? nowMs) - startedAt) / 1000);
}

/** A moment in this browser's own zone. */
export function localTime(atMs: number): string {
  return new Date(atMs).toLocaleString(undefined, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}

/** A moment as short as it can be told: the time alone on the same day, the year only when it is another. */
export function shortTime(atMs: number, nowMs: number): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)];
  const clock = { hour: "2-digit", minute: "2-digit" } as const;
  if (at.toDateString() === now.toDateString())
    return at.toLocaleTimeString(undefined, { ...clock, second: "2-digit" });
  const isThisYear = at.getFullYear() === now.getFullYear();
  const day = { month: "short", day: "numeric", ...(!isThisYear && { year: "numeric" as const }) } as const;
  return at.toLocaleString(undefined, { ...day, ...clock });
}

/** The time of day in this browser's own zone. */
export function clockTime(atMs: number): string {
  return new Date(atMs).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}

/** The same moment in UTC. */
export function utcTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
