import { pathOf, type Resource, titleOf } from "./resource.ts";
import type { Transport } from "./transport.ts";

/** Which part of a container's log. */
export interface LogQuery {
  readonly namespace: string;
  readonly container?: string | undefined;
  /** Goes on until the container ends. */
  readonly follow?: boolean;
  /** RFC 3339: only what was written after it. */
  readonly sinceTime?: string | undefined;
  readonly sinceSeconds?: number | undefined;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly timestamps?: boolean;
  /** Of the container that ran before the last restart. */
  readonly previous?: boolean;
}

/** The log as it comes; nothing of it is kept here. */
export async function* logs(
  transport: Transport,
  resource: Resource,
  name: string,
  query: LogQuery,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const { namespace, ...rest } = query;
  const target = { namespace, name, subresource: "log" };
  const done = new AbortController();
  const answer = await transport.stream(
    {
      method: "GET",
      path: pathOf(resource, target),
      query: rest,
      accept: "text/plain, application/json",
      attempt: `read ${titleOf(resource, target)}`,
      repeat: "safe",
    },
    signal ? AbortSignal.any([signal, done.signal]) : done.signal,
    0, // a container that says nothing yet begins no answer
  );
  try {
    for await (const chunk of answer) yield chunk as Buffer; // no encoding was set
  } catch (error) {
    signal?.throwIfAborted();
    throw transport.explain(error);
  } finally {
    done.abort();
  }
}
