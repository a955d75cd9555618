/** Numbers that look random and are the same for the same seed, on every machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** A case has its own stream: its number in the run is enough to make it again. */
  constructor(seed: number, stream = 0) {
    this.#a = seed >>> 0;
    this.#b = stream >>> 0;
    this.#c = Math.floor(stream / 2 ** 32) >>> 0;
    this.#d = 0x9e3779b9;
    for (let i = 0; i < 12; i += 1) this.next();
  }

  /** 32 bits (the generator "sfc32"). */
  next(): number {
    const sum = (this.#a + this.#b + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** A whole number from 0 up to, without, the limit. */
  below(limit: number): number {
    return Math.floor((this.next() / 2 ** 32) * limit);
  }

  /** True once in so many times. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T; // lists of nothing have no element to give
  }

  /** Small numbers mostly, a large one now and then. */
  size(limit: number): number {
    return this.below(1 + this.below(1 + this.below(limit)));
  }
}
