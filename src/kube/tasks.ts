import type { KubeObject } from "../api/index.ts";

/** Why a task must not go on: somebody said so. Any other reason of its signal means that the process ends. */
export class Canceled extends Error {
  override readonly name = "Canceled";
}

/** What tasks need to know of their objects. */
export interface TasksOptions<T extends KubeObject> {
  /** Whether nothing more is to be done for an object. */
  readonly isEnded: (object: T) => boolean;
  /** The object as the watch shows it now. */
  readonly seen: (object: T) => T | undefined;
  /** Told when a task is over, well or not: somebody else may have a turn. */
  readonly onSettled: (object: T) => void;
  /** Told when a task failed for a reason of its own; whether it is begun again is for the next look to decide. */
  readonly onError: (object: T, error: unknown) => void;
}

/**
 * Long runs, one for each object: begun once, stopped by name, and not begun again because a slow watch still shows the
 * object as it was. Bounded by the objects at work.
 */
export class Tasks<T extends KubeObject> {
  readonly #options: TasksOptions<T>;
  readonly #running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  /** Objects that ended here while the watch shows them as they were; each leaves with its next change. */
  readonly #ended = new Set<string>();

  constructor(options: TasksOptions<T>) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Whether a task runs for it now. */
  isRunning(object: T): boolean {
    return this.#running.has(idOf(object));
  }

  /** Whether it is for somebody to look at: not one that ended here and that the watch does not know of yet. */
  isOpen(object: T): boolean {
    return !this.#ended.has(idOf(object));
  }

  /** Begins a run; it ends with the signal, or when it is stopped. */
  start(object: T, run: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): void {
    const stop = new AbortController();
    const done = run(AbortSignal.any([signal, stop.signal]))
      .then(() => this.settle(object))
      .catch((error: unknown) => {
        // What was told to stop may end with that reason.
        if (!signal.aborted && !(error instanceof Canceled)) this.#options.onError(object, error);
      })
      .finally(() => {
        this.#running.delete(idOf(object));
        this.#options.onSettled(object);
      });
    this.#running.set(idOf(object), { stop, done });
  }

  /** Tells a run to stop, and why; nothing happens when none runs. */
  stop(object: T, reason: Canceled): void {
    this.#running.get(idOf(object))?.stop.abort(reason);
  }

  /** The watch tells of a change. */
  changed(now: T | undefined, before: T | undefined): void {
    const object = now ?? before;
    if (object && (!now || this.#options.isEnded(now))) this.#ended.delete(idOf(object));
  }

  /** The last word on an object is written; what the watch says about it may still be old. */
  settle(object: T): void {
    const seen = this.#options.seen(object);
    if (seen && idOf(seen) === idOf(object) && !this.#options.isEnded(seen)) this.#ended.add(idOf(object));
  }

  /** Resolves when nothing runs any more. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }
}

function idOf({ kind, metadata }: KubeObject): string {
  return metadata.uid ?? `${kind}/${metadata.namespace ?? ""}/${metadata.name}`;
}
