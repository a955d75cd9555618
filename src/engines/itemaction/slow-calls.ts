import type { Clock } from "../../kube/index.ts";
import type { StallCause } from "../../progress/index.ts";

/** A call that takes longer is told. */
const slowMs = 10_000;

/** Hears what is waited for, and what is wrong should it take too long. */
type Tell = (what: string | undefined, cause?: StallCause) => void;

/** Tells which call is waited for when calls take long; of several the oldest. Bounded by the calls under way. */
export class SlowCalls {
  readonly #clock: Clock;
  readonly #tell: Tell;
  readonly #slow = new Set<string>();

  constructor(clock: Clock, tell: Tell) {
    this.#clock = clock;
    this.#tell = tell;
  }

  async watch<T>(what: string, call: () => Promise<T>): Promise<T> {
    let isSlow = false;
    const cancel = this.#clock.after(slowMs, () => {
      isSlow = true;
      this.#slow.add(what);
      this.#say();
    });
    try {
      return await call();
    } finally {
      cancel();
      if (isSlow) {
        this.#slow.delete(what);
        this.#say();
      }
    }
  }

  #say(): void {
    const [oldest] = this.#slow;
    // Work that stands still meanwhile does so because of this call.
    this.#tell(oldest, oldest === undefined ? undefined : "plugin-silent");
  }
}
