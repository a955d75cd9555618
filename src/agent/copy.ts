import { formatTime, type PodVolumeBackup, type PodVolumeRestore, veleroNames } from "../api/index.ts";
import { AppError } from "../errors.ts";
import { type AgentStall, readVolume, writeStall } from "../kinds/index.ts";
import { type Clock, sleep } from "../kube/index.ts";
import type { Observation, Sample } from "../progress/index.ts";
import type { Facts, Reporter } from "../report/index.ts";
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
  readonly node: string;
  /** The one author of its progress. */
  readonly report: Pick<Reporter, "tell" | "end" | "forget">;
  readonly clock: Clock;
  readonly slots: Slots;
  /** Runs the mover once. */
  readonly transfer: (telling: Telling, signal: AbortSignal) => Promise<Transferred>;
  /** Removes locks that the dead left in the repository. */
  readonly unlock: (signal: AbortSignal) => Promise<void>;
}

/** A mover that said something says something again within this time, and its first word within the longer one. */
const silentMs = 4_000;
const firstWordMs = 20_000;

/**
 * One volume's copy from being taken to its end: waits for a slot, runs the mover, tries again what may pass, and writes
 * phases and numbers within the budget. Numbers go on from those of an earlier life.
 */
export class Copy {
  readonly #options: CopyOptions;
  /** What does not change of it. */
  readonly #head: Pick<Observation, "id" | "ref" | "kind" | "title">;
  #state: "pending" | "running" = "pending";
  #heardAt = 0;
  #spoke = false;
  #stall: AgentStall | undefined;
  #notes = 0;

  constructor(options: CopyOptions) {
    this.#options = options;
    const { id, ref, kind, title } = readVolume(options.object);
    this.#head = { id, ref, kind, title };
  }

  /** Resolves when the end is written. When the agent itself ends, the object stays as it is for the next life. */
  async run(signal: AbortSignal): Promise<void> {
    const { slots } = this.#options;
    try {
      if (slots.full) this.#take("pending");
      const { bytes, status } = await slots.run(() => this.#attempts(signal), signal);
      const { message, ...facts } = status;
      await this.#end(
        {
          state: "completed",
          progress: { unit: "bytes", done: bytes, total: bytes },
          ...(typeof message === "string" && { message }),
        },
        facts,
      );
    } catch (error) {
      if (!signal.aborted) await this.#end({ state: "failed", message: words(error) });
      else if (signal.reason instanceof Canceled) {
        await this.#end({ state: "canceled", message: signal.reason.message });
      }
    }
  }

  async #attempts(signal: AbortSignal): Promise<Transferred> {
    const { clock } = this.#options;
    const since = clock.now();
    this.#take("running");
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
          facts: (status) => this.#tell({}, { status }),
        },
        signal,
      );
    } finally {
      stop();
    }
  }

  #take(state: "pending" | "running"): void {
    const { object, node, clock } = this.#options;
    const { acceptedTimestamp } = object.status ?? {};
    const finalizers = new Set(object.metadata.finalizers).add(veleroNames.podVolumeFinalizer);
    this.#state = state;
    this.#tell(
      {},
      {
        metadata: { finalizers: [...finalizers] },
        status: { node, acceptedTimestamp: acceptedTimestamp ?? formatTime(clock.now()) },
      },
    );
  }

  #tell(seen: Partial<Observation>, facts?: Facts): void {
    const { report, object } = this.#options;
    report.tell(object, { ...this.#head, state: this.#state, ...seen }, facts);
  }

  #hear(sample: Sample): void {
    this.#heardAt = this.#options.clock.now();
    this.#spoke = true;
    this.#note(undefined);
    this.#tell({ progress: sample });
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
    // A mover that stutters must not cost a write each time.
    const urgent = this.#notes < 20 ? { urgent: `note ${this.#notes}` } : {};
    this.#tell({}, { metadata: writeStall(cause && { cause, since: this.#heardAt }), ...urgent });
  }

  async #end(seen: Partial<Observation>, status: Facts["status"] = {}): Promise<void> {
    const { object, clock, report } = this.#options;
    const others = (object.metadata.finalizers ?? []).filter(
      (name) => name !== veleroNames.podVolumeFinalizer,
    );
    const end = { ...this.#head, finishedAt: clock.now(), ...seen };
    await report.end(object, end, {
      metadata: { finalizers: others, ...(this.#notes > 0 && writeStall(undefined)) },
      status,
    });
  }
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
