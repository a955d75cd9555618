/** Longer lines are cut: no output of a phase may be longer than what an ActionSet can hold. */
const limitChars = 4 * 1024 * 1024;

/**
 * Splits pieces of output into lines at \n, \r\n and \r, wherever the pieces were cut.
 *
 * Movers draw over their own line with \r. What a line has beyond the limit is dropped.
 */
export class Lines {
  readonly #take: (line: string) => void;
  readonly #utf8 = new TextDecoder();
  #tail = "";

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  push(chunk: Uint8Array): void {
    const text = this.#utf8.decode(chunk, { stream: true });
    const parts = text.split(/[\r\n]/);
    const last = parts.pop() ?? "";
    const [first, ...rest] = parts;
    if (first === undefined) {
      this.#grow(last);
      return;
    }
    this.#grow(first);
    const line = this.#tail;
    this.#tail = "";
    for (const one of [line, ...rest]) if (one !== "") this.#take(one.slice(0, limitChars));
    this.#grow(last);
  }

  /** What stands without its end is a line as well. */
  end(): void {
    this.#grow(this.#utf8.decode());
    if (this.#tail !== "") this.#take(this.#tail);
    this.#tail = "";
  }

  #grow(text: string): void {
    if (this.#tail.length < limitChars) this.#tail += text.slice(0, limitChars - this.#tail.length);
  }
}
