import { messageOf } from "../errors.ts";
import type { PluginProgress } from "./contract.ts";

/** Tells how far work is; `totalBytes` only when it is known. */
export type ReportBytes = (bytesDone: number, totalBytes?: number) => void;

interface Entry {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  progress: PluginProgress;
}

/** How many ended works are remembered; the oldest are forgotten. */
const rememberedEnds = 1_000;

/**
 * Keeps the progress of work that a plugin does beside its calls, so that `progress` of a plugin is one line.
 * Bounded by the works under way and the last thousand that ended.
 */
export class ProgressBook {
  readonly #entries = new Map<string, Entry>();

  /** Starts work under an id. What it throws is its failure; the signal fires when it is to stop. */
  begin(id: string, work: (report: ReportBytes, signal: AbortSignal) => Promise<string | undefined>): void {
    const stop = new AbortController();
    const report: ReportBytes = (bytesDone, totalBytes) => {
      if (entry.progress.phase !== "InProgress") return;
      entry.progress = { phase: "InProgress", bytesDone, ...(totalBytes !== undefined && { totalBytes }) };
    };
    const run = async () => {
      try {
        stop.signal.throwIfAborted();
        const message = await work(report, stop.signal);
        const { bytesDone, totalBytes } = entry.progress;
        const most = Math.max(bytesDone ?? 0, totalBytes ?? 0);
        entry.progress = {
          phase: "Completed",
          bytesDone: most,
          totalBytes: most,
          ...(message !== undefined && { message }),
        };
      } catch (error) {
        const message = messageOf(error);
        entry.progress = { ...entry.progress, phase: "Failed", message };
      }
      this.#forgetOld();
    };
    const started = Promise.withResolvers<void>();
    const entry: Entry = { stop, ended: started.promise.then(run), progress: { phase: "InProgress" } };
    this.#entries.set(id, entry);
    started.resolve();
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** What is known of an id; undefined when nothing is. */
  progress(id: string): PluginProgress | undefined {
    return this.#entries.get(id)?.progress;
  }

  /** Stops work and forgets it; returns when it has stopped. */
  async stop(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.stop.abort(new Error("it was told to stop"));
    await entry.ended;
    this.#entries.delete(id);
  }

  #forgetOld(): void {
    const ended = [...this.#entries].filter(([, { progress }]) => progress.phase !== "InProgress");
    for (const [id] of ended.slice(0, Math.max(0, ended.length - rememberedEnds))) this.#entries.delete(id);
  }
}
