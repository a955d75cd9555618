import type { PodVolumeBackup, PodVolumeRestore } from "../api/index.ts";
import { carriedOf, readVolume, writeCarried } from "../kinds/index.ts";
import { type Clock, composePatches, type MergePatch } from "../kube/index.ts";
import {
  type Eta,
  type History,
  learn,
  type Memory,
  type Observation,
  type Operation,
  type PastRun,
  type Tracked,
  track,
} from "../progress/index.ts";
import { type Facts, Reporter } from "../report/index.ts";
import { startOf, type Trace, type TracePoint } from "./form.ts";

/** What was told at one moment of a run. */
export interface Told {
  /** Seconds after the start. */
  readonly t: number;
  readonly eta: Eta;
  /** What was known of the run then. */
  readonly run: Memory["run"];
  /** The run as its viewers saw it then. */
  readonly operation: Operation | undefined;
}

/** A run as its viewers saw it. */
export interface Replayed {
  readonly told: readonly Told[];
  /** What the run taught; undefined when it did not end well. */
  readonly past: PastRun | undefined;
}

/**
 * Plays a run again, in the time of its trace, through what an agent, its reporter and a viewer do: samples are folded, the
 * status is written as often as agents write it, read back, and folded by the viewer, who is asked at the given moments.
 */
export function replay(trace: Trace, moments: readonly number[], history?: History): Replayed {
  const viewer = new Viewer(trace, history);
  const told: Told[] = [];
  let next = 0;
  for (const t of moments) {
    while ((trace.points[next]?.t ?? Number.POSITIVE_INFINITY) <= t) viewer.hear(trace.points[next++]);
    told.push({ t, ...viewer.ask(t) });
  }
  for (const point of trace.points.slice(next)) viewer.hear(point);
  return { told, past: viewer.end() };
}

const lookMs = 1_000;
/** As often as agents write while few copies run. */
const writeMs = 500;

type Volume = PodVolumeBackup | PodVolumeRestore;

/** The road from a mover to a viewer, with a clock that stands until it is moved. */
class Viewer {
  readonly #trace: Trace;
  readonly #history: History | undefined;
  readonly #reporter: Reporter;
  readonly #startedAt: number;
  #now: number;
  #object: Volume;
  #pending: MergePatch | undefined;
  #urgent: string | undefined;
  #dueAt: number;
  #tracked: Tracked | undefined;

  constructor(trace: Trace, history: History | undefined) {
    this.#trace = trace;
    this.#history = history;
    this.#startedAt = startOf(trace.head);
    this.#now = this.#startedAt;
    this.#dueAt = this.#startedAt;
    this.#object = volumeOf(trace);
    const clock: Clock = { now: () => this.#now, monotonic: () => this.#now, after: () => () => undefined };
    this.#reporter = new Reporter({
      clock,
      status: {
        offer: (_, patch, urgent) => this.#offer(patch, urgent),
        finish: async (_, patch) => this.#write(patch),
        flush: () => Promise.resolve(),
        forget: () => Promise.resolve(),
      },
    });
    this.#tell({ state: "running" });
  }

  hear(point: TracePoint | undefined): void {
    if (point?.done === undefined && !point?.io) return;
    this.#advance(point.t);
    const { done, total, io } = point;
    const { unit } = this.#trace.head;
    const carried = io && carriedOf(this.#object.kind, { readBytes: io.read, writtenBytes: io.written });
    this.#tell(
      {
        state: "running",
        ...(done !== undefined && {
          progress: { unit, done, ...(total !== undefined && total > 0 && { total }) },
        }),
      },
      carried === undefined ? {} : { metadata: writeCarried(carried) },
    );
  }

  ask(t: number): Omit<Told, "t"> {
    this.#advance(t);
    const eta = this.#tracked?.operation.eta ?? { unknown: "too-early" };
    return { eta, run: this.#tracked?.memory.run, operation: this.#tracked?.operation };
  }

  end(): PastRun | undefined {
    const { end, outcome } = this.#trace;
    this.#advance(end);
    const last = this.#trace.points.findLast(({ done }) => done !== undefined);
    const total = Math.max(last?.total ?? 0, last?.done ?? 0);
    const state = outcome === "completed" ? "completed" : "failed";
    void this.#reporter.end(this.#object, {
      ...readVolume(this.#object),
      state,
      progress: { unit: this.#trace.head.unit, done: total, total },
      startedAt: this.#startedAt,
      finishedAt: this.#now,
    });
    return this.#tracked && learn(undefined, this.#tracked)?.runs[0];
  }

  /** Viewers look each second, whether there is news or not. */
  #advance(t: number): void {
    const to = this.#startedAt + t * 1000;
    while (this.#now < to) {
      const next = Math.min(to, this.#now + lookMs - ((this.#now - this.#startedAt) % lookMs));
      const due = this.#pending && this.#dueAt < next ? Math.max(this.#now, this.#dueAt) : next;
      this.#now = due;
      if (this.#pending && this.#dueAt <= due) this.#write(this.#pending);
      else this.#look();
    }
  }

  #look(): void {
    const seen = { ...readVolume(this.#object), ...(this.#history && { history: this.#history }) };
    this.#tracked = track(this.#tracked, seen, this.#now);
  }

  #tell(seen: Partial<Observation>, facts: Facts = {}): void {
    const known = { ...readVolume(this.#object), startedAt: this.#startedAt };
    this.#reporter.tell(this.#object, { ...known, ...seen }, facts);
  }

  #offer(patch: MergePatch, urgent: string | undefined): void {
    if (urgent !== this.#urgent || this.#now >= this.#dueAt) this.#write(patch);
    else this.#pending = patch;
    this.#urgent = urgent;
  }

  #write(patch: MergePatch): void {
    this.#pending = undefined;
    this.#dueAt = this.#now + writeMs;
    this.#object = composePatches(this.#object as unknown as MergePatch, patch) as unknown as Volume; // the reporter writes the kind's own status
    this.#look();
  }
}

function volumeOf({ head }: Trace): Volume {
  const metadata = { name: "trace", namespace: "trace", uid: "trace" };
  const pod = { kind: "Pod", namespace: "trace", name: "trace", uid: "trace" };
  const spec = { pod, volume: head.key, node: "trace", backupStorageLocation: "", repoIdentifier: "" };
  if (head.op === "restore")
    return {
      apiVersion: "velero.io/v1",
      kind: "PodVolumeRestore",
      metadata,
      spec: { ...spec, snapshotID: "", sourceNamespace: "" },
    };
  return { apiVersion: "velero.io/v1", kind: "PodVolumeBackup", metadata, spec };
}
