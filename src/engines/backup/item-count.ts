/** How far the items of a backup are. */
export interface ItemNumbers {
  /** Items that are in the tarball. */
  readonly done: number;
  /** Items that should be and could not. */
  readonly failed: number;
  /** All items as far as is known now; absent before they are counted. */
  readonly total?: number;
}

/**
 * Keeps the numbers honest while lists turn out longer, shorter or double: the total is what is done, what failed, and
 * what the unread lists still promise.
 */
export class ItemCount {
  #done = 0;
  #failed = 0;
  #left: number | undefined;
  #leftOfList = 0;

  /** The lists have been counted. */
  counted(left: number): void {
    this.#left = left;
  }

  /** A list of this many items begins. */
  begin(count: number): void {
    this.#leftOfList = count;
  }

  /** Some of the list's items have been looked at, and the server may say what is left of it. */
  visited(items: number, remaining: number | undefined): void {
    const left = remaining ?? Math.max(0, this.#leftOfList - items);
    this.#shrink(this.#leftOfList - left);
    this.#leftOfList = left;
  }

  /** The list is read; whatever it promised beyond that was not there. */
  end(): void {
    this.#shrink(this.#leftOfList);
    this.#leftOfList = 0;
  }

  stored(): void {
    this.#done += 1;
  }

  lost(): void {
    this.#failed += 1;
  }

  numbers(): ItemNumbers {
    const numbers = { done: this.#done, failed: this.#failed };
    return this.#left === undefined ? numbers : { ...numbers, total: this.#done + this.#failed + this.#left };
  }

  #shrink(by: number): void {
    if (this.#left !== undefined) this.#left = Math.max(0, this.#left - by);
  }
}
