import type { Backup, KubeObject, PodVolumeBackup, PodVolumeRestore, Restore } from "../api/index.ts";
import { parseTimeMs, veleroNames } from "../api/index.ts";
import type { MovementSettings } from "../engines/datapath/index.ts";
import {
  leaseEveryMs,
  type OpenMover,
  type PodObject,
  readRepository,
  renewLease,
  resources,
  uploaderOf,
} from "../engines/podvolume/index.ts";
import { isVolumeEnded, readVolume } from "../kinds/index.ts";
import {
  Canceled,
  type Client,
  type Clock,
  Controller,
  Informer,
  isNotFound,
  type Log,
  type Resource,
  StatusWriter,
  sleep,
  Tasks,
} from "../kube/index.ts";
import { definitionOf, endOrphans, orphans } from "../movers/index.ts";
import type { Observation } from "../progress/index.ts";
import { Reporter } from "../report/index.ts";
import { askerOf, refusalOf } from "./authority.ts";
import { Copy, type CopyOptions } from "./copy.ts";
import { Movements } from "./movements.ts";
import { planBackup, planRestore, type Step } from "./plan.ts";
import { podFacts } from "./pod-facts.ts";
import { serveProbes } from "./probes.ts";
import { copyIntervalMs } from "./share-of-writes.ts";
import { Slots } from "./slots.ts";
import { backupKey, measureBackup, restoreKey, transferBackup, transferRestore } from "./transfer.ts";

/** How an agent is run. */
export interface AgentOptions {
  readonly client: Client;
  /** The namespace of the server's own objects. */
  readonly namespace: string;
  readonly node: string;
  /** The kubelet's `pods` folder. */
  readonly hostPods: string;
  /** Volumes copied at a time. */
  readonly concurrency: number;
  readonly mover: OpenMover;
  /** How the data of snapshots is moved. */
  readonly movement: {
    readonly settings: MovementSettings;
    /** The image of the pods that hold volumes while they are copied. */
    readonly image: string;
    readonly pullPolicy: string;
    readonly prepareTimeoutMs: number;
  };
  /** What the movers' processes are marked with; those of an earlier life are ended at the start. */
  readonly owner: string;
  /** Where the kubelet asks whether it lives; nowhere when absent. */
  readonly probes?: { readonly hostname: string; readonly port: number } | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

type Target = PodVolumeBackup | PodVolumeRestore;

/** Runs the agent of a node until the signal fires. */
export async function startAgent(options: AgentOptions, signal: AbortSignal): Promise<void> {
  const ended = await endOrphans(options.owner);
  while ((await orphans(options.owner)).length > 0) await sleep(options.clock, 50, signal);
  if (ended > 0) options.log("warning", `ended ${ended} movers of an earlier life`);
  const agent = new Agent(options);
  const served = options.probes && (await serveProbes(options.probes, () => agent.isReady, signal));
  await agent.run(signal);
  await served?.closed;
}

class Agent {
  readonly #options: AgentOptions;
  readonly #slots: Slots;
  /** One volume at a time is measured: a look must not be a load. */
  readonly #measuring = new Slots(1);
  readonly #writer: StatusWriter;
  readonly #report: Reporter;
  readonly #controller: Controller;
  readonly #backups: Informer<PodVolumeBackup, PodVolumeBackup>;
  readonly #restores: Informer<PodVolumeRestore, PodVolumeRestore>;
  readonly #pods: Informer<KubeObject & PodObject, PodObject>;
  readonly #tasks: Tasks<Target>;
  readonly #movements: Movements;
  /** Copies that run in the whole cluster, by uid: bounded by the volumes that are copied at a time. */
  readonly #copying = new Set<string>();
  /** Whether it knows the volumes and pods of its node. */
  isReady = false;

