import { messageOf } from "../errors.ts";
import { type Clock, sleep } from "../kube/index.ts";
import type { Operation } from "../progress/index.ts";
import type { Sink } from "./config.ts";
import { wants } from "./filter.ts";
import { forms } from "./forms/registry.ts";
import { backoffMs, Pace } from "./pace.ts";
import { Refused } from "./refused.ts";
import type { Answer, Telling } from "./telling.ts";
import { dueBy, firstSight, nextStep, type Sight, type Told } from "./told.ts";

/** What is known of an operation at the moment it is looked at. */
export interface Known {
  readonly operation: Operation;
  readonly createdAt: number | undefined;
  readonly about: readonly string[];
}

/** What the telling of one receiver needs. */
export interface SinkRunOptions {
  readonly sink: Sink;
  readonly clock: Clock;
  readonly random: () => number;
  readonly cluster: string | undefined;
  readonly namespace: string;
  /** What it was told by earlier processes, by the operation's key; what is older than `sinceMs` is old. */
  readonly told: Iterable<readonly [string, Told]>;
  readonly sinceMs: number;
  readonly look: (key: string) => Known | undefined;
  /** Composes and sends; undefined where the form says nothing to it. */
  readonly send: (telling: Telling, signal: AbortSignal) => Promise<Answer | undefined>;
  readonly onChange: () => void;
  readonly onError: (error: Refused, failures: number) => void;
}

/** How it goes with one receiver. */
export interface SinkHealth {
  readonly sent: number;
  readonly dropped: number;
  readonly failures: number;
  readonly sentAt?: number;
  readonly error?: string;
}

/**
 * Tells one receiver what it does not know yet. There is no queue of events: a set of names says which operations to look at, and what
 * is due follows from what is and what was told, so that after an outage the newest is told and no storm of old news. Bounded by the
 * operations that the observer holds.
 */
export class SinkRun {
  readonly #options: SinkRunOptions;
  readonly #told: Map<string, Told>;
  readonly #dirty = new Set<string>();
  readonly #pace: Pace;
  #wake: (() => void) | undefined;
  #health: SinkHealth = { sent: 0, dropped: 0, failures: 0 };

  constructor(options: SinkRunOptions) {
    this.#options = options;
    this.#told = new Map(options.told);
    this.#pace = new Pace(options.sink.perMinute, options.clock.monotonic());
  }

  get health(): SinkHealth {
    return this.#health;
  }

  /** What was told of which operation, the one that was touched last at the end. */
  get told(): ReadonlyMap<string, Told> {
    return this.#told;
  }

  /** Something changed, or a moment passed. */
  touch(key: string): void {
    this.#dirty.add(key);
    this.#wake?.();
  }

  /** Tells until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const awake = () => this.#wake?.();
    signal.addEventListener("abort", awake, { once: true });
    while (!signal.aborted) {
      const [key] = this.#dirty;
      if (key === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        this.#wake = undefined;
        continue;
      }
      this.#dirty.delete(key);
      await this.#tell(key, signal).catch((error: unknown) => this.#failed(key, error, signal));
    }
    signal.removeEventListener("abort", awake);
  }

  async #tell(key: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) return;
      const known = this.#options.look(key);
      if (!known) return this.#forget(key);
      const now = this.#options.clock.now();
      const told = this.#remember(key, known, now);
      const step = nextStep(told, known.operation, now);
      if (!step) return this.#edit(key, known, told, signal);
      const { sink } = this.#options;
      if (wants(sink.filter, step.event, known.operation, known.about)) {
        if (await this.#paced(signal)) continue; // it may be over by now: look again
        await this.#say(key, { ...this.#telling(known, told, now), event: step.event }, step.told, signal);
      } else this.#set(key, step.told);
    }
  }

  /** Shows new numbers where a message is edited or an alert repeated. */
  async #edit(key: string, known: Known, told: Told, signal: AbortSignal): Promise<void> {
    const { sink, clock } = this.#options;
    if (told.ended) return;
    const now = clock.now();
    const telling: Telling = { ...this.#telling(known, told, now), event: "moved" };
    const shown = forms[sink.type].shows?.(telling);
    if (shown === undefined || shown === told.shown || now - (told.shownAt ?? 0) < sink.everyMs) return;
    if (await this.#paced(signal)) return void this.#dirty.add(key);
    await this.#say(key, telling, { ...told, shown }, signal);
  }

  async #say(key: string, telling: Telling, after: Told, signal: AbortSignal): Promise<void> {
    const { sink, clock, send } = this.#options;
    const form = forms[sink.type];
    const answer = await this.#orDrop(send(telling, signal));
    const learned = answer ? form.accept?.(answer, telling) : undefined;
    const shown = { ...after, ...learned };
    const { error: _past, ...health } = this.#health;
    if (answer) this.#health = { ...health, failures: 0, sent: health.sent + 1, sentAt: clock.now() };
    this.#set(key, { ...shown, ...shownBy(form.shows?.({ ...telling, told: shown })), shownAt: clock.now() });
  }

