/** Reads bytes at a place of a file; fewer than asked for only at its end. */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array>;

const smallestBytes = 16 * 1024;
const largestBytes = 256 * 1024;

/**
 * Hands out pieces of a file that are mostly asked for in order, many with each read: a read is a trip through another
 * thread and costs more than the piece. The window doubles while the pieces go on where it ended, and is small again
 * after a jump. One window is kept, and one more for each caller that waits.
 */
export class ReadAhead {
  readonly #readAt: ReadAt;
  #from = 0;
  #until = 0;
  #size = smallestBytes;
  #window: Promise<Uint8Array> = Promise.resolve(new Uint8Array());

  constructor(readAt: ReadAt) {
    this.#readAt = readAt;
  }

  /** A piece of the file, shorter when the file ends within it. Valid as long as it is held. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    if (offset < this.#from || offset + length > this.#until) this.#move(offset, length);
    const from = this.#from;
    const window = await this.#window;
    return window.subarray(offset - from, offset - from + length);
  }

  #move(offset: number, length: number): void {
    const goesOn = offset >= this.#from && offset <= this.#until + this.#size;
    this.#size = goesOn ? Math.min(largestBytes, this.#size * 2) : smallestBytes;
    this.#from = offset;
    this.#until = offset + Math.max(length, this.#size);
    this.#window = this.#readAt(offset, this.#until - offset);
    this.#window.catch(() => void (this.#until = this.#from)); // the next caller tries anew
  }
}
