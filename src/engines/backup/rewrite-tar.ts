import { gunzipped } from "../../../packages/wire/index.ts";
import { AppError } from "../../errors.ts";
import { fileBytes } from "./spool.ts";
import { padding } from "./tar.ts";

const block = 512;

/** One piece of an archive that is passed on: the header blocks of an entry, or some of its content. */
export type Piece = Uint8Array;

/**
 * The entries of an archive that we wrote ourselves, without those whose names are to be left out and without its end.
 * Holds one chunk at a time.
 */
export async function* entriesWithout(
  path: string,
  isLeftOut: (name: string) => boolean,
): AsyncGenerator<Piece> {
  const damaged = (cause: unknown) =>
    new AppError("SPOOL_FAILED", `read "${path}": it is damaged`, { cause });
  const blocks = new Blocks(gunzipped(fileBytes(path), { signal: undefined, damaged }));
  for (;;) {
    const first = await blocks.take(block);
    if (first === undefined || isZero(first)) return;
    const heads = [first];
    let head = first;
    let name = nameOf(first);
    if (String.fromCharCode(first[156] ?? 0) === "x") {
      const bytes = sizeOf(first);
      const record = await blocks.take(bytes + padding(bytes).length);
      const next = await blocks.take(block);
      if (!record || !next) return;
      name = paxPath(record.subarray(0, bytes)) ?? name;
      heads.push(record, next);
      head = next;
    }
    const keep = !isLeftOut(name);
    if (keep) yield* heads;
    let left = sizeOf(head) + padding(sizeOf(head)).length;
    while (left > 0) {
      const piece = await blocks.some(left);
      if (piece === undefined) throw damaged(undefined);
      left -= piece.length;
      if (keep) yield piece;
    }
  }
}

/** Cuts chunks into what is asked for. */
class Blocks {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array();

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes; undefined when there are fewer. */
  async take(bytes: number): Promise<Uint8Array | undefined> {
    while (this.#held.length < bytes) {
      const next = await this.#chunks.next();
      if (next.done) return undefined;
      this.#held = this.#held.length === 0 ? next.value : Buffer.concat([this.#held, next.value]);
    }
    return this.#cut(bytes);
  }

  /** At most so many bytes. */
  async some(limit: number): Promise<Uint8Array | undefined> {
    if (this.#held.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return undefined;
      this.#held = next.value;
    }
    return this.#cut(Math.min(limit, this.#held.length));
  }

  #cut(bytes: number): Uint8Array {
    const part = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes);
    return part;
  }
}

function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString("latin1");
}

function nameOf(head: Uint8Array): string {
  const prefix = text(head.subarray(345, 500));
  const name = text(head.subarray(0, 100));
  return prefix === "" ? name : `${prefix}/${name}`;
}

function sizeOf(head: Uint8Array): number {
  return Number.parseInt(text(head.subarray(124, 136)).trim(), 8) || 0;
}

/** The only record that we write is the path. */
function paxPath(record: Uint8Array): string | undefined {
  return /^\d+ path=([^\n]*)\n/.exec(Buffer.from(record).toString("utf8"))?.[1];
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
