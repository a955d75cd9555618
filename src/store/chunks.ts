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

/** A body that is written in one request, or one that needs several. */
type Cut = { readonly whole: Uint8Array } | { readonly parts: AsyncGenerator<Uint8Array, undefined> };

/** Looks whether a body fits one piece of this size: most objects do. Holds two pieces until the first is taken. */
export async function cutInto(body: Body, bytes: number, signal?: AbortSignal): Promise<Cut> {
  const pieces = chunksOf(body, bytes);
  const first = await pieces.next();
  const second = first.done === true ? first : await pieces.next();
  signal?.throwIfAborted();
  if (first.done === true) return { whole: new Uint8Array() };
  if (second.done === true) return { whole: first.value };
  const ahead = [first.value, second.value];
  async function* parts(): AsyncGenerator<Uint8Array, undefined> {
    for (let piece = ahead.shift(); piece !== undefined; piece = ahead.shift()) yield piece;
    return yield* pieces;
  }
  return { parts: parts() };
}

/** Sends parts side by side, so many at a time, and returns when all have arrived or one has failed and the others have ended. */
export async function sendParts(
  parts: AsyncIterable<Uint8Array>,
  width: number,
  send: (part: Uint8Array, index: number) => Promise<void>,
  signal?: AbortSignal,
): Promise<number> {
  const running = new Set<Promise<void>>();
  let count = 0;
  try {
    for await (const part of parts) {
      signal?.throwIfAborted();
      const one = send(part, count).finally(() => running.delete(one));
      count += 1;
      one.catch(() => undefined); // awaited below; this only keeps an early failure from being "unhandled"
      running.add(one);
      if (running.size >= width) await Promise.race(running);
    }
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running); // a part that lands after an abort would stay, and be paid for
  }
  return count;
}

/** Small objects are the rule: a piece starts small and doubles. */
function grown(piece: Buffer<ArrayBuffer>, limit: number): Buffer<ArrayBuffer> {
  const next = Buffer.allocUnsafe(Math.min(limit, Math.max(64 * 1024, piece.length * 2)));
  next.set(piece);
  return next;
}
