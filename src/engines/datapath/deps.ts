import type { KubeObject } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, type Clock, isNotFound, type Resource, sleep } from "../../kube/index.ts";
import type { Waits } from "./pending.ts";
import type { MovementSettings } from "./settings.ts";

/** What moving volumes needs of the cluster. */
export interface DatapathDeps {
  readonly client: Client;
  /** The namespace of the server's own objects. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly settings: MovementSettings;
  /** The image of the pods that hold volumes; any one with a shell. */
  readonly image: string;
  readonly pullPolicy: string;
}

/** Hears what is being waited for, again and again. */
export type OnWait = (step: "snapshot" | "claim" | "pod" | "rebind" | "cleanup", waits: Waits) => void;

/** A limit in time, and the words when it is reached. */
export interface Limit {
  /** By the clock's `now`. */
  readonly atMs: number;
  readonly words: string;
}

const pollMs = 500;
const slowestMs = 3_000;

/** Looks until there is an answer, less and less often; past the limit it is an error. */
export async function poll<T>(
  { clock }: Pick<DatapathDeps, "clock">,
  look: (waitedMs: number) => Promise<T | undefined>,
  limit: Limit,
  signal: AbortSignal,
): Promise<T> {
  const since = clock.now();
  for (let pause = pollMs; ; pause = Math.min(slowestMs, pause * 1.3)) {
    signal.throwIfAborted();
    const found = await look(clock.now() - since);
    if (found !== undefined) return found;
    if (clock.now() >= limit.atMs) throw new AppError("VOLUME_EXPOSE", limit.words, { retry: false });
    await sleep(clock, pause, signal);
  }
}

/** The object, or undefined where there is none. */
export async function find<T extends KubeObject>(
  { client }: Pick<DatapathDeps, "client">,
  resource: Resource,
  name: string,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await client.get<T>(resource, name, namespace === undefined ? {} : { namespace }, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Deletes an object that may be gone. */
export async function remove(
  { client }: Pick<DatapathDeps, "client">,
  resource: Resource,
  name: string,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.delete(resource, name, namespace === undefined ? {} : { namespace }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Waits until an object is gone; past the limit the error names what holds it. */
export async function gone(
  deps: Pick<DatapathDeps, "client" | "clock">,
  resource: Resource,
  name: string,
  namespace: string | undefined,
  withinMs: number,
  signal: AbortSignal,
): Promise<void> {
  const atMs = deps.clock.now() + withinMs;
  for (;;) {
    const found = await find(deps, resource, name, namespace, signal);
    if (found === undefined) return;
    if (deps.clock.now() >= atMs) {
      const held = (found.metadata.finalizers ?? []).join(", ") || "nothing that it says";
      throw new AppError(
        "VOLUME_EXPOSE",
        `the ${resource.kind} "${name}" does not go; it is held by ${held}`,
      );
    }
    await sleep(deps.clock, pollMs, signal);
  }
}

type EventObject = KubeObject & {
  readonly type?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
};

/** The newest warning about an object of the server's namespace; events may not be readable, and then say nothing. */
export async function newestWarning(
  { client, namespace }: Pick<DatapathDeps, "client" | "namespace">,
  events: Resource,
  { kind, metadata }: KubeObject,
  signal: AbortSignal,
): Promise<string | undefined> {
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${metadata.name},type=Warning`;
  const found = await client
    .list<EventObject>(events, { namespace, fieldSelector }, signal)
    .catch(() => [] as EventObject[]); // only words would be lost
  const at = (one: EventObject) => one.lastTimestamp ?? one.eventTime ?? one.metadata.creationTimestamp ?? "";
  const [newest] = found
    .filter(({ type }) => type === "Warning")
    .toSorted((a, b) => at(b).localeCompare(at(a), "en"));
  return newest?.message?.replaceAll(/\s+/g, " ").slice(0, 300);
}
