import type { Place } from "./work.ts";

/** One restore as the simulation sees it: seconds when nothing else shares slots or link. */
export interface Job {
  readonly name: string;
  readonly objectsSeconds: number;
  readonly volumes: readonly { readonly title: string; readonly seconds: number; readonly bytes: number }[];
  readonly readySeconds: number;
}

/** When a piece of work began and ended, in seconds from the start, and what it had to wait for. */
export interface Span {
  readonly backup: string;
  readonly what: "objects" | "volume" | "workloads";
  /** Of a volume. */
  readonly title?: string;
  readonly start: number;
  readonly end: number;
  /** The span whose end let this one begin. */
  readonly after?: Span;
}

interface Running {
  readonly span: Omit<Span, "end">;
  readonly bytesPerSecond: number;
  left: number;
}

/**
 * Plays a recovery: restores create their objects one after the other, a restore that waits for its volumes lets the next begin,
 * and its volumes take the slots in their order as soon as its objects are there. Where the link is too narrow for the volumes at
 * work they share it. Spans come in the order of their ends.
 */
export function simulate(jobs: readonly Job[], place: Place): readonly Span[] {
  const play = new Play(place);
  let before: Span | undefined;
  for (const job of jobs) before = play.objects(job, before);
  play.volumes();
  return [...play.spans, ...play.workloads(jobs)].toSorted((a, b) => a.end - b.end);
}

/** The chain of work that decides when all is over, the first first. */
export function criticalPath(spans: readonly Span[]): readonly Span[] {
  const chain: Span[] = [];
  for (let span = spans.at(-1); span; span = span.after) chain.unshift(span);
  return chain;
}

class Play {
  readonly spans: Span[] = [];
  readonly #place: Place;
  readonly #queue: { readonly job: Job; readonly at: Span }[] = [];

  constructor(place: Place) {
    this.#place = place;
  }

  objects(job: Job, after: Span | undefined): Span {
    const start = after?.end ?? 0;
    const span: Span = {
      backup: job.name,
      what: "objects",
      start,
      end: start + job.objectsSeconds,
      ...(after && { after }),
    };
    this.spans.push(span);
    this.#queue.push({ job, at: span });
    return span;
  }

  /** The volumes of all restores, in the order in which these bring them. */
  volumes(): void {
    const waiting = this.#queue.flatMap(({ job, at }) => job.volumes.map((volume) => ({ job, at, volume })));
    const running: Running[] = [];
    let [now, next] = [0, 0];
    let freed: Span | undefined;
    for (;;) {
      for (; running.length < this.#place.slots; next += 1) {
        const one = waiting[next];
        if (!one || one.at.end > now) break;
        const after = freed && freed.end > one.at.end ? freed : one.at;
        const { title, seconds, bytes } = one.volume;
        const span = { backup: one.job.name, what: "volume" as const, title, start: now, after };
        running.push({ span, left: seconds, bytesPerSecond: seconds > 0 ? bytes / seconds : 0 });
      }
      const comes = waiting[next]?.at.end;
      const speed = this.#speed(running);
      const ends = Math.min(...running.map(({ left }) => now + left / speed));
      const isFree = running.length < this.#place.slots && comes !== undefined && comes > now;
      const at = isFree ? Math.min(ends, comes) : ends;
      if (!Number.isFinite(at)) return;
      for (const one of running) one.left -= (at - now) * speed;
      now = at;
      for (const [i, one] of [...running.entries()].toReversed()) {
        if (one.left > 1e-9) continue;
        running.splice(i, 1);
        freed = { ...one.span, end: now };
        this.spans.push(freed);
      }
    }
  }

  workloads(jobs: readonly Job[]): readonly Span[] {
    const last = new Map<string, Span>();
    for (const span of this.spans)
      if (span.end >= (last.get(span.backup)?.end ?? 0)) last.set(span.backup, span);
    return jobs.flatMap(({ name, readySeconds }) => {
      const after = readySeconds > 0 ? last.get(name) : undefined;
      if (!after) return [];
      return [
        { backup: name, what: "workloads" as const, start: after.end, end: after.end + readySeconds, after },
      ];
    });
  }

  /** By what the volumes at work are slowed down, 1 when the link is wide enough. */
  #speed(running: readonly Running[]): number {
    const { bytesPerSecond } = this.#place;
    const wanted = running.reduce((sum, one) => sum + one.bytesPerSecond, 0);
    return bytesPerSecond === undefined || wanted <= bytesPerSecond ? 1 : bytesPerSecond / wanted;
  }
}
