import { readMoverLine, type Witness } from "../movers/index.ts";
import type { TraceHead, TracePoint } from "./form.ts";
import { type Counters, type CountersOptions, ProcessCounters } from "./process-counters.ts";

/** What a recorder needs. */
export interface RecorderOptions {
  readonly write: (line: string) => void;
  /** Milliseconds from any fixed moment. */
  readonly now: () => number;
  /** Leaves the mover's own words out and writes at most one line a second. */
  readonly lean?: boolean;
  /** The size to come where the caller knows it, as for restores. */
  readonly total?: number;
  readonly counters?: CountersOptions;
}

const leanMs = 1_000;

/** Writes down what a mover says and does, as it happens. */
export class Recorder implements Witness {
  readonly #options: RecorderOptions;
  readonly #from: number;
  #counters: ProcessCounters | undefined;
  #newest: Counters = {};
  #wroteAt = Number.NEGATIVE_INFINITY;
  #written = "";
  #held: TracePoint | undefined;
  #isOver = false;

  constructor(head: TraceHead, options: RecorderOptions) {
    this.#options = options;
    this.#from = options.now();
    options.write(JSON.stringify(head));
  }

  started(pid: number): void {
    this.#counters = new ProcessCounters(pid, this.#options.counters);
    this.#newest = {};
  }

  line(text: string): void {
    const { lean, total } = this.#options;
    const point = { t: this.#seconds(), ...pointOf(text, total), ...this.#newest };
    if (!lean) this.#options.write(JSON.stringify({ ...point, raw: text.slice(0, 4_096) }));
    else if (point.done !== undefined) this.#conflate(point);
  }

  /** Asks the system what the process has moved; called each second by whoever has the clock. */
  async look(): Promise<void> {
    const counters = await this.#counters?.read();
    if (counters) this.#newest = { ...this.#newest, ...counters };
    if (!counters || this.#isOver) return;
    // A mover is silent for long while its process works: that is told as well.
    if (this.#options.now() - this.#wroteAt >= 0.9 * leanMs)
      this.#put({ ...this.#held, ...this.#newest, t: this.#seconds() });
  }

  end(outcome: string): void {
    this.#isOver = true;
    if (this.#held) this.#put(this.#held);
    this.#options.write(JSON.stringify({ t: this.#seconds(), end: outcome }));
  }

  #conflate(point: TracePoint): void {
    if (this.#options.now() - this.#wroteAt >= leanMs) this.#put(point);
    else this.#held = point;
  }

  #put(point: TracePoint): void {
    this.#held = undefined;
    const { t, ...rest } = point;
    const text = JSON.stringify(rest);
    if (text === this.#written) return;
    this.#written = text;
    this.#wroteAt = this.#options.now();
    this.#options.write(JSON.stringify({ t, ...rest }));
  }

  #seconds(): number {
    return Math.round(this.#options.now() - this.#from) / 1000;
  }
}

/** What a line of a mover says in numbers. */
export function pointOf(line: string, knownTotal?: number): Omit<TracePoint, "t"> {
  const said = readMoverLine(line);
  if (!said) return {};
  const { done, total: own } = said.progress;
  const total = knownTotal ?? own;
  const stage = total === undefined ? "counting" : done >= total ? "finishing" : "copying";
  return {
    done,
    ...(total !== undefined && { total }),
    stage,
    ...filesOf(line),
    ...("sentBytes" in said && said.sentBytes !== undefined && { uploaded: said.sentBytes }),
    ...(said.etaSeconds !== undefined && { left: said.etaSeconds }),
  };
}

function filesOf(line: string): Pick<TracePoint, "files" | "filesTotal"> {
  const [, hashed, cached] = / (\d+) hashed \([^)]+\), (\d+) cached /.exec(line) ?? [];
  if (hashed !== undefined) return { files: Number(hashed) + Number(cached) };
  const [, processed, all] = /^\s*Processed (\d+) \([^)]+\) of (\d+) /.exec(line) ?? [];
  if (processed !== undefined) return { files: Number(processed), filesTotal: Number(all) };
  const files = /"files_(?:done|restored)":(\d+)/.exec(line)?.[1];
  const filesTotal = /"total_files":(\d+)/.exec(line)?.[1];
  return {
    ...(files !== undefined && { files: Number(files) }),
    ...(filesTotal !== undefined && { filesTotal: Number(filesTotal) }),
  };
}
