import {
  type DataDownload,
  type DataUpload,
  formatTime,
  type KubeObject,
  veleroNames,
} from "../api/index.ts";
import {
  cleanUp,
  isUpload,
  type Movement,
  noteRebind,
  rebind,
  datapathResources as resources,
  targetOf,
} from "../engines/datapath/index.ts";
import { agentLives, readRepository } from "../engines/podvolume/index.ts";
import { messageOf } from "../errors.ts";
import {
  alongTrail,
  isVolumeEnded,
  readCopy,
  readTrail,
  writeBusy,
  writeCarried,
  writeStall,
  writeStep,
  writeTrail,
} from "../kinds/index.ts";
import { Canceled, Controller, Informer, type Log, type Outcome, sleep, Tasks } from "../kube/index.ts";
import type { Observation } from "../progress/index.ts";
import type { Reporter } from "../report/index.ts";
import { Copy, type Telling } from "./copy.ts";
import { LostPods } from "./lost-pods.ts";
import { type MoveDeps, movementKey, transferDownload, transferUpload } from "./move.ts";
import { MovementObjects } from "./movement-objects.ts";
import { planMovement } from "./movement-plan.ts";
import { Preparation } from "./preparation.ts";
import type { Slots } from "./slots.ts";

/** What moving data on a node needs beside the cluster. */
export interface MovementsOptions {
  readonly deps: Omit<MoveDeps, "lost">;
  readonly report: Reporter;
  /** Shared with the copies of pod volumes. */
  readonly slots: Slots;
  readonly log: Log;
  /** Told of each change: how often numbers are written depends on how many copies run in the cluster. */
  readonly onCopying: (movement: Movement, isCopying: boolean) => void;
}

/** Preparations that one agent has under way; the others stay for other agents, or for later. */
const preparing = 10;
/** How often one looks for a place in the queue, for the claim of a restore, or for the agent of another node. */
const againMs = 2_000;
const lookOverMs = 60_000;
/** How long removing what a movement made may take; what stays is tried again. */
const cleanUpMs = 5 * 60_000;

/** The DataUploads and DataDownloads of the cluster, as far as the agent of a node has to do with them. */
export class Movements {
  readonly #options: MovementsOptions;
  readonly #deps: MoveDeps;
  readonly #lost: LostPods;
  readonly #objects: MovementObjects;
  readonly #uploads: Informer<DataUpload, DataUpload>;
  readonly #downloads: Informer<DataDownload, DataDownload>;
  readonly #controller: Controller;
  /** A preparation is over when the movement is handed on, a copy when it has ended. */
  readonly #preparations: Tasks<Movement>;
  readonly #copies: Tasks<Movement>;
  /** Names of other data movers that were told of: each once. Bounded: only the first few are kept. */
  readonly #ignored = new Set<string>();

