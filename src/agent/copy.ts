import {
  formatTime,
  type PodVolumeBackup,
  type PodVolumeRestore,
  stallAnnotation,
  veleroNames,
} from "../api/index.ts";
import { type AgentStall, type Bytes, finalBytes, foldBytes, stallNote } from "../engines/podvolume/index.ts";
import { AppError } from "../errors.ts";
import {
  type Clock,
  type Resource,
  type StatusTarget,
  type StatusWriter,
  sleep,
  steady,
} from "../kube/index.ts";
import type { Sample } from "../progress/index.ts";
import { tryAgain } from "./patience.ts";
import type { Slots } from "./slots.ts";

/** Why a copy must not go on: somebody said so. Any other reason of the signal means that the agent ends. */
export class Canceled extends Error {
  override readonly name = "Canceled";
}

/** What one run of a mover gave. */
export interface Transferred {
  readonly bytes: number;
  /** Further fields of the last status. */
  readonly status: Readonly<Record<string, unknown>>;
}

/** What a run of a mover tells on its way. */
export interface Telling {
  /** Numbers. */
  readonly sample: (sample: Sample) => void;
  /** Fields of the status that are known now; they go with the next write. */
  readonly facts: (status: Readonly<Record<string, unknown>>) => void;
}

/** What a copy is made of. */
export interface CopyOptions {
  readonly object: PodVolumeBackup | PodVolumeRestore;
  readonly resource: Resource;
  readonly node: string;
  readonly status: Pick<StatusWriter, "offer" | "finish">;
  readonly clock: Clock;
  readonly slots: Slots;
  /** Runs the mover once. */
  readonly transfer: (telling: Telling, signal: AbortSignal) => Promise<Transferred>;
  /** Removes locks that the dead left in the repository. */
  readonly unlock: (signal: AbortSignal) => Promise<void>;
}

/** Numbers are written this often, as upstream does. */
const everyMs = 10_000;
/** A mover that said something says something again within this time, and its first word within the longer one. */
const silentMs = 4_000;
const firstWordMs = 20_000;

/**
 * One volume's copy from being taken to its end: waits for a slot, runs the mover, tries again what may pass, and writes
 * phases and numbers within the budget. Numbers go on from those of an earlier life.
 */
export class Copy {
  readonly #options: CopyOptions;
  readonly #target: StatusTarget;
  #shown: Bytes;
  #heardAt = 0;
  #spoke = false;
  #stall: AgentStall | undefined;
  #notes = 0;

  constructor(options: CopyOptions) {
    this.#options = options;
    const { name, namespace, uid } = options.object.metadata;
    this.#target = { resource: options.resource, name, namespace, uid, interval: steady(everyMs) };
    const { bytesDone, totalBytes } = options.object.status?.progress ?? {};
    this.#shown = { ...(bytesDone && { bytesDone }), ...(totalBytes && { totalBytes }) };
  }

  /** Resolves when the end is written. When the agent itself ends, the object stays as it is for the next life. */
  async run(signal: AbortSignal): Promise<void> {
    const { slots } = this.#options;
    try {
      if (slots.full) this.#take("Prepared");
      const { bytes, status } = await slots.run(() => this.#attempts(signal), signal);
      await this.#end({ phase: "Completed", progress: finalBytes(bytes), ...status });
    } catch (error) {
      if (!signal.aborted) await this.#end({ phase: "Failed", message: words(error) });
      else if (signal.reason instanceof Canceled) {
        await this.#end({ phase: "Canceled", message: signal.reason.message });
      }
    }
  }

  async #attempts(signal: AbortSignal): Promise<Transferred> {
    const { clock } = this.#options;
    const since = clock.now();
    this.#take("InProgress");
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(signal);
      } catch (error) {
        signal.throwIfAborted();
        const code = error instanceof AppError ? error.code : undefined;
        const again = tryAgain(code, attempt, clock.now() - since);
        if (!again) throw error;
        this.#note(again.cause);
        if (code === "MOVER_LOCKED") await this.#options.unlock(signal).catch(() => undefined); // the next try tells
        await sleep(clock, again.afterMs, signal);
      }
    }
  }

  async #once(signal: AbortSignal): Promise<Transferred> {
    this.#heardAt = this.#options.clock.now();
    this.#spoke = false;
    const stop = this.#listen();
    try {
      return await this.#options.transfer(
        {
          sample: (sample) => this.#hear(sample),
          facts: (status) => this.#options.status.offer(this.#target, { status }),
        },
        signal,
      );
    } finally {
      stop();
    }
  }

  #take(phase: "Prepared" | "InProgress"): void {
    const { object, node, clock, status } = this.#options;
    const now = formatTime(clock.now());
    const { acceptedTimestamp, startTimestamp } = object.status ?? {};
    const finalizers = new Set(object.metadata.finalizers).add(veleroNames.podVolumeFinalizer);
    const patch = {
      metadata: { finalizers: [...finalizers] },
      status: {
        phase,
        node,
        acceptedTimestamp: acceptedTimestamp ?? now,
        ...(phase === "InProgress" && { startTimestamp: startTimestamp ?? now }),
      },
    };
    status.offer(this.#target, patch, phase);
  }

  #hear({ done, total }: Sample): void {
    this.#heardAt = this.#options.clock.now();
    this.#spoke = true;
    this.#note(undefined);
    const before = this.#shown;
    this.#shown = foldBytes(before, { done, ...(total !== undefined && { total }) });
    if (before.bytesDone === this.#shown.bytesDone && before.totalBytes === this.#shown.totalBytes) return;
    // The first total is written at once: it is what people look for.
    const phase = this.#shown.totalBytes === undefined ? undefined : "measured";
    this.#options.status.offer(this.#target, { status: { progress: this.#shown } }, phase);
  }

  /** Says so when the mover says nothing. */
  #listen(): () => void {
    const { clock } = this.#options;
    let cancel: () => void = () => undefined;
    const look = () => {
      const limit = this.#spoke ? silentMs : firstWordMs;
      if (clock.now() - this.#heardAt >= limit) this.#note("mover-silent");
      cancel = clock.after(1_000, look);
    };
    look();
    return () => cancel();
  }

  #note(cause: AgentStall | undefined): void {
    if (cause === this.#stall) return;
    this.#stall = cause;
    this.#notes += 1;
    const note = cause === undefined ? null : stallNote(cause, this.#heardAt);
    // A mover that stutters must not cost a write each time.
    const urgent = this.#notes < 20 ? `note ${this.#notes}` : undefined;
    this.#options.status.offer(
      this.#target,
      { metadata: { annotations: { [stallAnnotation]: note } } },
      urgent,
    );
  }

  async #end(status: Readonly<Record<string, unknown>>): Promise<void> {
    const { object, clock, status: writer } = this.#options;
    const others = (object.metadata.finalizers ?? []).filter(
      (name) => name !== veleroNames.podVolumeFinalizer,
    );
    await writer.finish(this.#target, {
      metadata: {
        finalizers: others,
        ...(this.#notes > 0 && { annotations: { [stallAnnotation]: null } }),
      },
      status: { ...status, completionTimestamp: formatTime(clock.now()) },
    });
  }
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
