import { type Backup, type DataUpload, parseGoDurationMs, veleroNames } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { isVolumeEnded, readVolume, tellSnapshot } from "../../kinds/index.ts";
import { type Client, type Clock, isForbidden, isNotFound, type Log, sleep } from "../../kube/index.ts";
import { advance, type ClaimRun, entered, failedRun, type Limits } from "./claim-run.ts";
import { cancelUploads, removeSnapshot, snapshotsOf } from "./clean-up.ts";
import { type ClaimFacts, csiNames, snapshotNameOf, uploadIdOf } from "./objects.ts";
import { chooseClass, type SnapshotClass } from "./snapshot-class.ts";
import { SnapshotCluster } from "./snapshot-cluster.ts";
import {
  type Item,
  lateItems,
  storedClaim,
  storedOperation,
  type Times,
  type VolumeSeen,
  volumeInfo,
} from "./stored.ts";

/** What snapshots of claims need of the operator. */
export interface CsiDeps {
  readonly client: Client;
  /** The namespace of the server's own objects. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How often the snapshots on their way are looked at. */
  readonly pollMs?: number;
}

interface Findings {
  add(
    subject: { readonly resource?: string; readonly namespace?: string | undefined; readonly name?: string },
    message: string,
    error?: string,
  ): void;
}

/** What a run of a backup says about itself. */
interface RunContext {
  readonly backup: Backup;
  readonly moved: () => void;
}

/** One claim on its way. */
interface Entry {
  run: ClaimRun;
  readonly times: { startedAt: number; updatedAt: number };
  /** The moment of the snapshot has passed, or it never comes. */
  readonly taken: PromiseWithResolvers<void>;
  readonly ended: PromiseWithResolvers<void>;
}

/** So many snapshots are asked for at a time; a driver takes them one by one anyway. */
const atATime = 20;
const tenMinutesMs = 600_000;
const fourHoursMs = 4 * 3_600_000;

/** Opens the snapshots of one backup's run; what an earlier run began is found again. */
export function claimSnapshots(deps: CsiDeps) {
  return async (context: RunContext, signal: AbortSignal): Promise<BackupClaims> => {
    const run = new BackupClaims(deps, context, signal);
    await run.open();
    return run;
  };
}

/** The snapshots of one backup's claims. Bounded by their number. */
class BackupClaims {
  readonly #deps: CsiDeps;
  readonly #context: RunContext;
  readonly #signal: AbortSignal;
  readonly #moves: boolean;
  readonly #limits: Limits;
  readonly #cluster: SnapshotCluster;
  /** By `namespace/name`. */
  readonly #entries = new Map<string, Entry>();
  readonly #remarks = new Set<string>();
  #classes: readonly SnapshotClass[] = [];
  /** Why this cluster takes no snapshots of claims; undefined when it does. */
  #unable: string | undefined;
  #isServed = false;
  #uploads: readonly DataUpload[] = [];
  #isWatching = false;

