import { formatTime } from "../api/index.ts";
import { AppError, messageOf } from "../errors.ts";
import {
  type AgentStall,
  alongTrail,
  carriedOf,
  type MovementStep,
  readCopy,
  readExpected,
  readTrail,
  type Trail,
  type VolumeStep,
  writeBusy,
  writeCarried,
  writeExpected,
  writeStall,
  writeStep,
  writeTrail,
} from "../kinds/index.ts";
import { Canceled, type Clock, sleep } from "../kube/index.ts";
import { connectionOf, type Look, type OnLook, silenceOf, Vitals } from "../movers/index.ts";
import type { Observation, Sample } from "../progress/index.ts";
import type { Facts, Reporter } from "../report/index.ts";
import type { Copied } from "./authority.ts";
import { type Slots, slotWords } from "./slots.ts";
import { tryAgain } from "./try-again.ts";

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
  /** What the mover's process does. */
  readonly look: OnLook;
  /** Fields of the status that are known now; they go with the next write. */
  readonly facts: (status: Readonly<Record<string, unknown>>) => void;
  /** What is done or waited for beside moving bytes, and why it does not come; nothing any more when absent. */
  readonly step: (step?: VolumeStep, message?: string, cause?: AgentStall) => void;
}

/** What a copy is made of. */
export interface CopyOptions {
  readonly object: Copied;
  /** Holds the object while there is work. */
  readonly finalizer: string;
  readonly node: string;
  /** The one author of its progress. */
  readonly report: Pick<Reporter, "tell" | "end" | "forget">;
  readonly clock: Clock;
  readonly slots: Slots;
  /** Runs the mover once. */
  readonly transfer: (telling: Telling, signal: AbortSignal) => Promise<Transferred>;
  /** How much there is to copy, found out at little cost before the mover tells. */
  readonly measure?: (signal: AbortSignal) => Promise<number | undefined>;
  /** Removes locks that the dead left in the repository. */
  readonly unlock: (signal: AbortSignal) => Promise<void>;
  /** Words that go with the first one of the work itself. */
  readonly begun?: Facts;
  /** What is left when the bytes are there; it needs no slot. */
  readonly complete?: (telling: Telling, signal: AbortSignal) => Promise<void>;
  /** Removes what the copy needed, however it ended; false when something stays and is to be removed later. */
  readonly cleanUp?: (telling: Telling) => Promise<boolean>;
}

/** Silences between lines that are remembered of one run. */
const gapsKept = 20;
/** Numbers that stand for so long while the process works make viewers wonder: they are told of the work, once in a while. */
const busyEveryMs = 15_000;
/** What a process moves is told when it is more by this much, or by this share. */
const carriedStep = { bytes: 262_144, share: 0.002 };

/**
 * One volume's copy from being taken to its end: waits for a slot, runs the mover, tries again what may pass, and writes
 * phases and numbers within the budget. Numbers go on from those of an earlier life.
 */
export class Copy {
  readonly #options: CopyOptions;
  /** What does not change of it. */
  readonly #head: Pick<Observation, "id" | "ref" | "kind" | "title">;
  #state: "pending" | "running" = "pending";
  #startedAt = 0;
  #heardAt: number | undefined;
  #gaps: number[] = [];
  #vitals = new Vitals();
  #isConnected = false;
  /** When numbers moved, or viewers were told of work without them. */
  #movedAt = 0;
  #done = -1;
  #saysBusy = false;
  #carried = 0;
  #stall: AgentStall | undefined;
  #notes = 0;
  /** What was last said of the work beside moving bytes. */
  #step = "";
  /** The steps of a movement, in the notes of an earlier life and in ours; a pod's volume has none. */
  #trail: Trail | undefined;
  #isMeasured = false;
  /** Fires before the end is told: nothing may be told after it. */
  readonly #over = new AbortController();
  readonly #telling: Telling;

