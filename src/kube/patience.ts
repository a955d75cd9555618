import { AppError, messageOf } from "../errors.ts";
import { ApiError, isConflict } from "./api-error.ts";
import { type Clock, sleep } from "./clock.ts";

/** How long one call may wait for an API server that is away. */
const limitMs = 10 * 60_000;
const firstMs = 500;
const maxMs = 10_000;
/** A failing webhook is a 500 as well, and a quota under pressure a conflict; after this many it is the call's own trouble. */
const ownTroubles = 3;

/** Tries again while the API server is away or overloaded; every other failure is the caller's. The call must be repeatable. */
export async function patiently<T>(
  call: () => Promise<T>,
  clock: Clock,
  signal: AbortSignal,
  waiting?: (reason: string | undefined) => void,
): Promise<T> {
  const until = clock.monotonic() + limitMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await call();
      if (attempt > 0) waiting?.(undefined);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!isAway(error, attempt) || clock.monotonic() >= until) throw error;
      waiting?.(messageOf(error));
      await sleep(clock, Math.min(maxMs, firstMs * 2 ** attempt), signal);
    }
  }
}

function isAway(error: unknown, attempt: number): boolean {
  if (error instanceof ApiError) {
    const { code } = error.status;
    return (
      code === 429 ||
      code === 502 ||
      code === 503 ||
      code === 504 ||
      ((code === 500 || isConflict(error)) && attempt < ownTroubles)
    );
  }
  return error instanceof AppError && error.code === "KUBE_UNREACHABLE";
}
