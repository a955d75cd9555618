import { randomUUID } from "node:crypto";
import { gunzipped } from "../../packages/wire/index.ts";
import { type DownloadRequest, kinds } from "../api/index.ts";
import { AppError, messageOf } from "../errors.ts";
import { type Client, resourceOf } from "../kube/index.ts";
import { checkLink, type LinkCheck } from "./link-check.ts";

const requests = resourceOf(kinds.DownloadRequest);

/** Where files are asked for: the namespace of the backup or restore, with the rights of the client. */
export interface FilePlace {
  readonly client: Pick<Client, "create" | "watch">;
  readonly namespace: string;
  /** Whether the link is one of the backup's location: for servers, which may reach what the asker may not. */
  readonly check?: LinkCheck | undefined;
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
  if (place.check) await checkLink(place.check, { ...wanted, namespace: place.namespace }, url, signal);
  const response = await fetch(url, { signal, redirect: "manual" }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw failed(wanted, `the link cannot be followed (${rootOf(error)})`, error);
  });
  if (response.status === 404) return undefined;
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw failed(wanted, `the link leads elsewhere (HTTP ${response.status}), and is not followed there`);
  }
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw failed(wanted, `the link answers with HTTP ${response.status}`);
  }
  return received(response.body, wanted, signal);
}

/** What a stored file says, unpacked as it arrives. */
export function unpacked(
  bytes: AsyncIterable<Uint8Array>,
  wanted: Pick<FileWanted, "kind" | "name">,
  { signal, maxBytes }: { readonly signal: AbortSignal; readonly maxBytes?: number },
): AsyncGenerator<Buffer> {
  const tooLong = () => failed(wanted, `it is longer than ${maxBytes} bytes`);
  return gunzipped(bytes, {
    signal,
    damaged: (cause) => failed(wanted, "its compression is damaged or cut", cause),
    ...(maxBytes !== undefined && { limit: { bytes: maxBytes, tooLong } }),
  });
}

/** The bytes of an answer; a connection that breaks is told as that. */
async function* received(
  body: AsyncIterable<Uint8Array>,
  wanted: FileWanted,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      yield chunk;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw failed(wanted, `the connection broke after ${bytes} bytes (${rootOf(error)})`, error);
  }
}

function failed({ kind, name }: Pick<FileWanted, "kind" | "name">, why: string, cause?: unknown): AppError {
  return new AppError("DOWNLOAD_FAILED", `${kind} of "${name}": ${why}`, { cause });
}

/** What fetch says of itself ("terminated") says nothing; its cause does. */
function rootOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootOf(error.cause) : error.message;
}

/** Files that are read whole into memory are lists and results; longer ones are refused. */
const maxTextBytes = 256 * 1024 ** 2;

/** The text of a stored file that is compressed; undefined when there is none. */
export async function storedText(
  place: FilePlace,
  wanted: FileWanted,
  signal: AbortSignal,
): Promise<string | undefined> {
  const bytes = await storedFile(place, wanted, signal);
  if (!bytes) return undefined;
  const chunks = await Array.fromAsync(unpacked(bytes, wanted, { signal, maxBytes: maxTextBytes }));
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
    io.err(`headway: ${messageOf(error)}\n`);
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
