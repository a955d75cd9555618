/** The parts of a Lease that decide who leads. */
export interface LeaseRecord {
  /** Empty when it was given back. */
  readonly holder: string;
  readonly durationMs: number;
  /** Changes with every write; opaque. */
  readonly version: string;
}

/** How long a lease holds, when its holder steps down by itself, and how often it is renewed. */
export interface LeaseTimes {
  readonly durationMs: number;
  /** Shorter than the duration: the distance is what clocks may differ in speed. */
  readonly renewWithinMs: number;
  readonly everyMs: number;
}

/** What a candidate knows. All times are of its own clock; another machine's clock is never compared with it. */
export interface Candidate {
  readonly me: string;
  /** The newest record it saw, and when it saw it first. */
  readonly seen?: { readonly record: LeaseRecord; readonly at: number };
  /** When it began the last write that made or kept it the holder. */
  readonly heldSince?: number;
}

/** What to do about the lease now. */
export type LeaseStep =
  | { readonly do: "create" }
  | { readonly do: "take" }
  | { readonly do: "renew" }
  | { readonly do: "wait" };

/** Folds in what was read. A record that did not change since does not count as news. */
export function observe(candidate: Candidate, record: LeaseRecord | undefined, nowMs: number): Candidate {
  const { seen: _seen, ...rest } = candidate;
  if (!record) return rest;
  if (candidate.seen?.record.version === record.version) return candidate;
  return { ...rest, seen: { record, at: nowMs } };
}

/** Who may write next. A lease runs out when its record has not changed for its whole duration, by our own clock. */
export function decide(candidate: Candidate, nowMs: number): LeaseStep {
  const { seen, me } = candidate;
  if (!seen) return { do: "create" };
  if (seen.record.holder === me) return { do: "renew" };
  if (seen.record.holder === "" || nowMs - seen.at >= seen.record.durationMs) return { do: "take" };
  return { do: "wait" };
}

/** Folds in a write that the server accepted; `begunMs` is before it was sent. */
export function wrote(candidate: Candidate, record: LeaseRecord, begunMs: number): Candidate {
  return { ...candidate, seen: { record, at: begunMs }, heldSince: begunMs };
}

/** Folds in that somebody else holds the lease, or nobody. */
export function lost(candidate: Candidate): Candidate {
  const { heldSince: _held, ...rest } = candidate;
  return rest;
}

/** Whether the candidate may act as the leader at this moment. */
export function leads(candidate: Candidate, times: LeaseTimes, nowMs: number): boolean {
  return candidate.heldSince !== undefined && nowMs - candidate.heldSince < times.renewWithinMs;
}
