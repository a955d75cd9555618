import type { KubeObject } from "../api/index.ts";
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

/**
 * Whether this operator is the author of an Operation: whose engine does the work, else who lives where the object lives,
 * else who wrote first, until that one falls silent. Others believe what it writes.
 */
export function isAuthorOf({ me, object, told, stored }: Claim): boolean {
  if (told || object.metadata.namespace === me) return true;
  if (!stored || stored.author === undefined || stored.author === me) return true;
  return !isTerminal(stored.state) && stored.ageMs >= silentMs;
}
