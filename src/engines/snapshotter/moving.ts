import type { VolumePluginBackup, VolumePluginRestore } from "../../api/index.ts";
import { isVolumeEnded } from "../../kinds/index.ts";
import type { Client, Clock, Resource, StatusWriter } from "../../kube/index.ts";
import { oddPhase } from "./adopt.ts";
import { type FollowEnd, follow } from "./follow.ts";
import type { ShownBytes } from "./numbers.ts";
import { silent, timestamp } from "./objects.ts";
import type { Way } from "./place.ts";

/** The object of a snapshot, or of a volume that comes out of one. */
export type PluginObject = VolumePluginBackup | VolumePluginRestore;

/** What following one needs. */
export interface MovingOptions {
  readonly client: Pick<Client, "get">;
  readonly namespace: string;
  readonly clock: Clock;
  readonly status: StatusWriter;
  readonly resource: Resource;
  readonly way: Way;
  /** Asks the plugin, when that is the way. */
  readonly ask?: ((signal: AbortSignal) => Promise<unknown>) | undefined;
  readonly limitMs: number;
  readonly onMove: () => void;
  readonly onRemark: (remark: string) => void;
}

/** Bytes on their way into a snapshot or out of one, in whichever way their plugin tells of them. */
export class Moving<T extends PluginObject> {
  readonly #options: MovingOptions;
  readonly #oddities = new Set<string>();
  #object: T;
  #end: FollowEnd | undefined;
  /** Resolves when nothing moves any more; rejects only when the signal fires. */
  readonly ended: Promise<FollowEnd>;

  constructor(options: MovingOptions, object: T, signal: AbortSignal) {
    this.#options = options;
    this.#object = object;
    this.ended = this.#follow(signal);
    this.ended.catch(() => undefined); // whoever waits hears of it
  }

  /** The object as it was last seen or written. */
  get object(): T {
    return this.#object;
  }

  /** How it ended; undefined while it goes on. */
  get end(): FollowEnd | undefined {
    return this.#end;
  }

  /** What to show of it. */
  progress() {
    const { progress, message } = this.#object.status ?? {};
    return {
      id: this.#object.metadata.name,
      state: this.#state(),
      ...(progress?.bytesDone !== undefined && { bytesDone: progress.bytesDone }),
      ...(progress?.totalBytes !== undefined && { bytesTotal: progress.totalBytes }),
      ...(message && { message }),
    };
  }

  /** Where its status is written. */
  get target() {
    const { name, uid } = this.#object.metadata;
    return { resource: this.#options.resource, namespace: this.#options.namespace, name, uid };
  }

  #state(): "running" | "completed" | "failed" {
    if (this.#end === undefined) return "running";
    return this.#end.failed === undefined ? "completed" : "failed";
  }

  async #follow(signal: AbortSignal): Promise<FollowEnd> {
    const wasOver = isVolumeEnded(this.#object.status);
    const end = wasOver ? overOf(this.#object) : await this.#wait(signal);
    if (!wasOver) await this.#write(end);
    this.#end = end;
    this.#options.onMove();
    return end;
  }

  async #wait(signal: AbortSignal): Promise<FollowEnd> {
    const { way, clock, limitMs, onRemark } = this.#options;
    if (way === "silent") return { shown: {}, message: silent };
    const { progress, percent } = this.#object.status ?? {};
    const before = { ...progress, ...(percent !== undefined && { percent }) };
    const look = (inner: AbortSignal) => this.#look(inner);
    const onMove = (shown: ShownBytes, message: string | undefined) => this.#moved(shown, message);
    return follow({ clock, look, before, limitMs, onMove, onRemark }, signal);
  }

  #look(signal: AbortSignal): Promise<unknown> {
    const { way, ask } = this.#options;
    return way === "asked" && ask ? ask(signal) : this.#readOwn(signal);
  }

  /** What the plugin wrote itself. Only the newest is read, however often it writes. */
  async #readOwn(signal: AbortSignal): Promise<unknown> {
    const { client, namespace, resource, onRemark } = this.#options;
    const { name, uid } = this.#object.metadata;
    const object = await client.get<T>(resource, name, { namespace }, signal);
    if (object.metadata.uid !== uid)
      return { phase: "Failed", message: `"${name}" was replaced by another object` };
    const odd = oddPhase(object);
    if (odd !== undefined && !this.#oddities.has(odd) && this.#oddities.size < 5) {
      this.#oddities.add(odd);
      onRemark(odd);
    }
    this.#object = object;
    const { phase, message, progress } = object.status ?? {};
    const hasFailed = phase === "Failed" || phase === "Canceled";
    const word = phase === "Completed" ? phase : hasFailed ? "Failed" : "InProgress";
    return { phase: word, ...progress, ...(message && { message }) };
  }

  #moved(shown: ShownBytes, message: string | undefined): void {
    const { way, status, onMove } = this.#options;
    if (way !== "own") {
      const change = statusOf(shown, message);
      this.#take(change);
      status.offer(this.target, { status: change });
    }
    onMove();
  }

  /** Writes how it ended, except into an object that is the plugin's own. */
  async #write({ shown, message, failed }: FollowEnd): Promise<void> {
    const { way, status, clock } = this.#options;
    if (way === "own") return;
    const change = {
      ...statusOf(shown, failed ?? message),
      phase: failed === undefined ? "Completed" : "Failed",
      completionTimestamp: timestamp(clock.now()),
    };
    this.#take(change);
    await status.finish(this.target, { status: change });
  }

  #take(change: object): void {
    this.#object = { ...this.#object, status: { ...this.#object.status, ...change } };
  }
}

function statusOf({ percent, ...progress }: ShownBytes, message: string | undefined) {
  return {
    ...(Object.keys(progress).length > 0 && { progress }),
    ...(percent !== undefined && { percent }),
    ...(message !== undefined && { message }),
  };
}

function overOf({ status }: PluginObject): FollowEnd {
  const shown = status?.progress ?? {};
  return status?.phase === "Completed" ? { shown } : { shown, failed: status?.message ?? "it failed" };
}
