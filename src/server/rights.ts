import type { Clock } from "../kube/index.ts";

/** An open stream's right is asked for again so often. */
const askMs = 15_000;
/** And believed no longer than this when nobody answers. */
const believeMs = 60_000;

/**
 * Asks for somebody's right again and again, and calls `end` once when it is gone, or when nobody has said for a minute that it is
 * not. Returns how to stop asking.
 */
export function whileAllowed(ask: () => Promise<boolean>, clock: Clock, end: () => void): () => void {
  let [grantedAt, isOver, isAsking] = [clock.now(), false, false];
  let cancel = clock.after(askMs, look);
  function stop(): void {
    isOver = true;
    cancel();
  }
  function finish(): void {
    if (isOver) return;
    stop();
    end();
  }
  async function question(): Promise<void> {
    isAsking = true;
    try {
      if (await ask()) grantedAt = clock.now();
      else finish();
    } catch {
      // A cluster that is away has not answered: the last answer counts, for a while.
    } finally {
      isAsking = false;
    }
  }
  function look(): void {
    if (clock.now() - grantedAt >= believeMs) return finish();
    cancel = clock.after(askMs, look);
    if (!isAsking) question().catch(finish); // whatever else fails there must not leave a stream open
  }
  return stop;
}
