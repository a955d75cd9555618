import { type KubeObject, parseTimeMs } from "../api/index.ts";
import { isTerminal, type State } from "../progress/index.ts";

/** What decides who of several operators in one cluster writes an Operation. */
export interface Claim {
  /** The namespace of this operator: of several in one namespace only the leader works. */
  readonly me: string;
  readonly object: Pick<KubeObject, "metadata">;
  /** An engine of this process does the work. */
  readonly told: boolean;
  /** What the cluster holds already, by whom it was written, and how long ago that was seen. */
  readonly stored:
    | { readonly author: string | undefined; readonly state: State; readonly ageMs: number }
    | undefined;
}

/** An author that has not written running work for so long is gone: its pace is ten seconds at most. */
const silentMs = 45_000;
/** After so long somebody would have written it, were it possible to write it at all. */
const openMs = 15_000;

/**
 * Whether this operator is the author of an Operation: whose engine does the work, else who lives where the object lives,
 * else who wrote first, until that one falls silent. Others believe what it writes.
 */
export function isAuthorOf({ me, object, told, stored }: Claim): boolean {
  if (told || object.metadata.namespace === me) return true;
  if (!stored || stored.author === undefined || stored.author === me) return true;
  return !isTerminal(stored.state) && stored.ageMs >= silentMs;
}

/**
 * Whether it is certain who the author is. Work in a namespace without an operator that nobody has written yet may get its author in another process at
 * this very moment: what cannot be taken back, such as an event, waits for that.
 */
export function isSettled({ me, object, told, stored }: Claim, nowMs: number): boolean {
  const { namespace, creationTimestamp } = object.metadata;
  if (told || namespace === me || stored?.author !== undefined) return true;
  return nowMs - (parseTimeMs(creationTimestamp) ?? 0) > openMs;
}
