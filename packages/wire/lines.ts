/** How a stream is cut into lines. */
export interface LineOptions {
  /** What one line may be long. */
  readonly limitBytes: number;
  /** A longer line loses what is beyond the limit, or ends the reading with a RangeError. */
  readonly beyond?: "cut" | "throw";
  /**
   * What \r means: nothing; the end of a line, as \n, where empty lines say nothing; or that the program draws over its own line, so
   * that a line behind it is given when it comes: its end is the beginning of the next one, which may be seconds away. Such a line
   * comes again, whole, when the pipe cut it.
   */
  readonly returns?: "plain" | "end" | "draw";
}

/** A drawn line beyond this length waits for its end; so one that trickles in is not given again and again. */
const drawnBytes = 4_096;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Splits pieces of a byte stream into lines, wherever the pieces were cut. Invalid UTF-8 becomes U+FFFD.
 * Holds one line, up to the limit.
 */
export class LineSplitter {
  readonly #options: LineOptions;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** The line under way began with \r. */
  #drawn = false;
  /** How much of the line under way was given already. */
  #givenBytes = 0;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** The lines that end in this piece, and the drawn line that it may stop in. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = this.#endFrom(chunk, 0); end >= 0; end = this.#endFrom(chunk, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#give(lines);
      this.#drawn = this.#options.returns === "draw" && chunk[end] === carriageReturn;
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
    if (this.#drawn && this.#heldBytes > this.#givenBytes && this.#heldBytes <= drawnBytes) {
      lines.push(this.#text());
      this.#givenBytes = this.#heldBytes;
    }
    return lines;
  }

  /** What stands without its end is a line as well. */
  end(): string[] {
    const lines: string[] = [];
    if (this.#heldBytes > 0) this.#give(lines);
    return lines;
  }

  #endFrom(chunk: Uint8Array, from: number): number {
    if (!this.#splitsAtReturns) return chunk.indexOf(lineFeed, from);
    for (let i = from; i < chunk.length; i += 1)
      if (chunk[i] === lineFeed || chunk[i] === carriageReturn) return i;
    return -1;
  }

  get #splitsAtReturns(): boolean {
    return this.#options.returns === "end" || this.#options.returns === "draw";
  }

  #hold(part: Uint8Array): void {
    const { limitBytes, beyond = "cut" } = this.#options;
    const room = limitBytes - this.#heldBytes;
    if (part.length > room && beyond === "throw")
      throw new RangeError(`a line is longer than ${limitBytes} bytes`);
    const kept = part.subarray(0, room);
    if (kept.length === 0) return;
    this.#held.push(kept);
    this.#heldBytes += kept.length;
  }

  #give(lines: string[]): void {
    const isNew = this.#heldBytes > this.#givenBytes;
    if (isNew || (this.#heldBytes === 0 && !this.#splitsAtReturns)) lines.push(this.#text());
    this.#held = [];
    this.#heldBytes = 0;
    this.#givenBytes = 0;
  }

  #text(): string {
    const [only] = this.#held;
    if (this.#held.length === 1 && only)
      return Buffer.from(only.buffer, only.byteOffset, only.length).toString();
    return Buffer.concat(this.#held).toString();
  }
}

/** The lines of a byte stream, as they come. */
export async function* lines(
  chunks: AsyncIterable<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<string> {
  const splitter = new LineSplitter(options);
  for await (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.end();
}
