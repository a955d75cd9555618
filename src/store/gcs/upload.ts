import { cutInto } from "../chunks.ts";
import type { HttpAnswer, HttpRequest } from "../http.ts";
import type { Body } from "../store.ts";

/** A multiple of 256 KiB, as resumable uploads want; memory is bounded by two of them. */
const pieceBytes = 8 * 1024 * 1024;
/** How often a piece is sent of which the server kept nothing. */
const patience = 4;

/** What an upload needs of its store: requests that are signed, and refusals that are thrown. */
export interface UploadTarget {
  /** Where uploads begin: the name, and the key of encryption, are in its query. */
  url(type: "media" | "resumable"): URL;
  send(request: HttpRequest, allowed: readonly number[], signal?: AbortSignal): Promise<HttpAnswer>;
}

/** Writes an object: in one request when it fits a piece, else as a resumable upload, which is dropped again on any failure. */
export async function uploadGcs(target: UploadTarget, body: Body, signal?: AbortSignal): Promise<void> {
  const cut = await cutInto(body, pieceBytes, signal);
  const headers = { "content-type": "application/octet-stream" };
  if ("whole" in cut) {
    const url = target.url("media");
    drain(await target.send({ method: "POST", url, headers, body: cut.whole }, [200], signal));
    return;
  }
  const begun = await target.send(
    { method: "POST", url: target.url("resumable"), headers },
    [200, 201],
    signal,
  );
  drain(begun);
  const session = new URL(begun.headers.location ?? "");
  try {
    await sendPieces(target, session, cut.parts, signal);
  } catch (error) {
    // 499 is how Google says that the upload is dropped. The first error counts.
    await target
      .send({ method: "DELETE", url: session }, [200, 204, 404, 410, 499])
      .then(drain, () => undefined);
    throw error;
  }
}

async function sendPieces(
  target: UploadTarget,
  session: URL,
  pieces: AsyncGenerator<Uint8Array, undefined>,
  signal?: AbortSignal,
): Promise<void> {
  let offset = 0;
  // One ahead: the last piece says that it is the last.
  for (let { value: piece } = await pieces.next(); piece !== undefined; ) {
    const { value: next } = await pieces.next();
    signal?.throwIfAborted();
    await sendPiece(target, session, { piece, offset, isLast: next === undefined }, signal);
    offset += piece.length;
    piece = next;
  }
}

/** The server may keep only a part of a piece; the rest is sent again. */
async function sendPiece(
  target: UploadTarget,
  session: URL,
  {
    piece,
    offset,
    isLast,
  }: { readonly piece: Uint8Array; readonly offset: number; readonly isLast: boolean },
  signal?: AbortSignal,
): Promise<void> {
  const end = offset + piece.length;
  let at = offset;
  for (let idle = 0; idle < patience; idle += 1) {
    const range = `bytes ${at}-${end - 1}/${isLast ? end : "*"}`;
    const request = { method: "PUT", url: session, headers: { "content-range": range } } as const;
    const answer = await target.send(
      { ...request, body: piece.subarray(at - offset) },
      [200, 201, 308],
      signal,
    );
    drain(answer);
    if (answer.status !== 308) return;
    const kept = keptBytes(answer.headers.range);
    if (kept >= end && !isLast) return;
    if (kept < offset || kept > end) break;
    if (kept > at) idle = -1;
    at = kept;
  }
  throw new Error(`the upload stands still at byte ${at}`);
}

/** How many bytes a session has: `bytes=0-99` are 100. */
function keptBytes(range: string | undefined): number {
  const last = /^bytes=0-(\d+)$/.exec(range ?? "")?.[1];
  return last === undefined ? 0 : Number(last) + 1;
}

function drain({ body }: HttpAnswer): void {
  body.on("error", () => undefined); // nobody reads it
  body.resume();
}
