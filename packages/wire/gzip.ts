import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

/** How compressed bytes are read. */
export interface GunzipOptions {
  readonly signal?: AbortSignal | undefined;
  /** What is thrown when the bytes are no gzip, or end too early; zlib's own error when absent. */
  readonly damaged?: ((cause: unknown) => Error) | undefined;
  /** Unpacked bytes at most; one more throws what `tooLong` makes. A small file can unpack to anything. */
  readonly limit?: { readonly bytes: number; readonly tooLong: () => Error } | undefined;
}

const chunkBytes = 256 * 1024;

/** Unpacks while it reads. A source that fails fails the reader with its own error, and nobody else. */
export async function* gunzipped(
  source: AsyncIterable<Uint8Array>,
  { signal, damaged, limit }: GunzipOptions = {},
): AsyncGenerator<Buffer> {
  // The source's failure (a store that went away) must stay what it is: only the compression's is the file's.
  const seen = { failed: false };
  const unpacked = through(noting(source, seen), createGunzip({ chunkSize: chunkBytes }), signal);
  let bytes = 0;
  try {
    for await (const chunk of unpacked) {
      bytes += chunk.length;
      if (limit && bytes > limit.bytes) throw limit.tooLong();
      yield chunk;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw damaged && !seen.failed && isOfZlib(error) ? damaged(error) : error;
  }
}

/** Packs while it reads; a source that fails fails the reader. */
export function gzipped(
  source: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Buffer> {
  return through(source, createGzip());
}

/** What comes out of a transform that a source is poured into: one way for errors, and nothing left open. */
async function* through(
  source: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  transform: ReturnType<typeof createGunzip>,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const input = Readable.from(source, { objectMode: false, highWaterMark: chunkBytes });
  const poured = pipeline(input, transform, { signal });
  poured.catch(() => undefined); // the reader below throws it
  try {
    for await (const chunk of transform) yield chunk as Buffer; // a transform without encoding gives buffers
    await poured;
  } finally {
    input.destroy();
    transform.destroy();
  }
}

async function* noting(
  source: AsyncIterable<Uint8Array>,
  seen: { failed: boolean },
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    seen.failed = true;
    throw error;
  }
}

function isOfZlib(error: unknown): boolean {
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return false;
  // Node ends the unpacking at bytes that follow the last member, and then finds that the source has more.
  return error.code.startsWith("Z_") || error.code === "ERR_STREAM_PREMATURE_CLOSE";
}
