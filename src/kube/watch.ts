import type { IncomingMessage } from "node:http";
import { type LineOptions, lines } from "../../packages/wire/index.ts";
import { isRecord, type KubeObject } from "../api/index.ts";
import { ApiError, statusOf } from "./api-error.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type ListQuery, partial } from "./list.ts";
import { pathOf, type Resource, titleOf } from "./resource.ts";
import type { Transport } from "./transport.ts";

/** What to watch, and from where. */
export interface WatchQuery
  extends Pick<ListQuery, "namespace" | "labelSelector" | "fieldSelector" | "metadataOnly"> {
  /** The version of the list that the watch continues; absent starts anywhere with what is. */
  readonly resourceVersion?: string | undefined;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds?: number;
  /** A silence this long ends the watch: the line may be dead, and asking again costs one request. */
  readonly quietMs?: number;
}

/** One change. Bookmarks carry no object, only how far the watch is. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T; readonly resourceVersion: string }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string };

/** No object is larger than etcd lets it be; a table of managed fields included this is far away. */
const watchLines: LineOptions = { limitBytes: 32 << 20, beyond: "throw" };

/** The changes after a version, until the server ends the watch, the line is quiet too long, or the signal fires. */
export async function* watch<T extends KubeObject>(
  transport: Transport,
  resource: Resource,
  query: WatchQuery,
  signal: AbortSignal,
  clock: Clock = systemClock,
): AsyncGenerator<WatchEvent<T>> {
  const attempt = `watch ${titleOf(resource, { namespace: query.namespace })}`;
  const done = new AbortController();
  const answer = await transport.stream(
    {
      method: "GET",
      path: pathOf(resource, { namespace: query.namespace }),
      query: {
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion: query.resourceVersion,
        timeoutSeconds: query.timeoutSeconds,
        labelSelector: query.labelSelector || undefined,
        fieldSelector: query.fieldSelector || undefined,
      },
      ...(query.metadataOnly && { accept: partial("PartialObjectMetadata") }),
      attempt,
      repeat: "safe",
    },
    AbortSignal.any([signal, done.signal]),
  );
  try {
    for await (const line of lines(heard(answer, query.quietMs, clock), watchLines)) {
      yield readEvent<T>(line, attempt);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw transport.explain(error);
  } finally {
    done.abort();
  }
}

/** Ends the stream without an error when nothing was heard for too long. */
async function* heard(
  answer: IncomingMessage,
  quietMs: number | undefined,
  clock: Clock,
): AsyncGenerator<Buffer> {
  if (quietMs === undefined) return yield* answer;
  let quiet = false;
  const giveUp = () => {
    quiet = true;
    answer.destroy();
  };
  let cancel = clock.after(quietMs, giveUp);
  try {
    for await (const chunk of answer) {
      cancel();
      yield chunk;
      cancel = clock.after(quietMs, giveUp);
    }
  } catch (error) {
    if (!quiet) throw error;
  } finally {
    cancel();
  }
}

function readEvent<T extends KubeObject>(line: string, attempt: string): WatchEvent<T> {
  const { type, object } = parseLine<T>(line);
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object, resourceVersion: versionOf(object) };
    case "BOOKMARK":
      return { type, resourceVersion: versionOf(object) };
    default:
      throw new ApiError(attempt, statusOf(Object.fromEntries(Object.entries(object))));
  }
}

function versionOf(object: KubeObject): string {
  const { metadata }: { readonly metadata?: unknown } = object;
  if (!isRecord(metadata)) throw broken("the watch told of an object without metadata");
  const { resourceVersion } = metadata;
  return typeof resourceVersion === "string" ? resourceVersion : "";
}

function parseLine<T>(line: string): { readonly type: string; readonly object: T } {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch (cause) {
    throw broken("the watch broke off within a line", cause);
  }
  if (!isRecord(event) || !isRecord(event["object"])) throw broken("the watch said what is no event");
  return event as { type: string; object: T }; // the rest is the wire's own contract
}

/** What a proxy in between has spoiled is watched again, like a line that was cut. */
function broken(what: string, cause?: unknown): Error {
  return Object.assign(new Error(what, { cause }), { code: "ECONNRESET" });
}
