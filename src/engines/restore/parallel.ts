/** Works through items, at most `width` at a time; the first failure ends it after the running ones, and is thrown. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failed = false;
  const lane = async (): Promise<void> => {
    while (!failed) {
      signal.throwIfAborted();
      const next = iterator.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.max(1, width) }, lane));
  for (const lane of lanes) if (lane.status === "rejected") throw lane.reason;
}
