import { isTerminal, type Observation, type Operation } from "./operation.ts";

/** When an operation began and ended. */
export type Times = Pick<Operation, "startedAt" | "finishedAt">;

/** Upstream's objects have whole seconds: what ended within the same second ended with them. */
const wholeSecondMs = 1000;

/**
 * The times of an operation among its parts: it began with the first of them at the latest, and a group that nobody tells the
 * end of ended with its last part. A time in whole seconds gives way to a finer one of its parts in the same second.
 */
export function timesOf(
  old: Operation | undefined,
  seen: Observation,
  state: Operation["state"],
  parts: readonly Times[],
  nowMs: number,
): Times {
  const starts = parts.flatMap(({ startedAt }) => startedAt ?? []);
  const began = seen.startedAt ?? old?.startedAt ?? (state === "running" ? nowMs : undefined);
  const all = began === undefined ? starts : [began, ...starts];
  return {
    ...(all.length > 0 && { startedAt: Math.min(...all) }),
    ...(isTerminal(state) && { finishedAt: endOf(old, seen, parts, nowMs) }),
  };
}

function endOf(
  old: Operation | undefined,
  seen: Observation,
  parts: readonly Times[],
  nowMs: number,
): number {
  const ends = parts.flatMap(({ finishedAt }) => finishedAt ?? []);
  const last = ends.length > 0 ? Math.max(...ends) : undefined;
  const said = seen.finishedAt;
  if (said !== undefined) {
    const isSameSecond = last !== undefined && last > said && last < said + wholeSecondMs;
    return isSameSecond ? last : said;
  }
  return old?.finishedAt ?? (ends.length === parts.length ? last : undefined) ?? nowMs;
}

/** A part, and all in it, that does not last longer than the whole. */
export function within(part: Operation, { finishedAt }: Times): Operation {
  if (finishedAt === undefined) return part;
  const isLate = part.finishedAt !== undefined && part.finishedAt > finishedAt;
  const end = isLate ? finishedAt : (part.finishedAt ?? finishedAt);
  const children = part.children.map((child) => within(child, { finishedAt: end }));
  if (!isLate && children.every((child, i) => child === part.children[i])) return part;
  return { ...part, ...(isLate && { finishedAt }), children };
}
