import type { Body } from "./store.ts";

/** Marks what the source of a body threw, so that it is not taken for a fault of the store. */
export class SourceFault extends Error {}

/** The chunks of a body; what its source throws comes out as a SourceFault. */
export async function* chunksFrom(body: Body): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) return yield body;
  try {
    yield* body;
  } catch (cause) {
    throw new SourceFault("the source failed", { cause });
  }
}

/** Cuts a body into pieces of exactly this size, the last one smaller; holds one piece at a time. */
export async function* chunksOf(body: Body, bytes: number): AsyncGenerator<Uint8Array, undefined> {
  let piece = Buffer.allocUnsafe(0);
  let filled = 0;
  for await (const chunk of chunksFrom(body)) {
    for (let at = 0; at < chunk.length; ) {
      if (filled === piece.length) piece = grown(piece, bytes);
      const take = Math.min(piece.length - filled, chunk.length - at);
      piece.set(chunk.subarray(at, at + take), filled);
      filled += take;
      at += take;
      if (filled === bytes) {
        yield piece;
        piece = Buffer.allocUnsafe(0);
        filled = 0;
      }
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
  return undefined;
}

/** Small objects are the rule: a piece starts small and doubles. */
function grown(piece: Buffer<ArrayBuffer>, limit: number): Buffer<ArrayBuffer> {
  const next = Buffer.allocUnsafe(Math.min(limit, Math.max(64 * 1024, piece.length * 2)));
  next.set(piece);
  return next;
}