  constructor(options: MovementsOptions) {
    const { deps, log } = options;
    const { client, clock, namespace } = deps;
    this.#options = options;
    this.#lost = new LostPods(namespace);
    this.#objects = new MovementObjects(client, namespace, log);
    this.#deps = { ...deps, lost: (pod, signal) => this.#lost.signal(pod, signal) };
    const tasks = {
      seen: (movement: Movement) => this.#seen(movement),
      onSettled: (movement: Movement) => this.#controller.add(keyOf(movement)),
      onError: (movement: Movement, error: unknown) => log("error", keyOf(movement), { error }),
    };
    const isOver = ({ status }: Movement) => isVolumeEnded(status);
    this.#copies = new Tasks<Movement>({ ...tasks, isEnded: isOver });
    this.#preparations = new Tasks<Movement>({
      ...tasks,
      isEnded: ({ status }) => status?.phase !== "Accepted",
    });
    this.#controller = new Controller({
      clock,
      workers: 16, // some wait for what they removed to go
      reconcile: (key, signal) => this.#reconcile(key, signal),
      onError: (key, error) => log("warning", key, { error }),
    });
    const watched = {
      client,
      clock,
      query: { namespace },
      onError: (error: unknown) => log("warning", "a watch failed", { error }),
    };
    const onChange = (_key: string, now: Movement | undefined, before: Movement | undefined) =>
      this.#changed(now, before);
    this.#uploads = new Informer<DataUpload, DataUpload>({
      ...watched,
      resource: resources.dataUploads,
      project: withoutFields,
      onChange,
    });
    this.#downloads = new Informer<DataDownload, DataDownload>({
      ...watched,
      resource: resources.dataDownloads,
      project: withoutFields,
      onChange,
    });
  }

  /** Works until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await Promise.all([
        this.#uploads.run(signal),
        this.#downloads.run(signal),
        this.#controller.run(signal),
      ]);
    } finally {
      await Promise.all([this.#preparations.idle(), this.#copies.idle()]);
    }
  }

  /** A pod of this node changed; undefined when it is gone, or ends. */
  podChanged(key: string, uid: string | undefined): void {
    this.#lost.changed(key, uid);
  }

  #changed(now: Movement | undefined, before: Movement | undefined): void {
    const movement = now ?? before;
    if (!movement) return;
    this.#options.onCopying(movement, now?.status?.phase === "InProgress");
    this.#preparations.changed(now, before);
    this.#copies.changed(now, before);
    this.#controller.add(keyOf(movement));
  }

  #seen({ kind, metadata: { namespace, name } }: Movement): Movement | undefined {
    const key = `${namespace ?? ""}/${name}`;
    return kind === "DataUpload" ? this.#uploads.get(key) : this.#downloads.get(key);
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<Outcome> {
    await Promise.all([this.#uploads.synced(signal), this.#downloads.synced(signal)]);
    const [kind, key = ""] = name.split(" ");
    const movement = kind === "upload" ? this.#uploads.get(key) : this.#downloads.get(key);
    if (!movement) return;
    const running = [this.#preparations, this.#copies].some(
      (tasks) => tasks.isRunning(movement) || !tasks.isOpen(movement),
    );
    const step = planMovement(movement, { node: this.#deps.node, running });
    switch (step.do) {
      case "wait":
        return;
      case "ignore":
        return this.#ignore(movement);
      case "accept":
        return this.#accept(movement, signal);
      case "prepare":
      case "move":
        return this.#start(movement, step.do, signal);
      case "stop":
        this.#preparations.stop(movement, new Canceled(step.message));
        return this.#copies.stop(movement, new Canceled(step.message));
      case "end":
        return this.#end(movement, { state: step.state, message: step.message });
      case "release":
        return this.#release(movement, signal);
      case "watch":
        return this.#watch(movement, step.node, signal);
    }
  }

  #ignore({ kind, spec }: Movement): void {
    const mover = spec?.datamover ?? "";
    if (this.#ignored.has(mover) || this.#ignored.size >= 20) return;
    this.#ignored.add(mover);
    this.#options.log("info", `${kind}s of the data mover "${mover}" are left to it`);
  }

  /** Takes a movement, unless another agent is faster. */
  async #accept(movement: Movement, signal: AbortSignal): Promise<Outcome> {
    // What costs no request comes first: many may wait.
    if (this.#preparations.size >= preparing || this.#isQueueFull()) return { againAfterMs: againMs };
    const refusal = await this.#objects.refusalOf(movement, signal);
    if (refusal !== undefined) return this.#objects.leave(movement, refusal, signal);
    if (!isUpload(movement) && !(await targetOf(this.#deps, movement, signal)))
      return { againAfterMs: againMs };
    const { node, clock } = this.#deps;
    const { resourceVersion, finalizers = [], uid } = movement.metadata;
    const body = {
      metadata: {
        uid,
        resourceVersion, // one agent wins
        finalizers: [...new Set(finalizers).add(veleroNames.dataMovementFinalizer)],
        labels: { [veleroNames.exposeOngoing]: "true" },
      },
      status: {
        phase: "Accepted",
        acceptedByNode: node,
        acceptedTimestamp: formatTime(clock.now()),
        message: null, // why it was left alone before
      },
    };
    await this.#objects.patch(movement, body, signal);
  }

  /** Whether as many are under preparation in the cluster as the settings allow. */
  #isQueueFull(): boolean {
    const limit = this.#deps.settings.prepareQueueLength;
    if (limit === 0) return false;
    const all = [...this.#uploads.entries(), ...this.#downloads.entries()];
    return (
      all.filter(([, { metadata }]) => metadata.labels?.[veleroNames.exposeOngoing] === "true").length >=
      limit
    );
  }

  async #start(movement: Movement, what: "prepare" | "move", signal: AbortSignal): Promise<void> {
    const refusal = await this.#objects.refusalOf(movement, signal);
    // What was begun for somebody who no longer waits is taken back, not left half done.
    if (refusal !== undefined) return this.#end(movement, { state: "canceled", message: refusal });
    const { clock } = this.#deps;
    const [tasks, work] =
      what === "prepare"
        ? [this.#preparations, this.#prepare(movement)]
        : [this.#copies, this.#copy(movement)];
    const run = (stop: AbortSignal) =>
      work(stop).catch(async (error: unknown) => {
        // An end that could not be written is written after the next look, which is not at once.
        await sleep(clock, againMs, stop).catch(() => undefined);
        throw error;
      });
    tasks.start(movement, run, signal);
  }

  #prepare(movement: Movement): (signal: AbortSignal) => Promise<void> {
    const preparation = new Preparation({
      movement,
      deps: this.#deps,
      timeoutMs: this.#deps.prepareTimeoutMs,
      report: this.#options.report,
      end: (one, seen) => this.#end(one, seen),
    });
    return (signal) => preparation.run(signal);
  }

  #copy(movement: Movement): (signal: AbortSignal) => Promise<void> {
    const { report, slots } = this.#options;
    const deps = this.#deps;
    const copy = new Copy({
      object: movement,
      finalizer: veleroNames.dataMovementFinalizer,
      node: deps.node,
      clock: deps.clock,
      report,
      slots,
      begun: {
        metadata: { labels: { [veleroNames.exposeOngoing]: null } },
        ...(isUpload(movement) && { status: { nodeOS: "linux" } }),
      },
      transfer: (telling, stop) =>
        isUpload(movement)
          ? transferUpload(deps, movement, telling, stop)
          : transferDownload(deps, movement, telling, stop),
      unlock: async (stop) => {
        const key = movementKey(movement);
        await deps.mover(key.type).unlock(await readRepository(deps.client, deps.namespace, key, stop), stop);
      },
      ...(!isUpload(movement) && { complete: (telling, stop) => this.#rebind(movement, telling, stop) }),
      cleanUp: (telling) => {
        telling.step("cleanup", "its claim, pod and snapshot to be removed");
        return this.#cleanUp(movement);
      },
    });
    return (signal) => copy.run(signal);
  }

  async #rebind(download: DataDownload, telling: Telling, signal: AbortSignal): Promise<void> {
    const note = await noteRebind(this.#deps, download, signal);
    await rebind(
      this.#deps,
      download,
      note,
      (step, { message, cause }) => telling.step(step, message, cause),
      signal,
    );
  }

  /** Removes what a movement made; false when something stays. */
  async #cleanUp(movement: Movement): Promise<boolean> {
    try {
      // What was noted while it ran counts, too.
      const newest = await this.#objects.newest(movement, AbortSignal.timeout(cleanUpMs));
      await cleanUp(this.#deps, newest ?? movement, AbortSignal.timeout(cleanUpMs));
      return true;
    } catch (error) {
      this.#options.log("warning", `${keyOf(movement)}: not all is removed`, { error: messageOf(error) });
      return false;
    }
  }

  /** Removes what was made, and writes an end without a copy. */
  async #end(movement: Movement, seen: Partial<Observation>): Promise<void> {
    const { clock } = this.#deps;
    const how = seen.state === "failed" ? "failed" : "canceled";
    const broken = alongTrail(readTrail(movement) ?? {}, undefined, clock.now(), how);
    const cleaning = alongTrail(broken, "cleanup", clock.now());
    const isClean = await this.#cleanUp(movement);
    const end = {
      ...readCopy(movement),
      waitingFor: undefined,
      finishedAt: clock.now(),
      ...seen,
    };
    const { waitingFor: _, ...told } = end;
    const startTimestamp = movement.status?.startTimestamp ?? formatTime(clock.now());
    await this.#options.report.end(movement, told, {
      metadata: {
        finalizers: finalizersOf(movement, isClean),
        labels: { [veleroNames.exposeOngoing]: null },
        annotations: {
          ...writeStall(undefined).annotations,
          ...writeBusy(undefined).annotations,
          ...writeCarried(undefined).annotations,
          ...writeStep(undefined).annotations,
          ...writeTrail(alongTrail(cleaning, undefined, clock.now())).annotations,
        },
      },
      status: seen.state === "canceled" ? { startTimestamp } : {},
    });
    this.#copies.settle(movement);
  }

  /** Lets an ended movement be deleted when nothing of it is left. */
  async #release(movement: Movement, signal: AbortSignal): Promise<Outcome> {
    if (!(await this.#cleanUp(movement))) return { againAfterMs: lookOverMs };
    const { uid } = movement.metadata;
    await this.#objects.patch(
      movement,
      { metadata: { uid, finalizers: finalizersOf(movement, true) } },
      signal,
    );
  }

  /** Takes over from the agent of another node when that one is gone. */
  async #watch(movement: Movement, of: string, signal: AbortSignal): Promise<Outcome> {
    const { client, namespace, clock, node } = this.#deps;
    if (await agentLives(client, { namespace, node: of, nowMs: clock.now() }, signal)) {
      return { againAfterMs: lookOverMs };
    }
    this.#options.log("warning", `${keyOf(movement)} is taken over: no agent runs on node "${of}"`);
    const status = movement.status?.node ? { node } : { acceptedByNode: node };
    const { uid, resourceVersion } = movement.metadata;
    await this.#objects.patch(movement, { metadata: { uid, resourceVersion }, status }, signal);
  }
}

function keyOf({ kind, metadata: { namespace, name } }: Movement): string {
  return `${kind === "DataUpload" ? "upload" : "download"} ${namespace ?? ""}/${name}`;
}

function finalizersOf({ metadata: { finalizers = [] } }: Movement, isClean: boolean): readonly string[] {
  return isClean ? finalizers.filter((one) => one !== veleroNames.dataMovementFinalizer) : finalizers;
}

function withoutFields<T extends KubeObject>(object: T): T {
  const { managedFields: _fields, ...metadata } = object.metadata;
  return { ...object, metadata };
}
