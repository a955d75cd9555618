import { type Kind, type KubeObject, kinds, type OperationObject } from "../api/index.ts";
import { isOperation, type RootObject, rootKinds, type VolumeObject, volumeKinds } from "../kinds/index.ts";
import { type Cache, type Clock, isForbidden, systemClock, type View } from "../kube/index.ts";
import type { Observation, Operation, Tracked } from "../progress/index.ts";
import { OperationStore, type OperationStoreOptions, type Stored } from "./operation-store.ts";

/** An operation that changed; `operation` is absent when its object is gone. */
export interface Frame {
  readonly id: string;
  readonly operation?: Operation;
}

/** What an observer watches, and how. */
export interface ObserverOptions extends OperationStoreOptions {
  readonly cache: Cache;
  /** One namespace, or all when absent. */
  readonly namespace?: string | undefined;
  /** What must be known before anything is told, beside what earlier processes wrote down. */
  readonly before?: Promise<unknown>;
  readonly clock?: Clock;
  readonly onError?: (kind: string, error: unknown) => void;
}

/** Changes are gathered for so long before they are folded: a burst of writes costs one frame. */
const gatherMs = 50;
/** Running operations are looked at so often without a change: estimates and stalls depend on the clock. */
const lookMs = 1_000;

/** Watches one cluster and keeps every operation of it up to date. Reads only. */
export class Observer {
  readonly #options: ObserverOptions;
  readonly #clock: Clock;
  readonly #store: OperationStore;
  readonly #views: View<KubeObject>[];
  readonly #listeners = new Set<(frame: Frame) => void>();
  readonly #operations = new Map<string, Operation>();
  readonly #dirty = new Set<string>();
  /** Nothing is folded before it is known what an earlier process wrote down: its numbers continue. */
  #knowsStored = false;
  #cancelGather: (() => void) | undefined;
  #cancelLook: (() => void) | undefined;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#store = new OperationStore(options);
    this.#views = [
      ...rootKinds.map((name) => this.#view(kinds[name], (o, there) => this.#root(o as RootObject, there))),
      ...volumeKinds.map((name) =>
        this.#view(kinds[name], (o, there) => this.#store.setVolume(o as VolumeObject, there)),
      ),
      this.#view(kinds.Operation, (o, there) =>
        this.#store.setStored(o as OperationObject, there, this.#clock.now()),
      ),
    ];
  }

  /** Watches until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return; // its timers would have nobody to end them
    this.#cancelLook = this.#clock.after(lookMs, () => this.#look());
    signal.addEventListener("abort", () => this.#stop(), { once: true });
    const stored = this.#views.at(-1)?.synced(); // the last one is that of the operations
    void Promise.all([stored, this.#options.before]).then(() => this.#ready());
    await Promise.all(this.#views.map((view) => view.run(signal)));
  }

  /** Resolves when every kind has been listed and folded once. */
  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#views.map((view) => view.synced(signal)));
    await this.#options.before;
    this.#ready();
  }

  /** All operations as they are now. */
  operations(): readonly Operation[] {
    return [...this.#operations.values()];
  }

  operation(id: string): Operation | undefined {
    return this.#operations.get(id);
  }

  /** The operation with what must be written down to continue it. */
  tracked(id: string): Tracked | undefined {
    return this.#store.tracked(id);
  }

  /** The object of an operation. */
  object(id: string): RootObject | undefined {
    return this.#store.object(id);
  }

  /** What the cluster holds of an operation already. */
  stored(id: string): Stored | undefined {
    return this.#store.stored(id);
  }

  /** Whether this process writes the Operation of it. */
  isAuthor(id: string): boolean {
    return this.#store.isAuthor(id, this.#clock.now());
  }

  /** Whether another process may believe as well that it writes it: nobody has yet. */
  isOpen(id: string): boolean {
    return this.#store.isOpen(id, this.#clock.now());
  }

  /** Whether an engine of this process does the work. */
  isTold(id: string): boolean {
    return this.#store.isTold(id);
  }

  /** Told of every change until the returned function is called. */
  subscribe(listener: (frame: Frame) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What an engine of this process says of its own work, folded. */
  report(object: RootObject, seen: Observation): Operation {
    const { operation } = this.#store.report(object, seen, this.#clock.now());
    this.#touch(operation.id);
    return operation;
  }

  /** The engines of this process have stopped: what they said last is no longer how it is. */
  forgetReports(): void {
    this.#store.forgetReports();
  }

  // The objects of a view have the kind it asked for, so the casts of the callers only say which one that is.
  #view(kind: Kind, change: (object: KubeObject, present: boolean) => string | undefined): View<KubeObject> {
    const { cache, namespace, onError } = this.#options;
    return cache.view<KubeObject>(kind, {
      namespace,
      onChange: (_key, now, before) => {
        const object = now ?? before;
        if (object) this.#touch(change(object, now !== undefined));
      },
      onError: (error) => {
        if (kind === kinds.Operation && isForbidden(error)) this.#ready();
        onError?.(kind.kind, error);
      },
    });
  }

  #root(object: RootObject, present: boolean): string {
    return present && isOperation(object) ? this.#store.setRoot(object) : this.#store.deleteRoot(object);
  }

  #touch(id: string | undefined): void {
    if (id === undefined) return;
    this.#dirty.add(id);
    this.#cancelGather ??= this.#clock.after(gatherMs, () => this.#gather());
  }

  #ready(): void {
    this.#knowsStored = true;
    this.#gather();
  }

  #gather(): void {
    this.#cancelGather?.();
    this.#cancelGather = undefined;
    if (!this.#knowsStored) return; // they stay dirty
    const ids = [...this.#dirty];
    this.#dirty.clear();
    for (const id of ids) this.#emit(id);
  }

  #look(): void {
    this.#cancelLook = this.#clock.after(lookMs, () => this.#look());
    for (const [id, operation] of this.#operations) if (operation.state === "running") this.#emit(id);
  }

  #emit(id: string): void {
    const operation = this.#store.refresh(id, this.#clock.now());
    if (operation) this.#operations.set(id, operation);
    else this.#operations.delete(id);
    const frame = operation ? { id, operation } : { id };
    for (const listener of this.#listeners) listener(frame);
  }

  #stop(): void {
    this.#cancelGather?.();
    this.#cancelLook?.();
    this.#cancelGather = this.#cancelLook = undefined;
  }
}
