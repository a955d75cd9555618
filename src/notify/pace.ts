/** How fast a receiver is told: so many requests in a minute, in bursts of as many at most. Times are of a clock that nobody sets. */
export class Pace {
  readonly #perMinute: number;
  #left: number;
  #at: number;

  constructor(perMinute: number, nowMs: number) {
    this.#perMinute = perMinute;
    this.#left = perMinute;
    this.#at = nowMs;
  }

  /** Takes one; how long to wait first, 0 when it may go now. */
  take(nowMs: number): number {
    const perMs = this.#perMinute / 60_000;
    this.#left = Math.min(this.#perMinute, this.#left + Math.max(0, nowMs - this.#at) * perMs);
    this.#at = nowMs;
    if (this.#left >= 1) {
      this.#left -= 1;
      return 0;
    }
    return Math.ceil((1 - this.#left) / perMs);
  }
}

const firstMs = 1_000;
const longestMs = 300_000;

/** How long to wait after so many failures in a row; `random` is 0..1, so that many do not come back together. */
export function backoffMs(failures: number, random: number): number {
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(20, failures - 1));
  return Math.round(whole * (0.75 + 0.25 * random));
}
