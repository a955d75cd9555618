import { randomUUID } from "node:crypto";
import { type Clock, systemClock } from "../kube/index.ts";
import type { Frame, Observer } from "../observe/index.ts";

interface Newest {
  readonly seq: number;
  readonly frame: Frame;
  /** Made once, for all who listen. */
  text: string | undefined;
}

interface Listener {
  readonly namespace: string | undefined;
  /** Ids with a newer frame than was sent. Bounded by the operations: a slow listener misses frames, never the newest. */
  readonly behind: Set<string>;
  controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Stops asking whether it may go on. */
  release: (() => void) | undefined;
}

/** Watches over one stream's right to go on; `end` ends it, the function that is returned stops watching. */
type Allowed = (end: () => void) => () => void;

/** What a hub needs. */
export interface StreamHubOptions {
  readonly observer: Pick<Observer, "subscribe" | "operations">;
  readonly clock?: Clock;
}

/** Listeners are served at most so often. */
const everyMs = 100;
const pingMs = 15_000;
/** Sent at once to one listener; what its connection does not take is held back as ids, not as text. */
const chunkChars = 64_000;
/** Ends remembered for those who come back; one who was away for longer starts afresh. */
const maxGone = 1_000;

/** The changes of all operations as server-sent events, to any number of listeners. */
export class StreamHub {
  readonly #clock: Clock;
  /** Tells this life of the server from an earlier one. */
  readonly #life = randomUUID().slice(0, 8);
  /** In the order of their last change. */
  readonly #newest = new Map<string, Newest>();
  readonly #gone = new Map<string, number>();
  readonly #listeners = new Set<Listener>();
  readonly #leave: () => void;
  #seq = 0;
  /** The number of the last end that is no longer remembered. */
  #forgotten = 0;
  #servedAt = 0;
  #cancelServe: (() => void) | undefined;
  #cancelPing: (() => void) | undefined;

  constructor({ observer, clock = systemClock }: StreamHubOptions) {
    this.#clock = clock;
    for (const operation of observer.operations()) this.#take({ id: operation.id, operation });
    this.#leave = observer.subscribe((frame) => this.#take(frame));
    this.#ping();
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** The stream for one listener, from where it was (`Last-Event-ID`) or from the present state of everything. */
  open(
    lastEventId: string | undefined,
    namespace: string | undefined,
    allowed?: Allowed,
  ): ReadableStream<Uint8Array> {
    const listener: Listener = {
      namespace,
      behind: new Set(),
      controller: undefined,
      release: undefined,
    };
    const since = this.#since(lastEventId);
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          listener.controller = controller;
          this.#listeners.add(listener);
          listener.release = allowed?.(() => {
            if (this.#drop(listener)) controller.close();
          });
          if (since === undefined) controller.enqueue(encode("retry: 1000\nevent: reset\ndata: {}\n\n"));
          else controller.enqueue(encode("retry: 1000\n\n"));
          this.#catchUp(listener, since ?? 0);
        },
        pull: () => this.#serve(listener),
        cancel: () => void this.#drop(listener),
      },
      // In bytes; more is not put on a connection that does not take it.
      { highWaterMark: chunkChars, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  /** Ends every stream. */
  close(): void {
    this.#leave();
    this.#cancelPing?.();
    this.#cancelServe?.();
    for (const listener of this.#listeners) if (this.#drop(listener)) listener.controller?.close();
  }

  /** Forgets a listener; whether there was one to forget. */
  #drop(listener: Listener): boolean {
    listener.release?.();
    return this.#listeners.delete(listener);
  }

  #take(frame: Frame): void {
    this.#seq += 1;
    this.#newest.delete(frame.id);
    this.#gone.delete(frame.id);
    if (frame.operation) this.#newest.set(frame.id, { seq: this.#seq, frame, text: undefined });
    else this.#bury(frame.id);
    for (const listener of this.#listeners) if (concerns(listener, frame.id)) listener.behind.add(frame.id);
    if (this.#listeners.size === 0) return;
    this.#cancelServe ??= this.#clock.after(
      Math.max(0, this.#servedAt + everyMs - this.#clock.monotonic()),
      () => this.#serveAll(),
    );
  }

  #bury(id: string): void {
    this.#gone.set(id, this.#seq);
    const [oldest] = this.#gone;
    if (this.#gone.size <= maxGone || !oldest) return;
    this.#gone.delete(oldest[0]);
    this.#forgotten = oldest[1];
  }

  /** The number up to which a listener knows everything; undefined when that cannot be said. */
  #since(lastEventId: string | undefined): number | undefined {
    const [life, seq] = (lastEventId ?? "").split("-");
    const since = life === this.#life && /^\d+$/.test(seq ?? "") ? Number(seq) : undefined;
    return since !== undefined && since >= this.#forgotten && since <= this.#seq ? since : undefined;
  }

  #catchUp(listener: Listener, since: number): void {
    const missed = [...this.#newest].filter(([, { seq }]) => seq > since).map(([id]) => id);
    // The newest first: whoever looks wants to see what moves.
    for (const id of missed.toReversed()) if (concerns(listener, id)) listener.behind.add(id);
    if (since === 0) return;
    for (const [id, seq] of this.#gone) if (seq > since && concerns(listener, id)) listener.behind.add(id);
  }

  #serveAll(): void {
    this.#cancelServe = undefined;
    this.#servedAt = this.#clock.monotonic();
    for (const listener of this.#listeners) this.#serve(listener);
  }

  #serve({ behind, controller }: Listener): void {
    while (controller && behind.size > 0 && (controller.desiredSize ?? 0) > 0) {
      let text = "";
      for (const id of behind) {
        behind.delete(id);
        text += this.#text(id);
        if (text.length >= chunkChars) break;
      }
      // An id is only sent with the last event of a batch: one who comes back after half of it gets it again.
      if (behind.size === 0) text += `id: ${this.#life}-${this.#seq}\n\n`;
      controller.enqueue(encode(text));
    }
  }

  #text(id: string): string {
    const newest = this.#newest.get(id);
    if (!newest) return `event: gone\ndata: ${JSON.stringify({ id })}\n\n`;
    newest.text ??= `event: operation\ndata: ${JSON.stringify(newest.frame)}\n\n`;
    return newest.text;
  }

  #ping(): void {
    this.#cancelPing = this.#clock.after(pingMs, () => this.#ping());
    for (const { controller } of this.#listeners) {
      if ((controller?.desiredSize ?? 0) > 0) controller?.enqueue(encode(": ping\n\n"));
    }
  }
}

/** Ids are `kind/namespace/name`. */
function concerns({ namespace }: Listener, id: string): boolean {
  return namespace === undefined || id.split("/")[1] === namespace;
}

const encoder = new TextEncoder();

function encode(text: string): Uint8Array {
  return encoder.encode(text);
}
