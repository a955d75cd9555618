import type { StoredItemId, StoredOperationStatus } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { type ItemOperation, isOperationEnded } from "../../kinds/index.ts";
import { type Clock, sleep } from "../../kube/index.ts";
import { isCutShort, type OpenedAction } from "../../plugins/index.ts";
import type { Observation, Ref } from "../../progress/index.ts";
import { advanced, failedWith, isOverdue, observed } from "./operation.ts";

/** What all stored operations have. */
export interface StoredOperation {
  readonly spec: { readonly resourceIdentifier: StoredItemId; readonly operationID: string };
  readonly status: StoredOperationStatus;
}

/** What following operations needs. */
export interface FollowerOptions<S extends StoredOperation> {
  readonly clock: Clock;
  /** The name of the action that began an operation. */
  readonly actionOf: (operation: S) => string;
  /** The action by its name; undefined when no plugin has it any more. */
  readonly find: (action: string) => OpenedAction | undefined;
  /** What kind of action is looked for, for messages: `BackupItemActionV2`. */
  readonly kind: string;
  /** The Backup or the Restore as it is now. */
  readonly owner: () => Uint8Array;
  readonly ownerRef: Ref;
  readonly timeoutMs: number;
  readonly moved: () => void;
}

/** How often plugins are asked how far they are: the question is cheap, and a bar should move. */
const askEveryMs = 1_000;
/** A plugin that dies or hangs while it is asked is asked again this often; what it says itself counts at once. */
const patience = 3;
const cancelMs = 30_000;

interface Followed<S> {
  operation: S;
  /** Epoch ms of the last answer. */
  heardAt: number | undefined;
  /** Answers that did not come, in a row. */
  missed: number;
}

/** The operations that actions began: asked for until they have ended, from the first one on. As many as were begun. */
export class Follower<S extends StoredOperation> {
  readonly #options: FollowerOptions<S>;
  readonly #all: Followed<S>[] = [];
  #asking: Promise<void> | undefined;

  constructor(options: FollowerOptions<S>) {
    this.#options = options;
  }

  add(operation: S, signal: AbortSignal): void {
    this.#all.push({ operation, heardAt: undefined, missed: 0 });
    this.#asking ??= this.#ask(signal).finally(() => {
      this.#asking = undefined;
    });
    this.#asking.catch(() => undefined); // `finish` throws what matters
    this.#options.moved();
  }

  list(): readonly ItemOperation<S>[] {
    return this.#all.map((one) => ({ stored: one.operation, seen: this.#seen(one) }));
  }

  /** Waits for all; returns those that failed. */
  async finish(signal: AbortSignal): Promise<readonly S[]> {
    while (this.#open().length > 0) {
      signal.throwIfAborted();
      await (this.#asking ?? this.#ask(signal));
    }
    signal.throwIfAborted();
    return this.#all.map(({ operation }) => operation).filter(({ status }) => status.phase === "Failed");
  }

  /** Tells the plugins to stop what still goes on; what they answer changes nothing. */
  async cancel(signal: AbortSignal): Promise<void> {
    await Promise.allSettled(
      this.#open().map(async (one) => {
        one.operation = { ...one.operation, status: { ...one.operation.status, phase: "Canceled" } };
        await this.#cancelOne(one, signal);
      }),
    );
  }

  #open(): Followed<S>[] {
    return this.#all.filter(({ operation }) => !isOperationEnded(operation.status));
  }

  async #ask(signal: AbortSignal): Promise<void> {
    for (;;) {
      const open = this.#open();
      if (open.length === 0) return;
      // How many of them a plugin is asked at a time is bounded where it is called.
      await Promise.all(open.map((one) => this.#askOne(one, signal)));
      signal.throwIfAborted();
      this.#options.moved();
      if (this.#open().length > 0) await sleep(this.#options.clock, askEveryMs, signal);
    }
  }

  async #askOne(one: Followed<S>, signal: AbortSignal): Promise<void> {
    const { clock, owner, timeoutMs, kind, find, actionOf } = this.#options;
    const { spec, status } = one.operation;
    const name = actionOf(one.operation);
    const action = find(name);
    if (!action) return this.#set(one, failedWith(status, `there is no ${kind} "${name}" any more`));
    try {
      const said = await action.calls.progress(spec.operationID, owner(), signal);
      one.heardAt = clock.now();
      one.missed = 0;
      this.#set(one, advanced(status, said));
    } catch (error) {
      if (signal.aborted) return;
      one.missed += 1;
      if (isCutShort(error) && one.missed < patience) return;
      return this.#set(one, failedWith(status, messageOf(error)));
    }
    if (isOperationEnded(one.operation.status) || !isOverdue(status, timeoutMs, clock.now())) return;
    void this.#cancelOne(one, signal).catch(() => undefined); // upstream does not wait for it either
    this.#set(one, failedWith(one.operation.status, "Asynchronous action timed out"));
  }

  async #cancelOne({ operation }: Followed<S>, signal: AbortSignal): Promise<void> {
    const { find, actionOf, owner } = this.#options;
    const until = AbortSignal.any([signal, AbortSignal.timeout(cancelMs)]);
    await find(actionOf(operation))?.calls.cancel(operation.spec.operationID, owner(), until);
  }

  #set(one: Followed<S>, status: StoredOperationStatus): void {
    if (isOperationEnded(one.operation.status)) return; // canceled meanwhile
    const isNew = isOperationEnded(status) && status.updated === undefined;
    const updated = isNew ? { updated: new Date(this.#options.clock.now()).toISOString() } : {};
    one.operation = { ...one.operation, status: { ...status, ...updated } };
  }

  #seen({ operation, heardAt }: Followed<S>): Observation {
    const action = this.#options.actionOf(operation);
    const { spec, status } = operation;
    const given = { action, item: spec.resourceIdentifier, status, owner: this.#options.ownerRef };
    return observed(given, heardAt);
  }
}
