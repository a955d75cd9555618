import { AppError } from "../errors.ts";
import type { VolumeSnapshotter } from "./contract.ts";

/** One life of a plugin: a process or a thread that may end at any moment. */
export interface Life<T> {
  readonly plugin: T;
  /** Whether it has ended; calls to it fail. */
  readonly isOver: boolean;
  close(): Promise<void>;
}

/** A plugin that is started again when it has died. */
export interface Revived<T> {
  readonly plugin: T;
  readonly close: () => Promise<void>;
}

/** A plugin that dies more often than this is left alone. */
const maxLives = 11;

/** Keeps one life of a plugin at a time; a call that meets a dead one waits for the next, a call that was cut short fails. */
export class Lives<T> {
  readonly #name: string;
  readonly #start: (signal: AbortSignal) => Promise<Life<T>>;
  #current: Promise<Life<T>> | undefined;
  #count = 0;
  #isClosed = false;

  /** `start` makes a life and prepares it: the plugin is ready for calls. */
  constructor(name: string, start: (signal: AbortSignal) => Promise<Life<T>>) {
    this.#name = name;
    this.#start = start;
  }

  /** The present life, or the next one. Of several calls that meet a dead one, one begins the next and all get it. */
  async now(signal: AbortSignal): Promise<T> {
    for (;;) {
      const met = this.#current;
      const current = await met?.catch(() => undefined);
      if (current && !current.isOver) return current.plugin;
      await current?.close();
      signal.throwIfAborted();
      if (this.#current !== met) continue;
      const next = this.#next(signal);
      this.#current = next;
      return (await next).plugin;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const current = await this.#current?.catch(() => undefined);
    await current?.close();
  }

  async #next(signal: AbortSignal): Promise<Life<T>> {
    if (this.#isClosed) throw new AppError("PLUGIN_FAILED", `plugin "${this.#name}" is closed`);
    if (this.#count >= maxLives) {
      throw new AppError(
        "PLUGIN_FAILED",
        `plugin "${this.#name}" has died ${maxLives} times and is left alone`,
      );
    }
    this.#count += 1;
    return this.#start(signal);
  }
}

/** A snapshotter with several lives, each of which is told its settings first. */
export async function revivedSnapshotter(
  name: string,
  start: (signal: AbortSignal) => Promise<Life<VolumeSnapshotter>>,
  config: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Revived<VolumeSnapshotter>> {
  const lives = new Lives(name, async (inner) => {
    const life = await start(inner);
    try {
      await life.plugin.init(config, inner);
      return life;
    } catch (error) {
      await life.close();
      throw error;
    }
  });
  const first = await lives.now(signal).catch(async (error: unknown) => {
    await lives.close();
    throw error;
  });
  const plugin: VolumeSnapshotter = {
    init: async () => undefined, // each life was told already
    getVolumeID: async (volume, inner) => (await lives.now(inner)).getVolumeID(volume, inner),
    setVolumeID: async (volume, id, inner) => (await lives.now(inner)).setVolumeID(volume, id, inner),
    getVolumeInfo: async (volume, inner) => (await lives.now(inner)).getVolumeInfo(volume, inner),
    createSnapshot: async (request, inner) => (await lives.now(inner)).createSnapshot(request, inner),
    createVolumeFromSnapshot: async (request, inner) =>
      (await lives.now(inner)).createVolumeFromSnapshot(request, inner),
    deleteSnapshot: async (id, inner) => (await lives.now(inner)).deleteSnapshot(id, inner),
    ...(first.progress && {
      progress: async (id, inner) => (await lives.now(inner)).progress?.(id, inner) as never,
    }),
    ...(first.restoreProgress && {
      restoreProgress: async (id, inner) => (await lives.now(inner)).restoreProgress?.(id, inner) as never,
    }),
    ...(first.findSnapshot && {
      findSnapshot: async (request, inner) =>
        (await lives.now(inner)).findSnapshot?.(request, inner) as never,
    }),
  };
  return { plugin, close: () => lives.close() };
}
