import { once } from "node:events";
import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { constants, createGzip, type Gzip } from "node:zlib";
import { AppError } from "../../errors.ts";

/**
 * A gzip file on disk that is written a piece at a time.
 *
 * Memory is bounded by one batch, the two streams' buffers and nothing else: `write` waits while the disk is slow.
 */
export class GzipSpool {
  readonly path: string;
  readonly #gzip: Gzip;
  readonly #file: WriteStream;
  #batch: Uint8Array[] = [];
  #batchBytes = 0;
  #failure: Error | undefined;

  /** Level 1 by measurement: see bench/RESULTS.md. */
  constructor(path: string, level = constants.Z_BEST_SPEED) {
    this.path = path;
    this.#gzip = createGzip({ level, chunkSize: 256 << 10 });
    this.#file = createWriteStream(path, { mode: 0o600, flags: "w" });
    pipeline(this.#gzip, this.#file, (error) => {
      if (error) this.#failure ??= error;
    });
  }

  /** Takes the pieces; a promise only when the caller should wait. */
  write(...pieces: readonly Uint8Array[]): Promise<void> | undefined {
    for (const piece of pieces) {
      if (piece.length === 0) continue;
      this.#batch.push(piece);
      this.#batchBytes += piece.length;
    }
    return this.#batchBytes < batchLimit ? undefined : this.#flush();
  }

  /** Ends the file; its size in bytes. */
  async close(): Promise<number> {
    await this.#flush();
    this.#gzip.end();
    if (!this.#file.closed) {
      await once(this.#file, "close").catch((error: Error) => (this.#failure ??= error));
    }
    this.#check();
    return (await stat(this.path)).size;
  }

  /** Lets go of the file without caring for what is in it. */
  destroy(): void {
    this.#failure ??= new Error("the spool was given up");
    this.#gzip.destroy();
    this.#file.destroy();
  }

  async #flush(): Promise<void> {
    this.#check();
    if (this.#batch.length === 0) return;
    const pieces = Buffer.concat(this.#batch, this.#batchBytes);
    this.#batch = [];
    this.#batchBytes = 0;
    if (!this.#gzip.write(pieces)) await drained(this.#gzip);
    this.#check();
  }

  #check(): void {
    if (this.#failure === undefined) return;
    const { message } = this.#failure;
    throw new AppError("SPOOL_FAILED", `write "${this.path}": ${message}`, { cause: this.#failure });
  }
}

const batchLimit = 256 << 10;

/** Resolves when there is room again, or when the stream is gone and the next check tells why. */
function drained(gzip: Gzip): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      gzip.off("drain", done);
      gzip.off("close", done);
      resolve();
    };
    gzip.on("drain", done);
    gzip.on("close", done);
    if (gzip.destroyed) done();
  });
}

/** The file's bytes, for an upload. */
export function fileBytes(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: 256 << 10 });
}
