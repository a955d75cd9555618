import { createHash } from "node:crypto";
import {
  type KubeObject,
  kinds,
  type OperationObject,
  type OperationStatus,
  parseTimeMs,
} from "../api/index.ts";
import {
  type Client,
  type Clock,
  isAlreadyExists,
  isNotFound,
  type Log,
  resourceOf,
  type StatusTarget,
  type StatusWriter,
  systemClock,
} from "../kube/index.ts";
import { isTerminal, type Operation, type Tracked } from "../progress/index.ts";
import type { Frame, Observer } from "./observer.ts";
import { replacing, statusOf } from "./status-patch.ts";

/** What a publisher needs. */
export interface PublisherOptions {
  readonly client: Pick<Client, "create" | "get" | "delete">;
  readonly observer: Pick<
    Observer,
    "subscribe" | "operations" | "tracked" | "stored" | "object" | "isAuthor" | "isTold"
  >;
  /** Under this name it writes: of several operators in a cluster each Operation has one author. */
  readonly author: string;
  /** Keeps the budget: a second at first, ten for long work, one per state, one at the end. */
  readonly status: Pick<StatusWriter, "offer" | "finish" | "drop">;
  readonly clock?: Clock;
  readonly log: Log;
}

interface Entry {
  /** Of the root object. */
  readonly rootUid: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
  /** Of the Operation object, once it is there. */
  uid: string | undefined;
  /** What the cluster holds, or will hold when what was offered is written. */
  before: unknown;
  /** The text of it, to offer nothing twice. */
  text: string;
  opening: boolean;
  /** Epoch ms before which no other try to create it is made. */
  retryAt: number;
  /** The observer has seen the object, or should have by this epoch ms: when it is not there, somebody deleted it. */
  seenBy: number;
  /** The end is written, or there is nothing to write. */
  done: boolean;
  /** Ends the timer of the next try to create it. */
  cancelRetry: (() => void) | undefined;
}

const operations = resourceOf(kinds.Operation);
const retryMs = 5_000;
/** A new object is in the observer's view after so long, however slow the server is. */
const watchLagMs = 3_000;
/** How long to wait for a kind that is not installed. */
const missingMs = 60_000;

