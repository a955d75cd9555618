import { AppError } from "../../errors.ts";

/** Far above the longest name: file systems stop at 255 bytes, and one byte becomes at most twelve characters. */
const maxEntryBytes = 256 * 1024;

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\{}[]');

/**
 * Cuts the entries out of a folder's JSON as it comes: the objects of the array in the topmost object. Arrays inside an entry are
 * left out (a file of a terabyte names a million pieces there). Holds one entry at a time.
 */
export class EntryCutter {
  readonly #take: (text: string) => boolean;
  #stack: ("{" | "[")[] = [];
  #inText = false;
  #isEscaped = false;
  #parts: Uint8Array[] = [];
  #held = 0;

  /** `take` is given each entry as JSON text, and says whether it has enough. */
  constructor(take: (text: string) => boolean) {
    this.#take = take;
  }

  /** Reads on; true when enough was taken, and what follows is not read. */
  push(chunk: Uint8Array): boolean {
    let from = this.#isKept ? 0 : -1;
    for (let i = 0; i < chunk.length; i += 1) {
      const byte = chunk[i];
      if (this.#inText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quote) this.#inText = false;
      } else if (byte === quote) this.#inText = true;
      else if (byte === openBrace || byte === openBracket) {
        const before = this.#isKept;
        this.#stack.push(byte === openBrace ? "{" : "[");
        if (!before && this.#isKept) from = i;
        else if (before && !this.#isKept) {
          this.#keep(chunk.subarray(from, i + 1));
          from = -1;
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        const before = this.#isKept;
        this.#stack.pop();
        if (!before && this.#isKept) from = i;
        else if (before && !this.#isKept) {
          this.#keep(chunk.subarray(from, i + 1));
          from = -1;
          if (this.#cut()) return true;
        }
      }
    }
    if (from >= 0) this.#keep(chunk.subarray(from));
    return false;
  }

  /** Inside an entry, and in no array of it. */
  get #isKept(): boolean {
    return this.#stack.length >= 3 && this.#stack[1] === "[" && !this.#stack.includes("[", 2);
  }

  #keep(part: Uint8Array): void {
    this.#held += part.length;
    if (this.#held > maxEntryBytes) {
      throw new AppError("MOVER_OUTPUT", `an entry of a folder is longer than ${maxEntryBytes} bytes`, {
        retry: false,
      });
    }
    this.#parts.push(Uint8Array.from(part));
  }

  #cut(): boolean {
    const text = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#held = 0;
    return this.#take(text);
  }
}