  constructor(options: CopyOptions) {
    this.#options = options;
    const { id, ref, kind, title } = readCopy(options.object);
    this.#head = { id, ref, kind, title };
    const isMovement = options.object.kind === "DataUpload" || options.object.kind === "DataDownload";
    this.#trail = isMovement ? (readTrail(options.object) ?? {}) : undefined;
    this.#telling = {
      sample: (sample) => this.#hear(sample),
      look: (look, pid) => {
        this.#vitals.take(look, this.#options.clock.now());
        this.#carry(look);
        void this.#askConnection(pid);
      },
      facts: (status) => this.#tell({}, { status }),
      step: (step, message, cause) => this.#stepTo(step, message, cause),
    };
  }

  /** Resolves when the end is written. When the agent itself ends, the object stays as it is for the next life. */
  async run(signal: AbortSignal): Promise<void> {
    const { slots, node, complete } = this.#options;
    try {
      if (slots.full) this.#take("pending");
      const waits = (ahead: number, holders: readonly string[]) =>
        this.#stepTo("slot", slotWords(node, ahead, holders));
      const attempts = () => this.#attempts(signal);
      const { bytes, status } = await slots.run(attempts, signal, this.#head.title, waits);
      const { message, ...facts } = status;
      await complete?.(this.#telling, signal);
      await this.#end(
        {
          state: "completed",
          progress: { unit: "bytes", done: bytes, total: bytes },
          ...(typeof message === "string" && { message }),
        },
        facts,
      );
    } catch (error) {
      this.#over.abort();
      if (!signal.aborted) await this.#end({ state: "failed", message: messageOf(error) }, statusOf(error));
      else if (signal.reason instanceof Canceled) {
        await this.#end({ state: "canceled", message: signal.reason.message });
      }
    }
  }

  async #attempts(signal: AbortSignal): Promise<Transferred> {
    const { clock } = this.#options;
    const since = clock.now();
    this.#take("running");
    this.#stepTo();
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
    const now = this.#options.clock.now();
    this.#startedAt = now;
    this.#movedAt = now;
    this.#heardAt = undefined;
    this.#gaps = [];
    this.#vitals = new Vitals();
    const stop = this.#listen();
    try {
      return await this.#options.transfer(this.#telling, signal);
    } finally {
      stop();
    }
  }

  #take(state: "pending" | "running"): void {
    const { object, node, clock, finalizer } = this.#options;
    const { acceptedTimestamp } = object.status ?? {};
    const finalizers = new Set(object.metadata.finalizers).add(finalizer);
    const begun = state === "running" ? this.#options.begun : undefined;
    this.#state = state;
    this.#tell(
      {},
      {
        metadata: {
          finalizers: [...finalizers],
          ...begun?.metadata,
          ...(state === "running" && this.#goTo("copy")),
        },
        status: { node, acceptedTimestamp: acceptedTimestamp ?? formatTime(clock.now()), ...begun?.status },
      },
    );
    if (!this.#isMeasured) void this.#measure();
    this.#isMeasured = true;
  }

  /** Notes how much is expected, unless an earlier copy or an earlier life told. */
  async #measure(): Promise<void> {
    const { measure, object } = this.#options;
    const { signal } = this.#over;
    if (!measure || readExpected(object) !== undefined || object.status?.progress?.totalBytes) return;
    const bytes = await measure(signal).catch(() => undefined); // the mover tells, later
    if (bytes && !signal.aborted) this.#tell({}, { metadata: { annotations: writeExpected(bytes) } });
  }

  /** The same again is not told: a wait is looked at again and again. */
  #stepTo(step?: VolumeStep, message = "", cause?: AgentStall): void {
    const now = this.#options.clock.now();
    this.#startedAt = now; // a mover that has not begun is not silent
    if (cause !== this.#stall && (step !== undefined || this.#step !== "")) this.#note(cause, now);
    const said = step === undefined ? "" : `${step} ${message}`;
    if (said === this.#step) return;
    this.#step = said;
    const note = step && { step, since: now, message };
    const trail = step === "rebind" || step === "cleanup" ? this.#goTo(step) : {};
    const annotations = { ...writeStep(note).annotations, ...trail.annotations };
    this.#tell({}, { metadata: { annotations }, urgent: `step ${step ?? ""}` });
  }

  /** Notes that a movement is at a step, or at none any more; the metadata that says so. */
  #goTo(step: MovementStep | undefined, end?: "failed" | "canceled"): Partial<ReturnType<typeof writeTrail>> {
    if (!this.#trail) return {};
    this.#trail = alongTrail(this.#trail, step, this.#options.clock.now(), end);
    return writeTrail(this.#trail);
  }

  #tell(seen: Partial<Observation>, facts?: Facts): void {
    const { report, object } = this.#options;
    report.tell(object, { ...this.#head, state: this.#state, ...seen }, facts);
  }

  #hear(sample: Sample): void {
    const now = this.#options.clock.now();
    if (this.#heardAt !== undefined) this.#gaps = [...this.#gaps.slice(1 - gapsKept), now - this.#heardAt];
    this.#heardAt = now;
    if (sample.done > this.#done) this.#movedAt = now;
    this.#done = Math.max(this.#done, sample.done);
    this.#judge();
    this.#tell({ progress: sample });
  }

  /** Bytes that are sent after all were read, or fetched before one is written, are progress that no number of the mover shows. */
  #carry(look: Look): void {
    const bytes = carriedOf(this.#options.object.kind, look);
    if (bytes - this.#carried < Math.max(carriedStep.bytes, carriedStep.share * this.#carried)) return;
    this.#carried = bytes;
    this.#tell({}, { metadata: writeCarried(bytes) });
  }

  /** Only asked when it matters: a process that works needs no explanation. */
  async #askConnection(pid: number): Promise<void> {
    const { busyAt = 0 } = this.#vitals;
    if (this.#options.clock.now() - busyAt < 5_000) return;
    const connection = await connectionOf(pid);
    this.#isConnected = connection.isOpen;
    this.#vitals.drains(connection, this.#options.clock.now());
  }

  /** Says so when the mover says nothing. */
  #listen(): () => void {
    const { clock } = this.#options;
    let cancel: () => void = () => undefined;
    const look = () => {
      this.#judge();
      cancel = clock.after(1_000, look);
    };
    look();
    return () => cancel();
  }

  #judge(): void {
    if (this.#step !== "") return;
    const now = this.#options.clock.now();
    const { busyAt, stoppedAt } = this.#vitals;
    const { startedAt, heardAt, gaps } = {
      startedAt: this.#startedAt,
      heardAt: this.#heardAt,
      gaps: this.#gaps,
    };
    const silence = silenceOf(
      { startedAt, heardAt, gaps, busyAt, stoppedAt, isConnected: this.#isConnected },
      now,
    );
    // What the former try failed of stays until this one gives a sign of life.
    if (silence || heardAt !== undefined || busyAt !== undefined) this.#note(silence?.cause, silence?.since);
    if (silence || busyAt === undefined || busyAt - this.#movedAt < busyEveryMs) return;
    this.#movedAt = now;
    this.#saysBusy = true;
    this.#tell({}, { metadata: writeBusy(busyAt) });
  }

  #note(cause: AgentStall | undefined, since = this.#options.clock.now()): void {
    if (cause === this.#stall) return;
    this.#stall = cause;
    this.#notes += 1;
    // A mover that stutters must not cost a write each time.
    const urgent = this.#notes < 20 ? { urgent: `note ${this.#notes}` } : {};
    this.#tell({}, { metadata: writeStall(cause && { cause, since }), ...urgent });
  }

  async #end(seen: Partial<Observation>, status: Facts["status"] = {}): Promise<void> {
    const { object, clock, report, finalizer, cleanUp } = this.#options;
    this.#over.abort();
    if (cleanUp && seen.state === "canceled") this.#tell({}, { status: { phase: "Canceling" } });
    if (seen.state === "failed" || seen.state === "canceled") this.#goTo(undefined, seen.state);
    const isClean = cleanUp === undefined || (await cleanUp(this.#telling));
    const others = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
    const end = { ...this.#head, finishedAt: clock.now(), ...seen };
    await report.end(object, end, {
      metadata: {
        // What stays is removed later, as long as the object is held.
        finalizers: isClean ? others : [...others, finalizer],
        ...((this.#notes > 0 || this.#saysBusy || this.#carried > 0 || this.#step !== "" || cleanUp) && {
          annotations: {
            ...writeStall(undefined).annotations,
            ...writeBusy(undefined).annotations,
            ...(this.#carried > 0 && writeCarried(undefined).annotations),
            ...((this.#step !== "" || cleanUp) && writeStep(undefined).annotations),
            ...this.#goTo(undefined).annotations,
          },
        }),
      },
      status,
    });
  }
}

/** A failure after the snapshot was made: its fields are needed to remove it one day. */
export class FailedWithStatus extends AppError {
  readonly status: Readonly<Record<string, unknown>>;

  constructor(message: string, status: Readonly<Record<string, unknown>>) {
    super("VOLUME_INCOMPLETE", message, { retry: false });
    this.status = status;
  }
}

function statusOf(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof FailedWithStatus ? error.status : {};
}
