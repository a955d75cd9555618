import { useEffect, useState } from "react";

/** What was asked for: the newest answer, and why there is none. */
export interface Asked<T> {
  readonly value?: T;
  readonly error?: string;
}

/**
 * Asks now, when `key` changes, and every `everyMs`; the last good answer stays while a newer one is on its way.
 * An undefined key asks nothing.
 */
export function useAsked<T>(
  key: string | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
  everyMs?: number,
): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({});
  useEffect(() => {
    if (key === undefined) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const once = async () => {
      try {
        const value = await ask(stop.signal);
        if (!stop.signal.aborted) setAsked({ value });
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        if (!stop.signal.aborted) setAsked((old) => ({ ...old, error: why }));
      }
      if (everyMs !== undefined && !stop.signal.aborted) timer = setTimeout(() => void once(), everyMs);
    };
    void once();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
    // `ask` is a new function in every drawing; `key` says whether it asks for something else.
  }, [key, everyMs]);
  return asked;
}
