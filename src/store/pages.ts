import type { Entry, ObjectInfo } from "./store.ts";

/** A page has objects and prefixes apart; a listing has them in one order. */
export function inOrder(objects: readonly ObjectInfo[], prefixes: readonly string[]): Entry[] {
  const all = [
    ...objects.map((object) => ({ at: object.key, entry: { object } })),
    ...prefixes.map((prefix) => ({ at: prefix, entry: { prefix } })),
  ];
  return all
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.at), Buffer.from(b.at)))
    .map(({ entry }) => entry);
}

/** Deletions of one deletePrefix under way at a time. */
const deletions = 8;

/** Deletes what a listing gives, some at a time; returns how many. */
export async function deleteAll(
  entries: AsyncIterable<Entry>,
  remove: (key: string) => Promise<void>,
): Promise<number> {
  const running = new Set<Promise<void>>();
  let count = 0;
  try {
    for await (const entry of entries) {
      if (!("object" in entry)) continue;
      count += 1;
      const one = remove(entry.object.key).finally(() => running.delete(one));
      one.catch(() => undefined); // awaited below; this only keeps an early failure from being "unhandled"
      running.add(one);
      if (running.size >= deletions) await Promise.race(running);
    }
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
  }
  return count;
}