  constructor(deps: CsiDeps, context: RunContext, signal: AbortSignal) {
    this.#deps = deps;
    this.#context = context;
    this.#signal = signal;
    const { spec } = context.backup;
    this.#cluster = new SnapshotCluster(deps, context.backup);
    this.#moves = spec?.snapshotMoveData === true;
    this.#limits = {
      snapshotMs: parseGoDurationMs(spec?.csiSnapshotTimeout ?? "") || tenMinutesMs,
      operationMs: parseGoDurationMs(spec?.itemOperationTimeout ?? "") || fourHoursMs,
    };
  }

  async open(): Promise<void> {
    try {
      this.#classes = await this.#cluster.classes(this.#signal);
      this.#isServed = true;
    } catch (error) {
      if (isForbidden(error)) this.#unable = `VolumeSnapshotClasses cannot be read: ${messageOf(error)}`;
      else if (!isNotFound(error)) throw error;
      this.#isServed = isForbidden(error);
    }
    if (this.#isServed && this.#moves) this.#uploads = await this.#cluster.uploads(this.#signal);
  }

  covers(volume: Item): boolean {
    const { csi } = (volume["spec"] ?? {}) as { csi?: object }; // the server's own shape
    return this.#isServed && csi !== undefined && csi !== null;
  }

  async take(
    item: Item,
    volume: Item,
    found: { readonly errors: Findings; readonly warnings: Findings; snapshotClass?: string | undefined },
    signal: AbortSignal,
  ): Promise<"begun" | { readonly skipped: string; readonly isTold?: boolean }> {
    const claim = factsOf(item);
    if (this.#unable !== undefined) return { skipped: this.#unable };
    if (claim.storageClass === "")
      return { skipped: "the claim has no storage class, so that its CSI driver is not known" };
    const driver = await this.#cluster.provisioner(claim.storageClass, signal);
    if (driver === undefined) return { skipped: `StorageClass "${claim.storageClass}" does not exist` };
    const { annotations: backup } = this.#context.backup.metadata;
    const wishes = { driver, claim: item.metadata.annotations, policy: found.snapshotClass, backup };
    const choice = chooseClass(this.#classes, wishes);
    if ("fault" in choice) return { skipped: choice.fault };
    this.#remark(choice.remark, claim, found.warnings);
    this.#warnOfGroup(claim, found.warnings);
    this.#enter(claim, volume.metadata.name, choice.name);
    await this.#start(signal);
    return "begun";
  }

  async taken(claims: readonly string[], signal: AbortSignal): Promise<void> {
    const wanted = claims.flatMap((key) => this.#entries.get(key)?.taken.promise ?? []);
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([Promise.all(wanted), stopped.promise]);
    signal.removeEventListener("abort", stop);
    signal.throwIfAborted();
  }

  async finish(found: { readonly errors: Findings }, _signal: AbortSignal): Promise<void> {
    for (const { ended } of this.#entries.values()) await ended.promise;
    this.#signal.throwIfAborted();
    for (const { run } of this.#entries.values()) {
      if (run.stage !== "failed") continue;
      const { namespace, name } = run.claim;
      const subject = { resource: "persistentvolumeclaims", namespace, name };
      const what = run.upload ? "the data of its snapshot was not moved" : "its CSI snapshot failed";
      found.errors.add(subject, what, run.error ?? "");
    }
  }

  list() {
    const { backup } = this.#context;
    return [...this.#entries.values()].map(({ run, times }) => ({
      stored: storedOperation(backup, run, times),
      seen: run.upload ? readVolume(run.upload) : tellSnapshot(backup, told(run, times)),
    }));
  }

  storedClaim(claim: Item): Item {
    const entry = this.#entries.get(keyOf(factsOf(claim)));
    return entry ? storedClaim(claim, this.#context.backup, entry.run) : claim;
  }

  lateItems() {
    const all = [...this.#entries.values()].flatMap(({ run }) => lateItems(run, this.#classes));
    return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  }

  volumeInfos(volumes: readonly VolumeSeen[]) {
    const { backup } = this.#context;
    return [...this.#entries.values()].map(({ run, times }) => volumeInfo(backup, run, times, volumes));
  }

  counts(): Readonly<Record<string, number>> {
    const kept = [...this.#entries.values()].filter(({ run }) => !run.moves && run.stage !== "queued");
    const done = kept.filter(({ run }) => run.stage === "done").length;
    return {
      ...(kept.length > 0 && { csiVolumeSnapshotsAttempted: kept.length }),
      ...(done > 0 && { csiVolumeSnapshotsCompleted: done }),
    };
  }

  /** The backup is stored: the storage keeps the snapshots, and the cluster forgets them. What was moved is kept by nobody else. */
  async settle(signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    if (!this.#isServed) return;
    for (const snapshot of await snapshotsOf(client, this.#context.backup, signal))
      await removeSnapshot(client, snapshot, this.#moves ? "Delete" : "Retain", signal);
  }

  async cancel(): Promise<void> {
    if (!this.#isServed) return;
    const { client } = this.#deps;
    const { backup } = this.#context;
    const late = AbortSignal.timeout(60_000);
    if (this.#moves) await cancelUploads(client, backup, ({ status }) => !isVolumeEnded(status), late);
    for (const snapshot of await snapshotsOf(client, backup, late))
      await removeSnapshot(client, snapshot, "Delete", late);
  }

  #remark(remark: string | undefined, { namespace, name }: ClaimFacts, warnings: Findings): void {
    if (remark === undefined || this.#remarks.has(remark)) return;
    this.#remarks.add(remark);
    warnings.add({ resource: "persistentvolumeclaims", namespace, name }, remark);
  }

  #warnOfGroup({ labels, namespace }: ClaimFacts, warnings: Findings): void {
    const key = this.#context.backup.spec?.volumeGroupSnapshotLabelKey ?? veleroNames.volumeGroup;
    if (!labels[key]) return;
    const remark = `claims with the label ${key} are not snapshotted as a group: each has a moment of its own`;
    this.#remark(remark, { labels, namespace, name: "", uid: "", storageClass: "" }, warnings);
  }

  #enter(claim: ClaimFacts, volume: string, className: string): void {
    const { clock } = this.#deps;
    const { backup } = this.#context;
    const nowMs = clock.monotonic();
    const upload = this.#moves ? this.#earlierUpload(claim) : undefined;
    const run: ClaimRun = {
      claim,
      volume,
      className,
      snapshotName: upload?.spec?.csiSnapshot?.volumeSnapshot ?? snapshotNameOf(backup, claim),
      moves: this.#moves,
      stage: upload ? "moving" : "queued",
      sinceMs: nowMs,
      begunMs: nowMs,
      missed: 0,
      ...(upload && { upload }),
    };
    const entry: Entry = {
      run,
      times: { startedAt: clock.now(), updatedAt: clock.now() },
      taken: Promise.withResolvers(),
      ended: Promise.withResolvers(),
    };
    if (upload) entry.taken.resolve();
    this.#entries.set(keyOf(claim), entry);
  }

  #earlierUpload(claim: ClaimFacts): DataUpload | undefined {
    const id = uploadIdOf(this.#context.backup, claim.uid);
    return this.#uploads.find(({ metadata }) => metadata.labels?.[csiNames.operationId] === id);
  }

  /** Asks for the snapshots whose turn it is, and sees to it that somebody looks at them. */
  async #start(signal: AbortSignal): Promise<void> {
    const all = [...this.#entries.values()];
    let free = atATime - all.filter(({ run }) => run.stage === "taking").length;
    for (const entry of all) {
      if (entry.run.stage !== "queued" || free <= 0) continue;
      free -= 1;
      await this.#ask(entry, signal);
    }
    if (this.#isWatching) return;
    this.#isWatching = true;
    void this.#watch();
  }

  async #ask(entry: Entry, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const { claim, className } = entry.run;
    this.#put(entry, entered(entry.run, "taking", clock.monotonic()));
    try {
      await this.#cluster.ask(claim, className, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#put(entry, failedRun(entry.run, messageOf(error), clock.monotonic()));
    }
  }

  /** Looks until nothing is on its way; what is wrong with one look may be right with the next. */
  async #watch(): Promise<void> {
    const { clock, pollMs = 1000, log } = this.#deps;
    const isOpen = ({ run }: Entry) => run.stage !== "done" && run.stage !== "failed";
    try {
      while ([...this.#entries.values()].some(isOpen)) {
        await sleep(clock, pollMs, this.#signal);
        await this.#look().catch((error: unknown) => {
          this.#signal.throwIfAborted();
          log("warning", "the snapshots of a backup cannot be looked at", { error: messageOf(error) });
        });
      }
    } catch {
      // The run was told to stop: whoever waits looks at the signal.
      for (const { taken, ended } of this.#entries.values()) {
        taken.resolve();
        ended.resolve();
      }
    }
    this.#isWatching = false;
  }

  /** One list of each kind tells of all claims, however many there are. */
  async #look(): Promise<void> {
    const { clock } = this.#deps;
    const open = [...this.#entries.values()];
    const isTaken = open.some(({ run }) => run.stage === "taking" || run.stage === "readying");
    const found = isTaken ? await this.#cluster.snapshots(this.#signal) : undefined;
    if (open.some(({ run }) => run.stage === "moving"))
      this.#uploads = await this.#cluster.uploads(this.#signal);
    for (const entry of open) {
      const { run } = entry;
      const snapshot = found?.snapshots.get(`${run.claim.namespace}/${run.snapshotName}`);
      const content = await this.#cluster.contentOf(snapshot, found?.contents, this.#signal);
      const seen = { snapshot, content, upload: this.#earlierUpload(run.claim) };
      const next = advance(run, seen, this.#limits, clock.monotonic());
      if (next !== run) await this.#step(entry, next);
    }
    await this.#start(this.#signal);
  }

  async #step(entry: Entry, next: ClaimRun): Promise<void> {
    const before = entry.run.stage;
    if (next.stage === before) return this.#put(entry, next);
    if (next.stage === "readying") {
      entry.taken.resolve();
      if (next.moves) return this.#move(entry, next);
    }
    if (next.stage === "done" && !next.moves) await this.#cluster.annotate(next, this.#signal);
    if (next.stage === "failed") await this.#giveUp(next);
    this.#put(entry, next);
  }

  /** The snapshot is taken, and its data is to be copied out of it. */
  async #move(entry: Entry, run: ClaimRun): Promise<void> {
    const nowMs = this.#deps.clock.monotonic();
    try {
      const upload = await this.#cluster.upload(run, this.#signal);
      this.#put(entry, { ...entered(run, "moving", nowMs), upload });
    } catch (error) {
      this.#signal.throwIfAborted();
      const failed = failedRun(run, `no DataUpload could be made: ${messageOf(error)}`, nowMs);
      await this.#giveUp(failed);
      this.#put(entry, failed);
    }
  }

  /** What came to nothing leaves nothing behind. */
  async #giveUp(run: ClaimRun): Promise<void> {
    const { client, log } = this.#deps;
    const { backup } = this.#context;
    try {
      const mine = ({ metadata }: DataUpload) => metadata.name === run.upload?.metadata.name;
      const isOpen = (one: DataUpload) => mine(one) && !isVolumeEnded(one.status);
      if (run.upload) await cancelUploads(client, backup, isOpen, this.#signal);
      else if (run.snapshot) await removeSnapshot(client, run.snapshot, "Delete", this.#signal);
    } catch (error) {
      this.#signal.throwIfAborted();
      log("warning", `what the snapshot of claim "${keyOf(run.claim)}" left cannot be removed`, {
        error: messageOf(error),
      });
    }
  }

  #put(entry: Entry, run: ClaimRun): void {
    entry.run = run;
    entry.times.updatedAt = this.#deps.clock.now();
    if (run.stage === "failed" || run.stage === "done") {
      entry.taken.resolve();
      entry.ended.resolve();
    }
    this.#context.moved();
  }
}

function keyOf({ namespace, name }: ClaimFacts): string {
  return `${namespace}/${name}`;
}

function factsOf(item: Item): ClaimFacts {
  const { name, namespace = "", labels } = item.metadata;
  const { uid = "" } = item.metadata as { uid?: string }; // the server's own shape
  const { storageClassName = "" } = (item["spec"] ?? {}) as { storageClassName?: string }; // likewise
  return { namespace, name, uid, labels: labels ?? {}, storageClass: storageClassName };
}

function told({ claim, stage, moves, trouble, error }: ClaimRun, { startedAt, updatedAt }: Times) {
  return {
    namespace: claim.namespace,
    claim: claim.name,
    stage: stage === "moving" ? ("done" as const) : stage,
    moves,
    ...(stage !== "queued" && { startedAt }),
    ...((stage === "done" || stage === "failed") && { finishedAt: updatedAt }),
    trouble,
    error,
  };
}
