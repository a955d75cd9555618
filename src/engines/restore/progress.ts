import { growingTotal } from "../../progress/index.ts";

/** What the custom resource says of a restore's items. */
export interface ItemProgress {
  readonly totalItems: number;
  readonly itemsRestored: number;
}

/**
 * Counts items: the total is what is recorded plus what is left of the list.
 *
 * Items that others ask for are recorded on top of the list, so the total grows; an item of the list that needs nothing
 * (a finished job) is taken off the list without being recorded, so it shrinks. An item counts as restored when its
 * work is over: the number never runs ahead of the cluster.
 */
export class Tally {
  readonly #listed: number;
  readonly #atLeast: number;
  #taken = 0;
  #recorded = 0;
  #finished = 0;

  /** `atLeast`: what an earlier process of the same restore has already shown; the number does not start again. */
  constructor(listed: number, atLeast = 0) {
    this.#listed = listed;
    this.#atLeast = atLeast;
  }

  /** An item of the list is dealt with from now on. */
  take(): void {
    this.#taken += 1;
  }

  /** The item needs work. */
  record(): void {
    this.#recorded += 1;
  }

  /** The work on a recorded item is over, well or not. */
  finish(): void {
    this.#finished += 1;
  }

  progress(): ItemProgress {
    const totalItems = growingTotal(this.#recorded, this.#listed, this.#taken);
    const itemsRestored = Math.min(totalItems, Math.max(this.#finished, this.#atLeast));
    return { totalItems, itemsRestored };
  }
}
