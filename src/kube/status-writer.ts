import type { KubeObject } from "../api/index.ts";
import { AppError } from "../errors.ts";
import { ApiError, isConflict, isInvalid, isNotFound } from "./api-error.ts";
import { type Backoff, backoffMs } from "./backoff.ts";
import { type IntervalMs, stretching } from "./budget.ts";
import type { Client } from "./client.ts";
import { type Clock, systemClock } from "./clock.ts";
import { composePatches, type MergePatch } from "./merge-patch.ts";
import type { Resource } from "./resource.ts";

/** The object whose status is written. */
export interface StatusTarget {
  readonly resource: Resource;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** Never write to a successor of the same name. */
  readonly uid?: string | undefined;
  /** "status" for kinds with a status subresource; absent writes on the object itself. */
  readonly subresource?: "status" | undefined;
  /** How often; the writer's own interval when absent. */
  readonly interval?: IntervalMs | undefined;
}

/** What a writer needs. */
export interface StatusWriterOptions {
  readonly client: Pick<Client, "patch" | "get">;
  readonly interval?: IntervalMs;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly backoff?: Backoff;
  /** Writes in flight at a time. */
  readonly parallel?: number;
  /** Told when a status can never be written, such as one that breaks its schema. */
  readonly onDrop?: (target: StatusTarget, error: unknown) => void;
}

/** What a writer did. `writes` are the ones that arrived. */
export interface StatusCounts {
  readonly offers: number;
  readonly writes: number;
  readonly failures: number;
  readonly dropped: number;
}

interface Entry {
  readonly target: StatusTarget;
  readonly firstAt: number;
  /** When the interval allows the next write. */
  dueAt: number;
  pending: MergePatch | undefined;
  /** The object after its last write. */
  stored: KubeObject | undefined;
  phase: string | undefined;
  final: boolean;
  /** Failures in a row of this object alone. */
  failures: number;
  writing: boolean;
  cancel: (() => void) | undefined;
  readonly waiters: Set<{ resolve(): void; reject(error: unknown): void }>;
}

/** Late offers for the newest finished objects are ignored; older ones are not remembered. */
const rememberedEnds = 1_000;

