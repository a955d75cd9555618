import type { Backup } from "../../api/index.ts";

/** What a search of a location found out about Backups whose files are gone. */
export interface MissingFacts {
  readonly orphans: readonly Backup[];
  /** Backups of the location that ended and should have files, the orphans among them. */
  readonly all: number;
  /** When each was first missed, by uid, in monotonic time. */
  readonly seen: ReadonlyMap<string, number>;
  /** When this search began, in monotonic time. */
  readonly nowMs: number;
  readonly periodMs: number;
  /** Somebody said that they may go, however many. */
  readonly isAllowed: boolean;
}

/** Which Backups go. */
export interface MissingPlan {
  readonly forget: readonly Backup[];
  /** `MISSING of ALL`, when so many are gone that somebody has to say a word first. */
  readonly held?: string;
  /** What to remember for the next search. */
  readonly seen: ReadonlyMap<string, number>;
}

/**
 * One search may be wrong: a listing that ends early, a store that is being copied. So a Backup goes when it is missed
 * for the second time, a period later; and never more than half of them at once, since that is how a lost store looks.
 */
export function planMissing(facts: MissingFacts): MissingPlan {
  const { orphans, all, nowMs, periodMs } = facts;
  const seen = new Map(
    orphans.map(({ metadata: { uid = "" } }) => [uid, facts.seen.get(uid) ?? nowMs] as const),
  );
  const twice = orphans.filter(({ metadata: { uid = "" } }) => nowMs - (seen.get(uid) ?? nowMs) >= periodMs);
  const isMost = orphans.length > Math.max(1, Math.floor(all / 2));
  if (!isMost || facts.isAllowed) return { forget: twice, seen };
  return { forget: [], seen, ...(twice.length > 0 && { held: `${orphans.length} of ${all}` }) };
}
