import { randomUUID } from "node:crypto";
import { createGunzip } from "node:zlib";
import { type DownloadRequest, kinds } from "../api/index.ts";
import { AppError } from "../errors.ts";
import { type Client, resourceOf } from "../kube/index.ts";

const requests = resourceOf(kinds.DownloadRequest);
/** What is read into memory at most, unpacked: the resource list of a million objects has a third of it. */
const textLimitBytes = 256 * 1024 ** 2;

/** Where files are asked for: the namespace of the backup or restore, with the rights of the client. */
export interface FilePlace {
  readonly client: Pick<Client, "create" | "watch">;
  readonly namespace: string;
}

/** A stored file that somebody may ask for. */
export interface FileWanted {
  readonly kind: NonNullable<DownloadRequest["spec"]>["target"]["kind"];
  /** The backup's or restore's name. */
  readonly name: string;
  readonly timeoutMs?: number;
  /** How long a server that has answered with nothing may still find something. */
  readonly graceMs?: number;
}

/** The bytes of a stored file as they lie in the location, through a link that the operator makes; undefined when there is none. */
export async function storedFile(
  place: FilePlace,
  wanted: FileWanted,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const url = await linkTo(place, wanted, signal);
  const response = await fetch(url, { signal });
  if (response.status === 404) return undefined;
  if (!response.ok || !response.body) {
    throw new AppError(
      "DOWNLOAD_FAILED",
      `${wanted.kind} of "${wanted.name}": the link answers with HTTP ${response.status}`,
    );
  }
  return response.body;
}

/** The text of a stored file that is compressed; undefined when there is none. */
export async function storedText(
  place: FilePlace,
  wanted: FileWanted,
  signal: AbortSignal,
): Promise<string | undefined> {
  const bytes = await storedFile(place, wanted, signal);
  if (!bytes) return undefined;
  const { Readable } = await import("node:stream");
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of Readable.from(bytes).pipe(createGunzip())) {
    const piece = chunk as Buffer; // a gunzip gives buffers
    size += piece.length;
    if (size > textLimitBytes) {
      const what = `${wanted.kind} of "${wanted.name}" has more than ${textLimitBytes} bytes`;
      throw new AppError("DOWNLOAD_FAILED", what, { retry: false });
    }
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The value of a small stored file; what cannot be read is said, and is no reason to say nothing else. */
export async function storedJson(
  place: FilePlace,
  wanted: FileWanted,
  io: { readonly err: (text: string) => void },
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const text = await storedText(place, { timeoutMs: 30_000, ...wanted }, signal);
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    signal.throwIfAborted();
    io.err(`headway: ${error instanceof Error ? error.message : String(error)}\n`);
    return undefined;
  }
}

async function linkTo(
  { client, namespace }: FilePlace,
  wanted: FileWanted,
  signal: AbortSignal,
): Promise<string> {
  const { kind, name, timeoutMs = 60_000, graceMs = 3_000 } = wanted;
  const made = await client.create<DownloadRequest>(
    requests,
    {
      apiVersion: "velero.io/v1",
      kind: "DownloadRequest",
      metadata: { name: `${name}-${randomUUID()}`, namespace },
      spec: { target: { kind, name } },
    },
    {},
    signal,
  );
  const nothing = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const ready = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs), nothing.signal]);
  const query = {
    namespace,
    fieldSelector: `metadata.name=${made.metadata.name}`,
    resourceVersion: made.metadata.resourceVersion,
  };
  try {
    for await (const event of client.watch<DownloadRequest>(requests, query, ready)) {
      if (event.type === "BOOKMARK") continue;
      const url = event.object.status?.downloadURL;
      if (url) return url;
      // An expiration without a link says that there is nothing to link to; upstream's server may try again, so it gets a moment.
      if (event.object.status?.expiration) grace ??= setTimeout(() => nothing.abort(), graceMs);
    }
  } catch (error) {
    if (!ready.aborted || signal.aborted) throw error;
  } finally {
    clearTimeout(grace);
  }
  const why = nothing.signal.aborted
    ? `the operator has no link to ${kind} of "${name}": its backup or its storage location is gone`
    : `nobody answered the request for ${kind} of "${name}" within ${timeoutMs / 1000} s: does the operator run, and can it reach the storage location (headway location get)?`;
  throw new AppError("DOWNLOAD_FAILED", why);
}
