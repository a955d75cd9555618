import { isDeepStrictEqual } from "node:util";
import { type KindName, type KubeObject, kinds } from "../api/index.ts";
import {
  type RootObject,
  readCopy,
  readRoot,
  rootKinds,
  type VolumeObject,
  writeStatus,
} from "../kinds/index.ts";
import {
  type Clock,
  composePatches,
  type IntervalMs,
  resourceOf,
  type StatusTarget,
  type StatusWriter,
} from "../kube/index.ts";
import { type Observation, type Operation, type Tracked, track } from "../progress/index.ts";

/** An object whose work is told. */
export type Reported = RootObject | VolumeObject;

/** What is written beside the progress: fields that no operation holds, such as the id of a snapshot. */
export interface Facts {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  /** A new word is written without waiting for the interval. */
  readonly urgent?: string;
}

/** What a reporter needs. */
export interface ReporterOptions {
  readonly status: Pick<StatusWriter, "offer" | "finish" | "flush" | "forget">;
  readonly clock: Clock;
  /** Folds what is seen of a root object, and shows it to the viewers of this process; absent, it is folded here. */
  readonly foldRoot?: (object: RootObject, seen: Observation) => Operation;
  /** How often the status of a kind is written; the writer's own interval where it is absent. */
  readonly interval?: (kind: KindName) => IntervalMs | undefined;
}

/**
 * Turns what engines see into the status of their objects: folded first, so that the laws of progress hold in the cluster
 * as on the page. Nobody else writes progress. Bounded by the number of objects at work.
 */
export class Reporter {
  readonly #options: ReporterOptions;
  /** What was last handed to the writer, by uid: the next status must not fall behind it. */
  readonly #written = new Map<string, object>();
  /** What is at work, by uid, except the roots that are folded elsewhere. */
  readonly #tracked = new Map<string, Tracked>();

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** Takes what is seen now; it is written within the budget. Returns it as everybody sees it. */
  tell(object: Reported, seen: Observation, facts: Facts = {}): Operation {
    const { operation, status, patch, isNews } = this.#take(object, seen, facts);
    const { phase = "", progress = {} } = status as { phase?: string; progress?: object };
    // A new phase and the first total are what people look for: they do not wait.
    const isMeasured = "totalBytes" in progress || "totalItems" in progress;
    const urgent = [phase, isMeasured ? "measured" : "", facts.urgent ?? ""].join(" ");
    if (isNews) this.#options.status.offer(this.#target(object), patch, urgent);
    return operation;
  }

  /** Takes the last that is seen; resolves when it is stored, with what everybody sees. */
  async end(object: Reported, seen: Observation, facts: Facts = {}): Promise<Operation> {
    const { operation, patch } = this.#take(object, seen, facts);
    this.forget(object);
    await this.#options.status.finish(this.#target(object), patch);
    return operation;
  }

  /** Writes what waits of one object, now, and resolves when it is stored: what follows must not happen before. */
  settled(object: Reported): Promise<void> {
    return this.#options.status.forget(this.#target(object));
  }

  /** Writes everything that waits, now, and resolves when it is stored. */
  flush(signal?: AbortSignal): Promise<void> {
    return this.#options.status.flush(signal);
  }

  /** The work stops here and goes on elsewhere: nothing of it is kept. */
  forget(object: Reported): void {
    this.#written.delete(keyOf(object));
    this.#tracked.delete(keyOf(object));
  }

  #take(object: Reported, seen: Observation, facts: Facts) {
    const { foldRoot } = this.#options;
    const operation = foldRoot && isRoot(object) ? foldRoot(object, seen) : this.#fold(object, seen);
    const before = this.#written.get(keyOf(object)) ?? object.status ?? {};
    const status = writeStatus(object.kind, operation, before, facts.status);
    const next = { ...before, ...status };
    this.#written.set(keyOf(object), next);
    // The same again is not worth a write.
    const isNews = facts.metadata !== undefined || !isDeepStrictEqual(next, before);
    const patch = composePatches(
      Object.keys(status).length > 0 ? { status } : {},
      facts.metadata ? { metadata: facts.metadata } : {},
    );
    return { operation, status, patch, isNews };
  }

  /** Numbers continue where the object left them, in this life or an earlier one. */
  #fold(object: Reported, seen: Observation): Operation {
    const now = this.#options.clock.now();
    const written = isRoot(object) ? readRoot(object, []) : readCopy(object);
    const tracked = track(this.#tracked.get(keyOf(object)) ?? track(undefined, written, now), seen, now);
    this.#tracked.set(keyOf(object), tracked);
    return tracked.operation;
  }

  #target(object: Reported): StatusTarget {
    const { name, namespace, uid } = object.metadata;
    const interval = this.#options.interval?.(object.kind);
    return { resource: resourceOf(kinds[object.kind]), name, namespace, uid, interval };
  }
}

function isRoot(object: Reported): object is RootObject {
  return rootKinds.some((kind) => kind === object.kind);
}

function keyOf({ kind, metadata }: KubeObject): string {
  return metadata.uid ?? `${kind}/${metadata.namespace ?? ""}/${metadata.name}`;
}
