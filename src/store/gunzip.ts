import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AppError } from "../errors.ts";

/** What a compressed stream holds, piece by piece; `damaged` makes the error when it is no whole compressed stream. */
export async function* gunzipped(
  source: AsyncIterable<Uint8Array>,
  damaged: (cause: unknown) => AppError,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const input = Readable.from(source, { objectMode: false, highWaterMark: 256 * 1024 });
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // The source's own failure (the store went away) must stay what it is: only the compression's is the file's.
  let failure: unknown;
  input.once("error", (error) => {
    failure = error;
    gunzip.destroy(error);
  });
  const stop = (): void => void gunzip.destroy();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    input.pipe(gunzip);
    for await (const chunk of gunzip) yield chunk;
  } catch (error) {
    signal?.throwIfAborted();
    if (failure !== undefined || error instanceof AppError) throw error;
    throw damaged(error);
  } finally {
    signal?.removeEventListener("abort", stop);
    input.destroy();
    gunzip.destroy();
  }
}
