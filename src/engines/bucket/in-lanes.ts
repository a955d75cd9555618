/** Works on several at a time and hands the results out in order; reads no further ahead than there are lanes. */
export async function* inLanes<T, R>(
  source: AsyncIterable<T>,
  lanes: number,
  work: (one: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  try {
    for await (const one of source) {
      const run = work(one);
      run.catch(() => undefined); // it is awaited below, in its turn
      begun.push(run);
      if (begun.length < lanes) continue;
      const first = begun.shift();
      if (first) yield await first;
    }
    for (let first = begun.shift(); first; first = begun.shift()) yield await first;
  } finally {
    await Promise.allSettled(begun);
  }
}
