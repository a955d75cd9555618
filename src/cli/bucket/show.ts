import { type Observation, type Operation, type Tracked, track } from "../../progress/index.ts";
import type { Io } from "../io.ts";
import { liveView, type OperationsView, tenthsView } from "../render/operations-view.ts";

/** Where a bucket's command shows how far it is: a tree on a terminal, else lines on standard error. */
export class Show {
  readonly #view: OperationsView;
  readonly #isLive: boolean;
  readonly #io: Io;
  #tracked: Tracked | undefined;
  #lastMs = 0;

  constructor(io: Io, isStructured: boolean) {
    this.#io = io;
    this.#isLive = !isStructured && io.terminal !== undefined;
    this.#view =
      this.#isLive && io.terminal
        ? liveView(io, io.terminal)
        : tenthsView({ ...io, out: (text) => io.err(text), color: false });
  }

  /** Folds what is seen now. Ten times a second is enough for a person; the end is always shown. */
  see(seen: () => Observation, nowMs: number, isLast = false): void {
    if (!isLast && nowMs - this.#lastMs < 100) return;
    this.#lastMs = nowMs;
    this.#tracked = track(this.#tracked, seen(), nowMs);
    const { operation } = this.#tracked;
    this.#view.show(new Map<string, Operation>([[operation.id, operation]]), operation);
  }

  /** A line of the result: above the tree where there is one. */
  line(text: string): void {
    if (this.#isLive) this.#view.log(text);
    else this.#io.out(`${text}\n`);
  }

  end(): void {
    this.#view.end();
  }
}
