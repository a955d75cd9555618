import { parseTimeMs } from "../api/index.ts";
import {
  AbnormalPod,
  awaitPod,
  type DatapathDeps,
  exposeDownload,
  exposeUpload,
  isUpload,
  type Movement,
  type OnWait,
} from "../engines/datapath/index.ts";
import { messageOf } from "../errors.ts";
import {
  alongTrail,
  type MovementStep,
  readCopy,
  readTrail,
  type Trail,
  writeStall,
  writeStep,
  writeTrail,
} from "../kinds/index.ts";
import { Canceled } from "../kube/index.ts";
import type { Observation } from "../progress/index.ts";
import type { Reporter } from "../report/index.ts";

/** What preparing a movement needs. */
export interface PreparationOptions {
  readonly movement: Movement;
  readonly deps: DatapathDeps;
  /** From being taken to a pod that runs. */
  readonly timeoutMs: number;
  /** The one author of its progress until the copy begins. */
  readonly report: Pick<Reporter, "tell" | "settled" | "forget">;
  /** Removes what was made, and writes the end. */
  readonly end: (movement: Movement, seen: Partial<Observation>) => Promise<void>;
}

/** Makes the volume of a movement reachable on a node, says on what it waits, and hands it to the agent of the node. */
export class Preparation {
  readonly #options: PreparationOptions;
  readonly #head: Observation;
  #said = "";
  #trail: Trail;

  constructor(options: PreparationOptions) {
    this.#options = options;
    const { waitingFor: _, signals: _signals, ...head } = readCopy(options.movement);
    this.#head = head;
    this.#trail = readTrail(options.movement) ?? {};
  }

  /** Resolves when it is handed over or has ended. When the agent itself ends, all stays as it is for the next life. */
  async run(signal: AbortSignal): Promise<void> {
    const end = (seen: Partial<Observation>) => this.#options.end(this.#noted(), seen);
    try {
      const node = await this.#expose(signal);
      await this.#handOver(node);
    } catch (error) {
      if (signal.aborted && !(signal.reason instanceof Canceled)) return;
      const canceled = signal.reason instanceof Canceled ? signal.reason : undefined;
      if (canceled) return end({ state: "canceled", message: canceled.message });
      if (error instanceof AbnormalPod) return end({ state: "canceled", message: error.message });
      await end({ state: "failed", message: this.#words(error) });
    }
  }

  /** The movement with the steps as they are now: whoever ends it writes them on. */
  #noted(): Movement {
    const { movement } = this.#options;
    const annotations = { ...movement.metadata.annotations, ...writeTrail(this.#trail).annotations };
    return { ...movement, metadata: { ...movement.metadata, annotations } };
  }

  #goTo(step: MovementStep | undefined) {
    this.#trail = alongTrail(this.#trail, step, this.#options.deps.clock.now());
    return writeTrail(this.#trail).annotations;
  }

  async #expose(signal: AbortSignal): Promise<string> {
    const { movement, deps, timeoutMs } = this.#options;
    const since = parseTimeMs(movement.status?.acceptedTimestamp) ?? deps.clock.now();
    const limit = { atMs: since + timeoutMs, words: timeoutWords(movement) };
    const onWait: OnWait = (step, { message, cause }) => {
      const said = `${step} ${message} ${cause ?? ""}`;
      if (said === this.#said) return; // it is looked at again and again
      this.#said = said;
      const now = deps.clock.now();
      const annotations = {
        ...writeStep({ step, since: now, message }).annotations,
        ...writeStall(cause && { cause, since: now }).annotations,
        ...this.#goTo(stepOf(step)),
      };
      this.#tell({
        metadata: { annotations },
        status: { phase: "Accepted" },
        urgent: `${step} ${cause ?? ""}`,
      });
    };
    if (isUpload(movement)) await exposeUpload(deps, movement, limit, onWait, signal);
    else await exposeDownload(deps, movement, limit, onWait, signal);
    const { node } = await awaitPod(deps, movement, undefined, limit, onWait, signal);
    return node;
  }

  /** From here on the agent of that node is the author: nothing of ours may be written after it. */
  async #handOver(node: string): Promise<void> {
    const { movement, report } = this.#options;
    const annotations = {
      ...writeStep(undefined).annotations,
      ...writeStall(undefined).annotations,
      ...this.#goTo(undefined),
    };
    this.#tell({ metadata: { annotations }, status: { phase: "Prepared", node }, urgent: "prepared" });
    await report.settled(movement);
    report.forget(movement);
  }

  #tell(facts: Parameters<Reporter["tell"]>[2]): void {
    const { movement, report } = this.#options;
    report.tell(movement, { ...this.#head, state: "pending" }, facts);
  }

  #words(error: unknown): string {
    const words = messageOf(error);
    return words === timeoutWords(this.#options.movement) ? words : `error exposing snapshot: ${words}`;
  }
}

/** What is waited for, as a step of the whole. */
function stepOf(step: Parameters<OnWait>[0]): MovementStep {
  return step === "snapshot" ? "ready" : step;
}

/** In upstream's words, by which people search. */
function timeoutWords(movement: Movement): string {
  return `timeout on preparing data ${isUpload(movement) ? "upload" : "download"}`;
}