  constructor(options: AgentOptions) {
    const { client, namespace, node, clock, log } = options;
    this.#options = options;
    this.#slots = new Slots(options.concurrency);
    this.#writer = new StatusWriter({
      client,
      clock,
      onDrop: (target, error) => log("error", `the status of ${target.name} cannot be written`, { error }),
    });
    const interval = () => copyIntervalMs(this.#copying.size);
    this.#report = new Reporter({ status: this.#writer, clock, interval: () => interval });
    this.#movements = new Movements({
      deps: { ...options, ...options.movement },
      report: this.#report,
      slots: this.#slots,
      log,
      onCopying: (movement, isCopying) => this.#count(idOf(movement), isCopying),
    });
    this.#tasks = new Tasks<Target>({
      isEnded: ({ status }) => isVolumeEnded(status),
      seen: (object) => this.#seen(object),
      // What changed meanwhile was not looked at.
      onSettled: (object) => this.#controller.add(nameOf(object)),
      onError: (object, error) => log("error", nameOf(object), { error }),
    });
    this.#controller = new Controller({
      clock,
      reconcile: (name, stop) => this.#reconcile(name, stop),
      onError: (name, error) => log("warning", name, { error }),
    });
    const watched = {
      client,
      clock,
      onError: (error: unknown) => log("warning", "a watch failed", { error }),
    };
    this.#backups = new Informer<PodVolumeBackup, PodVolumeBackup>({
      ...watched,
      resource: resources.podVolumeBackups,
      query: { namespace },
      project: withoutFields,
      onChange: (key, now, before) => this.#changed(`backup ${key}`, now, before),
    });
    this.#restores = new Informer<PodVolumeRestore, PodVolumeRestore>({
      ...watched,
      resource: resources.podVolumeRestores,
      query: { namespace },
      project: withoutFields,
      onChange: (key, now, before) => this.#changed(`restore ${key}`, now, before),
    });
    this.#pods = new Informer<KubeObject & PodObject, PodObject>({
      ...watched,
      resource: resources.pods as Resource,
      query: { fieldSelector: `spec.nodeName=${node}` },
      project: podFacts,
      onChange: (key, now) => this.#podChanged(key, now),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const synced = [this.#backups, this.#restores, this.#pods].map((each) => each.synced(signal));
    void Promise.all(synced).then(
      () => void (this.isReady = true),
      () => undefined, // told to stop before it knew them
    );
    try {
      await Promise.all([
        this.#backups.run(signal),
        this.#restores.run(signal),
        this.#pods.run(signal),
        this.#controller.run(signal),
        this.#movements.run(signal),
        this.#live(signal),
      ]);
    } finally {
      await this.#tasks.idle();
      await this.#writer.flush(AbortSignal.timeout(5_000)).catch(() => undefined); // the next life writes its own
      this.#writer.close();
    }
  }

  /** Says again and again that this agent lives. */
  async #live(signal: AbortSignal): Promise<void> {
    const { client, namespace, node, clock, log } = this.#options;
    const holder = `${node}/${process.pid}`;
    while (!signal.aborted) {
      await renewLease(client, { namespace, node, holder, nowMs: clock.now() }, signal).catch(
        (error: unknown) => {
          if (!signal.aborted) log("warning", "cannot renew the agent's lease", { error });
        },
      );
      await sleep(clock, leaseEveryMs, signal).catch(() => undefined); // told to stop: the loop sees it
    }
  }

  #changed(name: string, now: Target | undefined, before: Target | undefined): void {
    const object = now ?? before;
    if (object) this.#count(idOf(object), now?.status?.phase === "InProgress");
    this.#tasks.changed(now, before);
    this.#controller.add(name);
  }

  #count(id: string, isCopying: boolean): void {
    if (isCopying) this.#copying.add(id);
    else this.#copying.delete(id);
  }

  #seen({ kind, metadata: { namespace, name } }: Target): Target | undefined {
    return (kind === "PodVolumeBackup" ? this.#backups : this.#restores).get(`${namespace ?? ""}/${name}`);
  }

  #podChanged(key: string, now: PodObject | undefined): void {
    this.#movements.podChanged(key, now?.status?.phase === "Ending" ? undefined : now?.metadata.uid);
    for (const [name, { spec }] of this.#restores.entries()) {
      if (`${spec?.pod.namespace}/${spec?.pod.name}` === key) this.#controller.add(`restore ${name}`);
    }
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#backups.synced(signal),
      this.#restores.synced(signal),
      this.#pods.synced(signal),
    ]);
    const [kind, key = ""] = name.split(" ");
    const { node } = this.#options;
    if (kind === "backup") {
      const pvb = this.#backups.get(key);
      if (pvb) await this.#act(pvb, planBackup(pvb, { node, running: this.#isRunning(pvb) }), signal);
      return;
    }
    const pvr = this.#restores.get(key);
    if (!pvr) return;
    const pod = this.#targetOf(pvr);
    await this.#act(pvr, planRestore(pvr, { node, running: this.#isRunning(pvr), pod }), signal);
  }

  async #act(object: Target, step: Step, signal: AbortSignal): Promise<void> {
    switch (step.do) {
      case "wait":
        return;
      case "run": {
        const refusal = await this.#refusalOf(object, signal);
        return refusal === undefined ? this.#start(object, signal) : this.#leave(object, refusal, signal);
      }
      case "stop": {
        const why = object.metadata.deletionTimestamp === undefined ? "by request" : "the object is deleted";
        this.#tasks.stop(object, new Canceled(`canceled: ${why}`));
        return;
      }
      case "end":
        return this.#end(object, { state: step.state, message: step.message });
      case "complete": {
        const size = object.kind === "PodVolumeRestore" ? object.spec?.snapshotSize : undefined;
        const total = size || object.status?.progress?.totalBytes;
        const progress = total ? { progress: { unit: "bytes", done: total, total } as const } : {};
        return this.#end(object, { state: "completed", ...progress });
      }
      case "release":
        return this.#release(object, signal);
    }
  }

  /** Asks the API server itself: what a watch has not seen yet may be the very reason to run. */
  async #refusalOf(object: Target, signal: AbortSignal): Promise<string | undefined> {
    const { client, namespace } = this.#options;
    const asker = askerOf(object);
    const resource = object.kind === "PodVolumeBackup" ? resources.backups : resources.restores;
    const found =
      asker &&
      (await client
        .get<Backup | Restore>(resource, asker.name, { namespace }, signal)
        .catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        }));
    return refusalOf(object.kind, asker, found);
  }

  /** Leaves a copy alone, and says why in its status: once, since the same words are not written twice. */
  async #leave(object: Target, message: string, signal: AbortSignal): Promise<void> {
    if (object.status?.message === message) return;
    const { client, log } = this.#options;
    const { name, namespace, uid } = object.metadata;
    log("warning", `${object.kind} "${name}" is left alone: ${message}`);
    const body = { metadata: { uid }, status: { message } };
    await client.patch(resourceOf(object), name, { type: "merge", body }, { namespace }, signal);
  }

  #start(object: Target, signal: AbortSignal): void {
    const copy = new Copy(this.#copyOf(object));
    // An end that cannot be written does not bring the data back: the copy is over all the same, not begun anew.
    const run = (stop: AbortSignal) =>
      copy.run(stop).catch((error: unknown) => {
        if (!signal.aborted) this.#options.log("error", nameOf(object), { error });
      });
    this.#tasks.start(object, run, signal);
  }

  #copyOf(object: Target): CopyOptions {
    const { node, clock } = this.#options;
    const finalizer = veleroNames.podVolumeFinalizer;
    const common = { object, finalizer, node, clock, report: this.#report, slots: this.#slots };
    if (object.kind === "PodVolumeBackup") {
      return {
        ...common,
        transfer: (telling, stop) =>
          transferBackup(this.#options, object, this.#parentOf(object), telling, stop),
        measure: (stop) => this.#measuring.run(() => measureBackup(this.#options, object, stop), stop),
        unlock: (stop) => this.#unlock(backupKey(object), stop),
      };
    }
    return {
      ...common,
      transfer: (telling, stop) => transferRestore(this.#options, object, telling, stop),
      unlock: (stop) => this.#unlock(restoreKey(object), stop),
    };
  }

  async #unlock(key: ReturnType<typeof backupKey>, signal: AbortSignal): Promise<void> {
    const { client, namespace, mover } = this.#options;
    await mover(key.type).unlock(await readRepository(client, namespace, key, signal), signal);
  }

  /** The newest snapshot of the same claim in the same location, for movers that are told what to compare with. */
  #parentOf(pvb: PodVolumeBackup): string | undefined {
    const claim = pvb.metadata.labels?.[veleroNames.pvcUid];
    const uploader = uploaderOf(pvb.spec);
    if (claim === undefined || !definitionOf(uploader).upstream.takesParent) return undefined;
    const earlier = [...this.#backups.entries()]
      .map(([, other]) => other)
      .filter(
        ({ metadata, spec, status }) =>
          metadata.labels?.[veleroNames.pvcUid] === claim &&
          spec?.backupStorageLocation === pvb.spec?.backupStorageLocation &&
          uploaderOf(spec) === uploader &&
          status?.phase === "Completed" &&
          Boolean(status.snapshotID),
      );
    const at = ({ status }: PodVolumeBackup) => parseTimeMs(status?.completionTimestamp) ?? 0;
    return earlier.toSorted((a, b) => at(b) - at(a))[0]?.status?.snapshotID;
  }

  #targetOf({ spec }: PodVolumeRestore): PodObject | undefined {
    const pod = this.#pods.get(`${spec?.pod.namespace}/${spec?.pod.name}`);
    return pod?.metadata.uid === spec?.pod.uid ? pod : undefined;
  }

  #isRunning(object: Target): boolean {
    return this.#tasks.isRunning(object) || !this.#tasks.isOpen(object);
  }

  /** Writes an end without a copy, and lets the object be deleted. */
  async #end(object: Target, seen: Partial<Observation>): Promise<void> {
    const finalizers = this.#finalizersOf(object);
    const { clock } = this.#options;
    const end = { ...readVolume(object), finishedAt: clock.now(), ...seen };
    await this.#report.end(object, end, { metadata: { finalizers } });
  }

  /** Lets an object that has ended be deleted. */
  async #release(object: Target, signal: AbortSignal): Promise<void> {
    const { name, namespace, uid } = object.metadata;
    const body = { metadata: { uid, finalizers: this.#finalizersOf(object) } };
    await this.#options.client.patch(
      resourceOf(object),
      name,
      { type: "merge", body },
      { namespace },
      signal,
    );
  }

  #finalizersOf({ metadata: { finalizers = [] } }: Target): readonly string[] {
    return finalizers.filter((one) => one !== veleroNames.podVolumeFinalizer);
  }
}

function resourceOf({ kind }: Target): Resource {
  return kind === "PodVolumeBackup" ? resources.podVolumeBackups : resources.podVolumeRestores;
}

function nameOf({ kind, metadata: { namespace, name } }: Target): string {
  return `${kind === "PodVolumeBackup" ? "backup" : "restore"} ${namespace ?? ""}/${name}`;
}

function idOf({ metadata }: KubeObject): string {
  return metadata.uid ?? metadata.name;
}

function withoutFields<T extends KubeObject>(object: T): T {
  const { managedFields: _fields, ...metadata } = object.metadata;
  return { ...object, metadata };
}
