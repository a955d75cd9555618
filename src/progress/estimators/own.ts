import { constants } from "../estimate-constants.ts";
import type { Mark } from "../run.ts";
import type { Standing } from "../standing.ts";
import { lastChange } from "./regime.ts";

/** Remaining milliseconds by what this run alone shows; undefined while it has no total or has not moved. */
export function ownMs(at: Standing): number | undefined {
  const worked = workedMs(at);
  const flow = flowOf(at);
  if (!flow || !(at.ms > 0)) return worked;
  const { weight, most } = constants.first.flow[flow.by];
  const told = Math.min(flow.ms, most * at.ms);
  return Math.exp((1 - weight) * Math.log(worked ?? constants.first.again * at.ms) + weight * Math.log(told));
}

/** By the units that the worker counts. */
function workedMs(at: Standing): number | undefined {
  const { total, done, ms, movedMs, marks } = at;
  if (total === undefined || total <= 0) return undefined;
  const { tail, again } = constants.first;
  const share = Math.min(1, done / total);
  const lifetime = timeFor(at, 0);
  if (share >= 1) {
    const silentMs = ms - movedMs;
    return at.sends
      ? tail.sent * ms + tail.sentSilent * silentMs
      : tail.plain * ms + tail.plainSilent * silentMs;
  }
  if (lifetime === undefined) return undefined;
  const regime = timeFor(at, lastChange(marks)) ?? lifetime;
  const trust = between(constants.first.regime, share);
  const lindy =
    between(constants.first.lindy, share) *
    (1 - Math.min(1, constants.first.steady.trust * share) * steadiness(at));
  const rate = Math.exp((1 - trust) * Math.log(lifetime) + trust * Math.log(regime));
  const worked = Math.exp((1 - lindy) * Math.log(rate) + lindy * Math.log(again * ms));
  return worked + (at.sends ? tailAfter(at, regime) : tail.plain * (ms + worked));
}

/** By what is known of the worker's process: bytes that are fetched, bytes that are sent, or units that are sent as they are read. */
interface Flow {
  readonly by: "fetched" | "spooled" | "kept";
  readonly ms: number;
}

/** Less than this is no data yet. */
const leastCarried = 65_536;

/** The rest at the rate at which bytes went through the process; undefined where nobody can say how many there will be. */
function flowOf({ carried, total = 0, done, ms, sends, unit }: Standing): Flow | undefined {
  if (!carried || unit !== "bytes" || total <= 0 || carried.done < leastCarried) return undefined;
  const firstMs = carried.marks.find(([at, bytes]) => at > 0 && bytes >= leastCarried)?.[0] ?? 0;
  const spentMs = Math.max(1000, ms - Math.min(firstMs, ms / 2));
  const rest = (left: number, moved: number) => Math.max(0.02 * ms, (left * spentMs) / Math.max(1, moved));
  if (!sends) {
    // What is done cannot be more than what was fetched for it: less was fetched where it comes compressed or is not kept.
    const packed = done > 0 ? Math.min(1, carried.done / done) : 1;
    return { by: "fetched", ms: rest(packed * total - carried.done, carried.done) };
  }
  // More than there is can only be written by a mover that writes everything twice: to its disk, then to the store.
  const { twice, keptUp } = constants.first;
  if (carried.done > twice * total) {
    const sent = carried.done - done;
    return { by: "spooled", ms: rest(total - sent, sent) };
  }
  // As much sent as read: nothing is read ahead that the units would hide.
  if (done < total && done > 0 && carried.done > keptUp * done)
    return { by: "kept", ms: Math.max(0.02 * ms, (ms * (total - done)) / done) };
  return undefined;
}

/** How evenly the work went so far, 0..1: a run that goes like a clock needs no guess. */
function steadiness({ marks, ms, done }: Standing): number {
  if (done <= 0 || ms <= 0) return 0;
  let furthest = 0;
  for (const [at, units] of marks) furthest = Math.max(furthest, Math.abs(at / ms - units / done));
  furthest = Math.max(furthest, 1 - (marks.at(-1)?.[0] ?? 0) / ms);
  return Math.max(0, 1 - furthest / constants.first.steady.furthest);
}

/** Movers read ahead of what they send: what they hold back goes out after the last byte was read, at the rate of the link. */
function tailAfter({ unit, total = 0, done, ms }: Standing, restMs: number): number {
  const { backlog, longest } = constants.first.tail;
  if (unit !== "bytes" || total <= done) return 0;
  return Math.min(longest * (ms + restMs), (restMs * Math.min(backlog, total)) / (total - done));
}

/** A value that is known at shares 0, ¼, ½, ¾ and 1. */
export function between(values: readonly number[], share: number): number {
  const at = Math.min(1, Math.max(0, share)) * (values.length - 1);
  const k = Math.min(values.length - 2, Math.floor(at));
  const low = values[k] ?? 0;
  return low + ((values[k + 1] ?? low) - low) * (at - k);
}

/** The rest at the rate since a mark. */
function timeFor({ marks, done, total = 0, ms, movedMs }: Standing, from: number): number | undefined {
  const [startMs, startUnits] = from === 0 ? afterStartUp(marks, movedMs) : (marks[from] ?? [0, 0]);
  const units = done - startUnits;
  const workedMs = movedMs - startMs;
  if (units <= 0 || workedMs <= 0) return undefined;
  const silentMs = ms - movedMs;
  const usualGapMs = workedMs / Math.max(1, marks.length - 1 - from);
  // Up to the usual silence the work goes on unseen; what is longer is time that the work takes.
  const left = ((total - done) * (workedMs + Math.max(0, silentMs - usualGapMs))) / units;
  return Math.max(0.05 * left + 100, left - Math.min(silentMs, usualGapMs));
}

/**
 * Where the rate begins: the time until the first units were seen is start-up, which is no part of any rate. The less there
 * is to measure after it, the more of it counts all the same.
 */
function afterStartUp(marks: Standing["marks"], movedMs: number): Mark {
  const first = marks.find(([ms, units]) => ms > 0 && units > 0);
  if (!first || movedMs <= first[0]) return marks[0] ?? [0, 0];
  const trust = Math.min(1, (movedMs - first[0]) / first[0]);
  return [trust * first[0], trust * first[1]];
}
