import { AppError } from "../../errors.ts";
import { ApiError, type Clock, sleep } from "../../kube/index.ts";

/** A cluster that is away for longer fails what was being done. */
const patienceMs = 10 * 60_000;

/** Does it, and again while the cluster is away or overloaded. What is done must not mind being done twice. */
export async function patiently<T>(clock: Clock, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const since = clock.monotonic();
  for (let wait = 500; ; wait = Math.min(15_000, wait * 2)) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!isPassing(error) || clock.monotonic() - since > patienceMs) throw error;
      await sleep(clock, wait, signal);
    }
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status.code === 429 || error.status.code >= 500;
  return error instanceof AppError && error.code === "KUBE_UNREACHABLE";
}