  /** What can never pass is dropped: it must not hold up what can. */
  async #orDrop(sending: Promise<Answer | undefined>): Promise<Answer | undefined> {
    try {
      return await sending;
    } catch (error) {
      if (!(error instanceof Refused) || error.retry) throw error;
      this.#count(error, true);
      return undefined;
    }
  }

  async #failed(key: string, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const refused = error instanceof Refused ? error : new Refused(messageOf(error), { retry: true });
    this.#count(refused, !refused.retry);
    if (refused.isLost) {
      const { message: _gone, ...rest } = this.#told.get(key) ?? {};
      this.#set(key, rest);
    }
    if (!refused.retry) return this.#give(key);
    // It goes to the end: one operation that a receiver cannot take does not hold up the others.
    this.#dirty.add(key);
    const { clock, random } = this.#options;
    const waitMs = refused.afterMs ?? backoffMs(this.#health.failures, random());
    await sleep(clock, waitMs, signal).catch(() => undefined); // the loop ends by the signal
  }

  /** A refusal inside of a good answer: the step counts as told. */
  #give(key: string): void {
    const known = this.#options.look(key);
    const told = this.#told.get(key) ?? {};
    const step = known && nextStep(told, known.operation, this.#options.clock.now());
    this.#set(key, { ...(step?.told ?? told), shownAt: this.#options.clock.now() });
    this.#dirty.add(key);
  }

  #count(error: Refused, dropped: boolean): void {
    const { failures, dropped: before } = this.#health;
    this.#health = {
      ...this.#health,
      failures: failures + 1,
      dropped: before + (dropped ? 1 : 0),
      error: error.message,
    };
    this.#options.onError(error, failures + 1);
    this.#options.onChange();
  }

  /** Waits for its turn; true when it had to wait. */
  async #paced(signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    const waitMs = this.#pace.take(clock.monotonic());
    if (waitMs === 0) return false;
    await sleep(clock, waitMs, signal).catch(() => undefined); // the caller looks at the signal
    return true;
  }

  #telling({ operation, about }: Known, told: Told, atMs: number): Omit<Telling, "event"> {
    const { cluster, namespace } = this.#options;
    return { operation, about, told, atMs, cluster, namespace };
  }

  #remember(key: string, { operation, createdAt }: Known, now: number): Told {
    const before = this.#told.get(key);
    const sight: Sight = { createdAt, sinceMs: this.#options.sinceMs };
    const first = before ?? firstSight(operation, sight);
    const told = { ...first, ...dueBy(first, operation, now) };
    if (!before || told.dueBy !== before.dueBy) this.#set(key, told);
    return told;
  }

  #set(key: string, told: Told): void {
    this.#told.delete(key); // the newest at the end
    this.#told.set(key, told);
    this.#options.onChange();
  }

  #forget(key: string): void {
    if (this.#told.delete(key)) this.#options.onChange();
  }
}

function shownBy(shown: string | undefined): Partial<Told> {
  return shown === undefined ? {} : { shown };
}
