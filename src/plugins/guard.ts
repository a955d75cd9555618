import { AppError, messageOf } from "../errors.ts";
import type { Clock } from "../kube/index.ts";
import type { VolumeSnapshotter } from "./contract.ts";

/** How long plugins may take. */
export interface Limits {
  readonly clock: Clock;
  /** Any call but a question for progress. */
  readonly callMs: number;
  /** A question for progress. */
  readonly askMs: number;
}

/** A plugin whose every call ends in time, with an error that names the plugin and what it was asked. */
export function guarded(name: string, plugin: VolumeSnapshotter, limits: Limits): VolumeSnapshotter {
  const { clock, callMs, askMs } = limits;
  const call = <T>(what: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) =>
    within({ clock, limitMs: callMs, what: `${what} of plugin "${name}"` }, work, signal);
  const ask = <T>(what: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) =>
    within({ clock, limitMs: askMs, what: `${what} of plugin "${name}"` }, work, signal);
  return {
    init: (config, signal) => call("init", (inner) => plugin.init(config, inner), signal),
    getVolumeID: async (volume, signal) =>
      text(
        await call("getVolumeID", (inner) => plugin.getVolumeID(volume, inner), signal),
        `getVolumeID of plugin "${name}"`,
      ),
    setVolumeID: (volume, id, signal) =>
      call("setVolumeID", (inner) => plugin.setVolumeID(volume, id, inner), signal),
    getVolumeInfo: (volume, signal) =>
      call("getVolumeInfo", (inner) => plugin.getVolumeInfo(volume, inner), signal),
    createSnapshot: async (request, signal) =>
      id(
        await call("createSnapshot", (inner) => plugin.createSnapshot(request, inner), signal),
        `createSnapshot of plugin "${name}"`,
      ),
    createVolumeFromSnapshot: async (request, signal) =>
      id(
        await call(
          "createVolumeFromSnapshot",
          (inner) => plugin.createVolumeFromSnapshot(request, inner),
          signal,
        ),
        `createVolumeFromSnapshot of plugin "${name}"`,
      ),
    deleteSnapshot: (snapshot, signal) =>
      call("deleteSnapshot", (inner) => plugin.deleteSnapshot(snapshot, inner), signal),
    ...(plugin.progress && {
      progress: (snapshot, signal) =>
        ask("progress", async (inner) => plugin.progress?.(snapshot, inner) as never, signal),
    }),
    ...(plugin.restoreProgress && {
      restoreProgress: (volume, signal) =>
        ask("restoreProgress", async (inner) => plugin.restoreProgress?.(volume, inner) as never, signal),
    }),
    ...(plugin.findSnapshot && {
      findSnapshot: async (request, signal) =>
        text(
          await call("findSnapshot", async (inner) => plugin.findSnapshot?.(request, inner), signal),
          `findSnapshot of plugin "${name}"`,
        ),
    }),
  };
}

/** Ends work that takes too long, and says what took it. */
export async function within<T>(
  { clock, limitMs, what }: { readonly clock: Clock; readonly limitMs: number; readonly what: string },
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  signal.throwIfAborted();
  const inner = new AbortController();
  const given = Promise.withResolvers<never>();
  const cancel = clock.after(limitMs, () => {
    inner.abort();
    given.reject(
      new AppError("PLUGIN_TIMEOUT", `${what} gave no answer within ${Math.round(limitMs / 1000)} s`),
    );
  });
  const leave = () => {
    inner.abort(signal.reason);
    given.reject(signal.reason);
  };
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work(inner.signal), given.promise]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof AppError) throw error;
    const why = messageOf(error);
    throw new AppError("PLUGIN_FAILED", `${what} failed: ${why}`, { cause: error });
  } finally {
    cancel();
    signal.removeEventListener("abort", leave);
  }
}

/** Whether a call got no answer because the plugin died. */
export function isGone(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : undefined;
  return typeof cause === "object" && cause !== null && "code" in cause && cause.code === 14; // as gRPC says that nobody is there
}

/** Whether a call got no answer because the plugin died or hung, not because it said no. */
export function isCutShort(error: unknown): boolean {
  if (isGone(error)) return true;
  return error instanceof AppError && (error.code === "PLUGIN_TIMEOUT" || error.code === "PLUGIN_PROTOCOL");
}

function text(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new AppError("PLUGIN_FAILED", `${what} returned ${typeof value} where a text is wanted`);
}

function id(value: unknown, what: string): string {
  const found = text(value, what);
  // What an id may be is the provider's business; its size is ours, it is kept in objects.
  if (found !== "" && found.length <= 4096) return found;
  const how = found === "" ? "no id" : `an id of ${found.length} characters`;
  throw new AppError("PLUGIN_FAILED", `${what} returned ${how}`);
}