/**
 * Writes one Operation object per root operation, owned by the root object, as long as the work goes on. Work that was
 * over before this process began to write has none; work that began and ended between two looks has. Bounded by the
 * number of root objects.
 */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #writing = new Set<Promise<void>>();
  #missingSince: number | undefined;
  /** Epoch ms at which it began to write. */
  #since = 0;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Publishes until the signal fires; what was offered then is left to the status writer. */
  async run(signal: AbortSignal): Promise<void> {
    this.#since = this.#clock.now();
    const leave = this.#options.observer.subscribe((frame) => this.#take(frame, signal));
    for (const operation of this.#options.observer.operations()) {
      this.#take({ id: operation.id, operation }, signal);
    }
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    leave();
    for (const entry of this.#entries.values()) entry.cancelRetry?.();
    await Promise.allSettled(this.#writing);
  }

  #take({ id, operation }: Frame, signal: AbortSignal): void {
    if (signal.aborted) return;
    if (!operation) return this.#forget(id);
    if (!this.#options.observer.isAuthor(id)) return this.#leave(id);
    const entry = this.#entry(id, operation);
    if (entry.done || entry.opening) return;
    const stored = this.#options.observer.stored(id);
    if (stored && stored.object.metadata.uid === entry.uid) entry.seenBy = 0;
    if (entry.uid !== undefined && !stored && this.#clock.monotonic() >= entry.seenBy) {
      Object.assign(entry, { uid: undefined, before: undefined, text: "" });
    }
    if (entry.uid === undefined) this.#track(this.#open(id, entry, signal));
    else this.#offer(id, entry);
  }

  /** Somebody else writes it now: what waits here would be news of yesterday. */
  #leave(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry || entry.opening) return;
    this.#options.status.drop(this.#target(entry));
    this.#forget(id);
  }

  #forget(id: string): void {
    this.#entries.get(id)?.cancelRetry?.();
    this.#entries.delete(id);
  }

  #target({ namespace, name, uid }: Entry): StatusTarget {
    return { resource: operations, namespace, name, uid };
  }

  #statusOf(id: string, tracked: Tracked): OperationStatus {
    const { author, observer } = this.#options;
    return { ...statusOf(tracked), author, ...(!observer.isTold(id) && { watched: true }) };
  }

  #entry(id: string, operation: Operation): Entry {
    const { uid, namespace, kind, name } = operation.ref;
    const known = this.#entries.get(id);
    if (known && known.rootUid === uid) return known;
    known?.cancelRetry?.();
    const { observer } = this.#options;
    const stored = observer.stored(id);
    const isOver = isTerminal(operation.state);
    const ranHere = observer.isTold(id) || isRunSince(this.#since, observer.object(id), operation);
    const wasOver = isOver && (stored ? isTerminal(stored.operation.state) : !ranHere);
    const entry: Entry = {
      rootUid: uid,
      namespace,
      name: operationName(kind, name),
      uid: stored?.object.metadata.uid,
      before: stored?.object.status,
      text: "",
      opening: false,
      retryAt: 0,
      seenBy: 0,
      done: wasOver,
      cancelRetry: undefined,
    };
    this.#entries.set(id, entry);
    return entry;
  }

  #offer(id: string, entry: Entry): void {
    const tracked = this.#options.observer.tracked(id);
    if (!tracked) return;
    const status = this.#statusOf(id, tracked);
    // Running work changes with the clock; the rest is written again only when it differs.
    const text = tracked.operation.state === "running" ? "" : JSON.stringify(status);
    if (text !== "" && text === entry.text) return;
    const patch = { status: replacing(entry.before, status) };
    entry.text = text;
    entry.before = status;
    const target = this.#target(entry);
    if (!isTerminal(tracked.operation.state)) {
      this.#options.status.offer(target, patch, tracked.operation.state);
      return;
    }
    entry.done = true;
    this.#track(this.#options.status.finish(target, patch));
  }

  /** Creates the object with its first status, or takes over the one that is there. */
  async #open(id: string, entry: Entry, signal: AbortSignal): Promise<void> {
    const [root, tracked] = [this.#options.observer.object(id), this.#options.observer.tracked(id)];
    if (!root || !tracked) return;
    if (this.#waitMs(entry) > 0) return this.#retry(id, entry, signal);
    entry.opening = true;
    try {
      const status = this.#statusOf(id, tracked);
      const there = await this.#create(entry, root, status, signal);
      this.#missingSince = undefined;
      if (!there) {
        entry.retryAt = this.#clock.monotonic() + 1_000;
        return;
      }
      entry.uid = there.metadata.uid;
      entry.seenBy = this.#clock.monotonic() + watchLagMs;
      entry.before = there.status ?? status;
    } catch (error) {
      if (!signal.aborted) this.#failed(entry, error);
    } finally {
      entry.opening = false;
    }
    if (signal.aborted || this.#entries.get(id) !== entry) return;
    if (entry.uid === undefined) return this.#retry(id, entry, signal);
    // What came meanwhile, the end perhaps; or somebody else was first.
    if (this.#options.observer.isAuthor(id)) this.#offer(id, entry);
    else this.#entries.delete(id);
  }

  /** Tries again by itself: of work that has ended no other frame comes. */
  #retry(id: string, entry: Entry, signal: AbortSignal): void {
    entry.cancelRetry ??= this.#clock.after(this.#waitMs(entry), () => {
      entry.cancelRetry = undefined;
      const operation = this.#options.observer.tracked(id)?.operation;
      if (operation && this.#entries.get(id) === entry) this.#take({ id, operation }, signal);
    });
  }

  async #create(
    entry: Entry,
    root: KubeObject,
    status: OperationStatus,
    signal: AbortSignal,
  ): Promise<OperationObject | undefined> {
    const { client } = this.#options;
    const { namespace, name } = entry;
    const object = { ...operationObject(entry, root), status };
    try {
      return await client.create<OperationObject>(operations, object, { namespace }, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const there = await client.get<OperationObject>(operations, name, { namespace }, signal);
    if (there.status?.ref?.uid === root.metadata.uid) return there;
    // It tells of an earlier object of this name, which is gone.
    await client.delete(operations, name, { namespace, uid: there.metadata.uid }, signal);
    return undefined;
  }

  #failed(entry: Entry, error: unknown): void {
    entry.retryAt = this.#clock.monotonic() + retryMs;
    if (!isNotFound(error)) {
      this.#options.log("warning", `the operation "${entry.name}" cannot be written`, { error });
      return;
    }
    // No such kind, or no such namespace any more.
    if (this.#missingSince === undefined) {
      this.#options.log(
        "warning",
        "operations are not written down: the kind operations.headway.dev is not installed",
        { error },
      );
    }
    this.#missingSince = this.#clock.monotonic();
  }

  #waitMs({ retryAt }: Entry): number {
    const kindAt = this.#missingSince === undefined ? 0 : this.#missingSince + missingMs;
    return Math.max(retryAt, kindAt) - this.#clock.monotonic();
  }

  #track(work: Promise<void>): void {
    const told = work
      .catch((error: unknown) =>
        this.#options.log("warning", "the end of an operation cannot be written", { error }),
      )
      .finally(() => this.#writing.delete(told));
    this.#writing.add(told);
  }
}

function operationObject(entry: Entry, root: KubeObject): Omit<OperationObject, "status"> {
  const { apiVersion, kind, metadata } = root;
  return {
    apiVersion: "headway.dev/v1alpha1",
    kind: "Operation",
    metadata: {
      name: entry.name,
      ...(entry.namespace !== undefined && { namespace: entry.namespace }),
      ...(metadata.uid !== undefined && {
        ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }],
      }),
    },
  };
}

/**
 * Whether work that was over when it was first met was done since then: its object was made since, and not after its run
 * began, as those are that come from a bucket. Timestamps have whole seconds.
 */
export function isRunSince(sinceMs: number, root: KubeObject | undefined, { startedAt }: Operation): boolean {
  const created = parseTimeMs(root?.metadata.creationTimestamp);
  if (created === undefined || created < Math.floor(sinceMs / 1000) * 1000) return false;
  return startedAt === undefined || created <= startedAt;
}

/** `backup-nightly`; names of objects have a limit, so that long ones end in a hash. */
export function operationName(kind: string, name: string): string {
  const whole = `${kind.toLowerCase()}-${name}`;
  if (whole.length <= 253) return whole;
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, 10);
  return `${whole.slice(0, 242)}-${hash}`;
}
