/** What came of one step of one of several sources. */
export type Step<J, P> =
  | { readonly job: J; readonly page: P }
  | { readonly job: J; readonly error: unknown }
  /** The source is read to its end. */
  | { readonly job: J; readonly end: true };

/**
 * Reads sources one after the other, in order, while the first pages of the next ones are already on their way.
 *
 * Holds at most `ahead` pages besides the one that was handed out. A source that fails ends alone.
 */
export async function* readAhead<J, P>(
  jobs: readonly J[],
  open: (job: J) => AsyncGenerator<P>,
  ahead = 3,
): AsyncGenerator<Step<J, P>> {
  const opened: { readonly job: J; readonly pages: AsyncGenerator<P>; first: Promise<Settled<P>> }[] = [];
  let next = 0;
  const fill = () => {
    while (opened.length <= ahead && next < jobs.length) {
      const job = jobs[next++];
      if (job === undefined) continue;
      const pages = open(job);
      opened.push({ job, pages, first: settled(pages.next()) });
    }
  };
  try {
    for (fill(); opened.length > 0; opened.shift(), fill()) {
      const [source] = opened;
      if (!source) return;
      const { job, pages } = source;
      for (let step = await source.first; ; step = await settled(pages.next())) {
        if ("error" in step) {
          yield { job, error: step.error };
          break;
        }
        if (step.value.done) {
          yield { job, end: true };
          break;
        }
        yield { job, page: step.value.value };
      }
    }
  } finally {
    await Promise.all(opened.map(({ pages }) => pages.return(undefined).catch(() => undefined))); // told to stop, nothing to tell
  }
}

type Settled<P> = { readonly value: IteratorResult<P, unknown> } | { readonly error: unknown };

/** A promise that is awaited later must not count as unhandled until then. */
function settled<P>(promise: Promise<IteratorResult<P, unknown>>): Promise<Settled<P>> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}
