import { formatTime, type KubeObject } from "../api/index.ts";
import { isAlreadyExists, isNotFound } from "./api-error.ts";
import { builtIn } from "./built-in.ts";
import type { Client } from "./client.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Resource } from "./resource.ts";

/** What happened to an object, for `kubectl describe`. */
export interface EventNote {
  readonly type: "Normal" | "Warning";
  /** One word in CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** What a recorder needs. */
export interface EventRecorderOptions {
  readonly client: Pick<Client, "create" | "patch">;
  /** Who reports, such as `headway-operator`. */
  readonly component: string;
  readonly clock?: Clock;
  /** How often a repeated event is counted up on the server. */
  readonly everyMs?: number;
  /** Events are a courtesy: a failure is told here and holds up nothing. A new event is tried a few times more. */
  readonly onError?: (error: unknown) => void;
}

interface Known {
  readonly namespace: string;
  name: string;
  /** Whether the server has it. */
  isStored: boolean;
  failures: number;
  count: number;
  written: number;
  busy: boolean;
  cancel: (() => void) | undefined;
  readonly firstAt: string;
  readonly about: Readonly<Record<string, unknown>>;
}

const events: Resource = builtIn.events;
/** Different events remembered at a time; the oldest is forgotten, and would start a new count. */
const remembered = 500;
/** How often a new event is tried: what is told once would be lost with the first refusal of a busy server. */
const tries = 5;
/** The API's own limit. */
const longestMessage = 1024;

/** Writes events; the same event again is a count, written at most once per interval. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  readonly #stop = new AbortController();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Reports; returns at once. */
  record(object: KubeObject, note: EventNote): void {
    if (this.#stop.signal.aborted) return;
    const { name, namespace, uid } = object.metadata;
    const message = shorten(note.message);
    const key = [uid, object.kind, namespace, name, note.type, note.reason, message].join("\n");
    const known = this.#known.get(key) ?? this.#begin(key, object, { ...note, message });
    known.count += 1;
    if (known.written === 0 && !known.busy) void this.#write(key, known);
    else this.#plan(key, known);
  }

  /** Stops; counts that were not written yet are lost. */
  close(): void {
    this.#stop.abort();
    for (const known of this.#known.values()) known.cancel?.();
    this.#known.clear();
  }

  #plan(key: string, known: Known): void {
    // One that was forgotten meanwhile must not leave a timer behind.
    if (this.#known.get(key) !== known) return;
    known.cancel ??= this.#clock.after(this.#options.everyMs ?? 10_000, () => void this.#write(key, known));
  }

  #newName(): string {
    return `${this.#options.component}.${crypto.randomUUID()}`;
  }

  #begin(key: string, object: KubeObject, note: EventNote): Known {
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const known: Known = {
      // Events of cluster-wide objects live in the default namespace, as kubectl expects.
      namespace: namespace || "default",
      name: this.#newName(),
      isStored: false,
      failures: 0,
      count: 0,
      written: 0,
      busy: false,
      cancel: undefined,
      firstAt: this.#time(),
      about: {
        involvedObject: {
          apiVersion: object.apiVersion,
          kind: object.kind,
          name,
          namespace,
          uid,
          resourceVersion,
        },
        ...note,
      },
    };
    this.#known.set(key, known);
    const [oldest] = this.#known;
    if (this.#known.size > remembered && oldest) {
      oldest[1].cancel?.();
      this.#known.delete(oldest[0]);
    }
    return known;
  }

  async #write(key: string, known: Known): Promise<void> {
    known.cancel?.();
    known.cancel = undefined;
    if (known.busy) return;
    known.busy = true;
    const count = known.count;
    try {
      await (known.isStored ? this.#countUp(known) : this.#create(known));
      known.written = count;
      known.failures = 0;
    } catch (error) {
      // Events expire after an hour: then the next one is a new one.
      if (known.isStored && isNotFound(error))
        Object.assign(known, { isStored: false, name: this.#newName() });
      if (this.#stop.signal.aborted) return;
      this.#options.onError?.(error);
      known.failures += 1;
      if (known.written > 0) return;
      if (known.failures < tries) this.#plan(key, known);
      else this.#known.delete(key);
    } finally {
      known.busy = false;
    }
  }

  async #create(known: Known): Promise<void> {
    const { client, component } = this.#options;
    const { name } = known;
    const created = client.create(
      events,
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name, namespace: known.namespace },
        ...known.about,
        source: { component },
        reportingComponent: component,
        firstTimestamp: known.firstAt,
        lastTimestamp: this.#time(),
        count: known.count,
      },
      { namespace: known.namespace },
      this.#stop.signal,
    );
    await created.catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error; // the answer to an earlier try was lost
    });
    known.isStored = true;
  }

  async #countUp(known: Known): Promise<void> {
    await this.#options.client.patch(
      events,
      known.name,
      { type: "merge", body: { count: known.count, lastTimestamp: this.#time() } },
      { namespace: known.namespace },
      this.#stop.signal,
    );
  }

  #time(): string {
    return formatTime(this.#clock.now());
  }
}

function shorten(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1)}…`;
}
