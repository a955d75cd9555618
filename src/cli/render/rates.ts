import { type Meter, measure, type Operation, rateOf, type Unit } from "../../progress/index.ts";

/** Units a second. */
export interface Rate {
  readonly perSecond: number;
  readonly unit: Unit;
}

/** How fast operations and their parts move, told by the last half minute. Holds what the last take() of each tree had, no more. */
export class Rates {
  readonly #trees = new Map<string, ReadonlyMap<string, Meter>>();
  readonly #newest = new WeakMap<Operation, Meter>();

  /** Looks at an operation as it is now; one that has ended is forgotten. */
  take(operation: Operation, nowMs: number): void {
    const before = this.#trees.get(operation.id);
    const now = new Map<string, Meter>();
    this.#walk(operation, "", before, now, nowMs);
    if (now.size > 0) this.#trees.set(operation.id, now);
    else this.#trees.delete(operation.id);
  }

  /** The rate of an operation or a part of one, as last taken; undefined while unknown. */
  of(operation: Operation, nowMs: number): Rate | undefined {
    const meter = this.#newest.get(operation);
    const perSecond = rateOf(meter, nowMs);
    return meter && perSecond !== undefined ? { perSecond, unit: meter.unit } : undefined;
  }

  #walk(
    operation: Operation,
    parent: string,
    before: ReadonlyMap<string, Meter> | undefined,
    now: Map<string, Meter>,
    nowMs: number,
  ): void {
    const path = `${parent}\0${operation.id}`;
    const meter = measure(before?.get(path), operation, nowMs);
    if (meter) {
      now.set(path, meter);
      this.#newest.set(operation, meter);
    }
    for (const child of operation.children) this.#walk(child, path, before, now, nowMs);
  }
}
