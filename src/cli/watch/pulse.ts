import { type Client, type Clock, sleep, systemClock } from "../../kube/index.ts";

/** Whether the cluster answers, each time that changes. */
export type Pulse =
  | { readonly cluster: "away"; readonly sinceMs: number; readonly why: string }
  | { readonly cluster: "back"; readonly sinceMs: number };

/** The cluster is asked so often. */
const everyMs = 5_000;
/** An answer that takes longer is none. */
const answerMs = 5_000;

/**
 * Asks the cluster now and then whether it is there, and tells when that changes, until the signal fires: a watch that has lost its
 * cluster looks the same as one where nothing happens.
 */
export async function watchPulse(
  client: Pick<Client, "version">,
  told: (pulse: Pulse) => void,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  let answeredAt = clock.now();
  let isAway = false;
  while (!signal.aborted) {
    try {
      await client.version(AbortSignal.any([signal, AbortSignal.timeout(answerMs)]));
      if (isAway) told({ cluster: "back", sinceMs: answeredAt });
      isAway = false;
      answeredAt = clock.now();
    } catch (error) {
      if (signal.aborted) return;
      if (!isAway) told({ cluster: "away", sinceMs: answeredAt, why: whyOf(error) });
      isAway = true;
    }
    await sleep(clock, everyMs, signal).catch(() => undefined); // the loop looks at the signal
  }
}

function whyOf(error: unknown): string {
  return error instanceof Error && error.name !== "TimeoutError"
    ? error.message
    : "there was no answer in time";
}
