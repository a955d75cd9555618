import type { VolumePluginBackup, VolumePluginRestore } from "../../api/index.ts";
import { isVolumeEnded, readVolume, writeStatus } from "../../kinds/index.ts";
import type { Client, Clock, Resource } from "../../kube/index.ts";
import type { Observation, Operation, Sample } from "../../progress/index.ts";
import type { Reporter } from "../../report/index.ts";
import { oddPhase } from "./adopt.ts";
import { type FollowEnd, follow } from "./follow.ts";
import { silent } from "./objects.ts";
import type { Way } from "./place.ts";

/** The object of a snapshot, or of a volume that comes out of one. */
export type PluginObject = VolumePluginBackup | VolumePluginRestore;

/** What following one needs. */
export interface MovingOptions {
  readonly client: Pick<Client, "get">;
  readonly namespace: string;
  readonly clock: Clock;
  readonly report: Pick<Reporter, "tell" | "end">;
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
    if (way === "silent") return { message: silent };
    const look = (inner: AbortSignal) => this.#look(inner);
    const onMove = (sample: Sample | undefined, message: string | undefined) => this.#moved(sample, message);
    return follow({ clock, look, limitMs, onMove, onRemark }, signal);
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

  #moved(sample: Sample | undefined, message: string | undefined): void {
    const { way, report, onMove } = this.#options;
    if (way !== "own") {
      const seen = this.#seen({ state: "running", sample, message });
      this.#show(report.tell(this.#object, seen));
    }
    onMove();
  }

  /** Writes how it ended, except into an object that is the plugin's own. */
  async #write({ sample, message, failed }: FollowEnd): Promise<void> {
    const { way, report, clock } = this.#options;
    if (way === "own") return;
    const state = failed === undefined ? "completed" : "failed";
    const seen = { ...this.#seen({ state, sample, message: failed ?? message }), finishedAt: clock.now() };
    this.#show(await report.end(this.#object, seen));
  }

  #seen(now: {
    readonly state: "running" | "completed" | "failed";
    readonly sample: Sample | undefined;
    readonly message: string | undefined;
  }): Observation {
    const { id, ref, kind, title, startedAt } = readVolume(this.#object);
    return {
      id,
      ref,
      kind,
      title,
      state: now.state,
      ...(startedAt !== undefined && { startedAt }),
      ...(now.sample && { progress: now.sample }),
      ...(now.message !== undefined && { message: now.message }),
    };
  }

  /** The object as it is written, which may be later. */
  #show(operation: Operation): void {
    const { kind, status } = this.#object;
    this.#object = { ...this.#object, status: { ...status, ...writeStatus(kind, operation, status ?? {}) } };
  }
}

function overOf({ status }: PluginObject): FollowEnd {
  return status?.phase === "Completed" ? {} : { failed: status?.message ?? "it failed" };
}