/**
 * Writes the newest status of each object: the first at once, then one per interval, one per phase change and the
 * final one. Offers in between are folded together. While the server is away one write at a time feels for it.
 * Bounded by the number of objects at work: one folded patch each.
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  /** Entries whose time has come. */
  readonly #due = new Set<Entry>();
  readonly #ended = new Set<string>();
  readonly #stop = new AbortController();
  #counts = { offers: 0, writes: 0, failures: 0, dropped: 0 };
  #inFlight = 0;
  /** Failures in a row of the server, not of one object. */
  #away = 0;
  #resume: (() => void) | undefined;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  get counts(): StatusCounts {
    return { ...this.#counts };
  }

  /** Takes a merge patch such as `{status: {…}}`; a new `phase` is written without waiting for the interval. */
  offer(target: StatusTarget, patch: MergePatch, phase?: string): void {
    this.#counts.offers += 1;
    const entry = this.#entry(target);
    if (!entry || entry.final) return;
    const urgent = phase !== undefined && phase !== entry.phase;
    entry.phase = phase ?? entry.phase;
    this.#put(entry, patch, urgent);
  }

  /** Takes a status that must not wait; resolves with the object as it was stored, with nothing when that is gone. */
  async store(target: StatusTarget, patch: MergePatch): Promise<KubeObject | undefined> {
    this.#counts.offers += 1;
    const entry = this.#entry(target);
    if (!entry || entry.final) return undefined;
    this.#put(entry, patch, true);
    await this.#written(entry);
    return entry.stored;
  }

  /** Takes the last status of an object, and resolves when it is stored or the object is gone. */
  async finish(target: StatusTarget, patch: MergePatch): Promise<void> {
    this.#counts.offers += 1;
    const entry = this.#entry(target);
    if (!entry) return;
    entry.final = true;
    this.#put(entry, patch, true);
    await this.#written(entry);
  }

  /** The work on an object ended elsewhere: what waits is still written, then nothing of it is kept. */
  async forget(target: StatusTarget): Promise<void> {
    const entry = this.#entries.get(keyOf(target));
    if (!entry) return;
    if (entry.pending) this.#makeDue(entry);
    await this.#written(entry);
    if (!entry.pending && !entry.writing) this.#entries.delete(keyOf(target));
  }

  /** Somebody else writes the object now: what waits is not written any more. */
  drop(target: StatusTarget): void {
    const entry = this.#entries.get(keyOf(target));
    if (!entry || entry.final) return;
    entry.cancel?.();
    entry.cancel = entry.pending = undefined;
    this.#due.delete(entry);
    if (!entry.writing) this.#entries.delete(keyOf(target));
  }

  /** Writes everything that waits, now, and resolves when it is stored. */
  async flush(signal?: AbortSignal): Promise<void> {
    const waiting = [...this.#entries.values()].filter((entry) => entry.pending || entry.writing);
    for (const entry of waiting) this.#makeDue(entry);
    const written = Promise.all(waiting.map((entry) => this.#written(entry)));
    written.catch(() => undefined); // told below, unless the signal was first
    if (!signal) return void (await written);
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const give = () => reject(signal.reason);
      signal.addEventListener("abort", give, { once: true });
      written.then(() => resolve(), reject).finally(() => signal.removeEventListener("abort", give));
    });
  }

  /** Stops every timer and write; what was not stored is lost, so flush before. */
  close(): void {
    this.#stop.abort(new DOMException("the status writer was closed", "AbortError"));
    this.#resume?.();
    for (const entry of this.#entries.values()) {
      entry.cancel?.();
      for (const waiter of entry.waiters) waiter.reject(this.#stop.signal.reason);
    }
    this.#entries.clear();
    this.#due.clear();
  }

  #entry(target: StatusTarget): Entry | undefined {
    const key = keyOf(target);
    if (this.#ended.has(key) || this.#stop.signal.aborted) return undefined;
    const known = this.#entries.get(key);
    if (known) return known;
    const now = this.#clock.monotonic();
    const entry: Entry = {
      target,
      firstAt: now,
      dueAt: now,
      pending: undefined,
      stored: undefined,
      phase: undefined,
      final: false,
      failures: 0,
      writing: false,
      cancel: undefined,
      waiters: new Set(),
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #put(entry: Entry, patch: MergePatch, urgent: boolean): void {
    entry.pending = entry.pending ? composePatches(entry.pending, patch) : patch;
    if (urgent || entry.dueAt <= this.#clock.monotonic()) return this.#makeDue(entry);
    entry.cancel ??= this.#clock.after(entry.dueAt - this.#clock.monotonic(), () => this.#makeDue(entry));
  }

  #makeDue(entry: Entry): void {
    entry.cancel?.();
    entry.cancel = undefined;
    this.#due.add(entry);
    this.#pump();
  }

  #pump(): void {
    const parallel = this.#away > 0 ? 1 : (this.#options.parallel ?? 16);
    for (const entry of this.#due) {
      if (this.#resume || this.#inFlight >= parallel) return;
      if (entry.writing) continue; // it comes again when its write is over
      this.#due.delete(entry);
      void this.#write(entry);
    }
  }

  async #write(entry: Entry): Promise<void> {
    const patch = entry.pending;
    if (!patch) return this.#settle(entry);
    entry.pending = undefined;
    entry.writing = true;
    this.#inFlight += 1;
    this.#advance(entry);
    try {
      entry.stored = await this.#send(entry.target, patch);
      this.#counts.writes += 1;
      this.#away = 0;
      entry.failures = 0;
    } catch (error) {
      if (!this.#stop.signal.aborted) await this.#failed(entry, patch, error);
    }
    entry.writing = false;
    this.#inFlight -= 1;
    if (this.#stop.signal.aborted) return;
    if (!entry.pending) this.#settle(entry);
    this.#pump();
  }

  /** Slots follow each other on a grid, so that late timers do not add up. */
  #advance(entry: Entry): void {
    const now = this.#clock.monotonic();
    const interval = entry.target.interval ?? this.#options.interval ?? stretching;
    if (now < entry.dueAt) return; // a phase change or the end: extra, beside the grid
    while (entry.dueAt <= now) entry.dueAt += Math.max(1, interval(entry.dueAt - entry.firstAt));
  }

  #send(target: StatusTarget, patch: MergePatch): Promise<KubeObject> {
    const { resource, namespace, name, uid, subresource } = target;
    const body = uid === undefined ? patch : composePatches(patch, { metadata: { uid } });
    return this.#options.client.patch(
      resource,
      name,
      { type: "merge", body },
      { namespace, subresource },
      this.#stop.signal,
    );
  }

  async #failed(entry: Entry, patch: MergePatch, error: unknown): Promise<void> {
    this.#counts.failures += 1;
    if (await this.#isGone(entry.target, error)) return this.#drop(entry, undefined);
    if (error instanceof AppError && !error.retry) return this.#drop(entry, error);
    // What was offered meanwhile is newer than what failed.
    entry.pending = entry.pending ? composePatches(patch, entry.pending) : patch;
    if (isAway(error)) {
      this.#due.add(entry);
      return this.#pause();
    }
    entry.cancel?.();
    entry.cancel = this.#clock.after(this.#backoffMs(entry.failures), () => this.#makeDue(entry));
    entry.failures += 1;
  }

  /** The object was deleted, or another one has its name now. */
  async #isGone(target: StatusTarget, error: unknown): Promise<boolean> {
    if (isNotFound(error)) return true;
    // Another uid is a conflict for some servers and an immutable field for others.
    if (target.uid === undefined || !(isConflict(error) || isInvalid(error))) return false;
    try {
      const { resource, name, namespace } = target;
      const now = await this.#options.client.get(resource, name, { namespace }, this.#stop.signal);
      return now.metadata.uid !== target.uid;
    } catch (second) {
      return isNotFound(second); // anything else: the next try finds out
    }
  }

  #drop(entry: Entry, error: unknown): void {
    this.#counts.dropped += 1;
    entry.pending = undefined;
    entry.stored = undefined;
    this.#due.delete(entry);
    if (error === undefined) return this.#end(entry);
    this.#options.onDrop?.(entry.target, error);
    for (const waiter of entry.waiters) waiter.reject(error);
    entry.waiters.clear();
  }

  #pause(): void {
    if (this.#resume) return;
    const cancel = this.#clock.after(this.#backoffMs(this.#away), () => {
      this.#resume = undefined;
      this.#pump();
    });
    this.#away += 1;
    this.#resume = cancel;
  }

  #backoffMs(attempt: number): number {
    const { backoff = { firstMs: 500, maxMs: 15_000 }, random = Math.random } = this.#options;
    return backoffMs(backoff, attempt, random());
  }

  #written(entry: Entry): Promise<void> {
    if (!entry.pending && !entry.writing) return Promise.resolve();
    return new Promise((resolve, reject) => entry.waiters.add({ resolve, reject }));
  }

  #settle(entry: Entry): void {
    for (const waiter of entry.waiters) waiter.resolve();
    entry.waiters.clear();
    if (entry.final) this.#end(entry);
  }

  #end(entry: Entry): void {
    const key = keyOf(entry.target);
    entry.cancel?.();
    this.#entries.delete(key);
    this.#ended.add(key);
    const [oldest] = this.#ended;
    if (this.#ended.size > rememberedEnds && oldest !== undefined) this.#ended.delete(oldest);
  }
}

/** The server is the trouble, not this object: everybody waits. */
function isAway(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return error.status.code === 429 || error.status.code >= 500;
}

function keyOf({ resource, namespace, name, uid }: StatusTarget): string {
  return [resource.group, resource.plural, namespace ?? "", name, uid ?? ""].join("/");
}
