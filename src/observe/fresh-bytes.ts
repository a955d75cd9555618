import { type Observation, type Operation, type Tracked, track } from "../progress/index.ts";

/**
 * What its author wrote, with the bytes of its volumes as their objects tell them now: those are written twice a second, an
 * Operation less and less often the longer it goes on. Only numbers are newer: what is said in words (how it stands, what it waits for,
 * how long it will take) stays the author's, so that everybody says the same.
 */
export function withFreshBytes(written: Tracked, volumes: readonly Observation[], nowMs: number): Tracked {
  const seen = new Map(volumes.map((volume) => [volume.id, volume]));
  if (seen.size === 0 || !hasNews(written.operation, seen)) return written;
  const { operation } = track(written, renewed(written, seen), nowMs);
  return { operation: inWordsOf(written.operation, operation), memory: written.memory };
}

type Seen = ReadonlyMap<string, Observation>;

function hasNews(operation: Operation, seen: Seen): boolean {
  const below = seenBelow(seen.get(operation.id), seen);
  if (operation.children.length > 0) return operation.children.some((child) => hasNews(child, below));
  return isNews(operation, seen.get(operation.id));
}

/** More bytes of work that the author has at work. What has ended there, or not begun, is for the author to tell. */
function isNews({ state, progress }: Operation, now: Observation | undefined): boolean {
  return state === "running" && now?.progress?.unit === "bytes" && now.progress.done > (progress?.done ?? 0);
}

/** The same tree, as if it were seen now. */
function renewed({ operation, memory }: Tracked, seen: Seen): Observation {
  const { children: parts, ...own } = operation;
  const now = seen.get(operation.id);
  const below = seenBelow(now, seen);
  const children = parts.map((part, i) =>
    renewed({ operation: part, memory: memory.children[i] ?? { children: [] } }, below),
  );
  return {
    ...own,
    ...(memory.signals && { signals: memory.signals }),
    ...(children.length > 0 && { children }),
    ...(children.length === 0 && isNews(operation, now) && now?.progress && { progress: now.progress }),
  };
}

/** The steps of a moved volume are known under that volume. */
function seenBelow(now: Observation | undefined, seen: Seen): Seen {
  return now?.children ? new Map(now.children.map((child) => [child.id, child])) : seen;
}

function inWordsOf(written: Operation, now: Operation): Operation {
  const { eta: _eta, stall: _stall, waitingFor: _wait, ...numbers } = now;
  const { eta, stall, waitingFor } = written;
  return {
    ...numbers,
    ...(eta && { eta }),
    ...(stall && { stall }),
    ...(waitingFor && { waitingFor }),
    children: now.children.map((child, i) => {
      const before = written.children[i];
      return before ? inWordsOf(before, child) : child;
    }),
  };
}
