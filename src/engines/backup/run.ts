import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Backup } from "../../api/index.ts";
import { type BackupTold, lastPhase, type PlannedVolume } from "../../kinds/index.ts";
import { Canceled, findResource } from "../../kube/index.ts";
import type { StallCause } from "../../progress/index.ts";
import type { Store } from "../../store/index.ts";
import { timestamp } from "./admission.ts";
import { ArchiveWriter } from "./archive.ts";
import type { ClaimSnapshots } from "./claim-snapshots.ts";
import { Collector } from "./collect.ts";
import { type Filters, filtersOf, listsType, typeName } from "./filters.ts";
import type { ItemActions, OpenItemActions } from "./item-actions.ts";
import type { ItemNumbers } from "./item-count.ts";
import { AllOperations, type ItemOperationsContext, type OpenItemOperations } from "./item-operations.ts";
import type { NamespaceFacts } from "./namespaces.ts";
import { tellOddTypes } from "./odd-types.ts";
import { PodBlocks } from "./pod-blocks.ts";
import { PodItems, type RunInPod } from "./pod-items.ts";
import { type Policies, volumeAction, wantedClass } from "./policies.ts";
import { tellUnprotected } from "./protection.ts";
import { RunLog } from "./run-log.ts";
import type { OpenSnapshots, Snapshots, StoredSnapshot } from "./snapshots.ts";
import { type ResourceType, readItem, type Source } from "./source.ts";
import { GzipSpool } from "./spool.ts";
import { type StoredFile, uploadFiles } from "./upload.ts";
import { type InfoSources, type VolumeInfo, volumeInfos } from "./volume-info.ts";
import { planVolumes } from "./volume-plan.ts";
import type { OpenPodVolumes, PodVolumes } from "./volumes.ts";

/** What a run needs. */
export interface RunOptions {
  /** Admitted: defaults applied, phase InProgress. */
  readonly backup: Backup;
  readonly source: Source;
  readonly store: Store;
  readonly policies: Policies;
  readonly openPodVolumes: OpenPodVolumes;
  readonly openSnapshots?: OpenSnapshots | undefined;
  readonly openClaimSnapshots?: OpenItemOperations<ClaimSnapshots> | undefined;
  readonly openOperations?: readonly OpenItemOperations[] | undefined;
  readonly openItemActions?: OpenItemActions | undefined;
  readonly runInPod: RunInPod;
  /** Where the tarball is spooled before it is uploaded. */
  readonly tempDir: string;
  readonly now: () => number;
  /** Told of each line of the log as it is written. */
  readonly onLine?: ((line: string) => void) | undefined;
  /** Told how large the archive is, once it is whole. */
  readonly onArchive?: ((bytes: number) => void) | undefined;
  /** Numbers are those of this run; what earlier runs reached is kept by whoever folds them. */
  readonly onProgress: (told: BackupTold, facts: Readonly<Record<string, unknown>>) => void;
}

/** How a run ended: the status to write. */
export type RunStatus = NonNullable<Backup["status"]>;

/** Runs a backup from its first list to its last file. The store shows nothing of it until everything is there. */
export async function runBackup(options: RunOptions, signal: AbortSignal): Promise<RunStatus> {
  const { uid, name } = options.backup.metadata;
  // Named after the backup, so that what a killed operator left is removed by the next one.
  const folder = join(options.tempDir, `headway-backup-${uid ?? name}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700, recursive: true });
  try {
    return await new Run(options, folder).go(signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Parts {
  readonly served: readonly ResourceType[];
  readonly filters: Filters;
  readonly volumes: PodVolumes;
  readonly snapshots: Snapshots | undefined;
  readonly claimSnapshots: ClaimSnapshots | undefined;
}

class Run {
  readonly #options: RunOptions;
  readonly #folder: string;
  readonly #log: RunLog;
  readonly #archive: ArchiveWriter;
  #step: BackupTold["step"] = "collect";
  #present: string | undefined;
  #waitingFor: string | undefined;
  #waitingCause: StallCause | undefined;
  #upload: { done: number; total: number } | undefined;
  #volumes: PodVolumes | undefined;
  /** Volumes of pods whose turn has not come. */
  #planned: readonly PlannedVolume[] = [];
  #snapshots: Snapshots | undefined;
  #claims: ClaimSnapshots | undefined;
  #operations = new AllOperations([]);
  #actions: ItemActions | undefined;
  /** What the status says about a run whose items are done. */
  #stage: "waiting" | "finishing" | undefined;
  #pods: PodItems | undefined;
  #collector: Collector | undefined;

  constructor(options: RunOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    const { name, namespace } = options.backup.metadata;
    this.#log = new RunLog(join(folder, "log.gz"), `${namespace}/${name}`, options.now, options.onLine);
    this.#archive = new ArchiveWriter(join(folder, "contents.tar.gz"), options.now());
  }

  async go(signal: AbortSignal): Promise<RunStatus> {
    try {
      const { backup, openSnapshots } = this.#options;
      const context = { backup, moved: () => this.#tell() };
      const { served, filters } = await this.#discover(signal);
      const volumes = await this.#openVolumes(filters, signal);
      const snapshots = await openSnapshots?.(context, signal);
      this.#snapshots = snapshots;
      const claimSnapshots = await this.#openOperations(context, served, signal);
      await this.#collect({ served, filters, volumes, snapshots, claimSnapshots }, signal);
      this.#step = "volumes";
      this.#tell();
      await volumes.finish(this.#log, signal);
      await snapshots?.finish(this.#log, signal);
      await this.#finishOperations(signal);
      return await this.#save(volumes, snapshots, signal);
    } catch (error) {
      // When the operator itself ends, the copies go on and the next operator finds them.
      const leaving = signal.aborted && !(signal.reason instanceof Canceled);
      // The reason of the failure is the one to tell, not that of cleaning up after it.
      if (!leaving) {
        const all = [this.#volumes, this.#snapshots, this.#operations];
        await Promise.allSettled(all.flatMap((one) => (one ? [one.cancel()] : [])));
      }
      throw error;
    } finally {
      this.#archive.destroy();
      this.#log.destroy();
      await this.#actions?.close();
    }
  }

  async #discover(signal: AbortSignal) {
    const { backup, source, policies } = this.#options;
    const { resources: served, failed } = await source.discover(signal);
    const { lists, rules } = policies;
    const filters = filtersOf(backup.spec ?? {}, (word) => findResource(served, word), lists, rules);
    tellOddTypes(filters, { served, failed }, this.#log);
    return { served, filters };
  }

  async #openVolumes(filters: Filters, signal: AbortSignal): Promise<PodVolumes> {
    const { backup, policies, openPodVolumes } = this.#options;
    this.#volumes = await openPodVolumes(
      {
        backup,
        policy: (facts) => volumeAction(policies, facts),
        takesClaims: listsType(filters, { group: "", plural: "persistentvolumeclaims", namespaced: true }),
        moved: () => this.#tell(),
        doing: (what) => {
          this.#present = what;
          this.#tell();
        },
      },
      signal,
    );
    return this.#volumes;
  }

  async #openOperations(
    context: ItemOperationsContext,
    served: readonly ResourceType[],
    signal: AbortSignal,
  ) {
    const { openClaimSnapshots, openOperations = [], openItemActions, store } = this.#options;
    this.#actions = await openItemActions?.(
      {
        ...context,
        store,
        resolve: (word) => nameOfType(findResource(served, word)),
        waiting: (what, cause) => this.#wait(what, cause),
      },
      signal,
    );
    const claims = await openClaimSnapshots?.(context, signal);
    this.#claims = claims;
    const others = await Promise.all(openOperations.map((open) => open(context, signal)));
    const plugins = this.#actions ? [this.#actions] : [];
    this.#operations = new AllOperations([...(claims ? [claims] : []), ...others, ...plugins]);
    return claims;
  }

  /** Waits for what works on single items, and stores what could be stored only after it. */
  async #finishOperations(signal: AbortSignal): Promise<void> {
    if (this.#operations.list().length > 0) this.#stage = "waiting";
    this.#tell();
    await this.#operations.finish(this.#log, signal);
    await this.#collector?.late(this.#operations.lateItems(), signal);
    await this.#collector?.final(signal);
  }

  async #collect(parts: Parts, signal: AbortSignal): Promise<void> {
    const { backup, source, runInPod, policies } = this.#options;
    const { served, filters, volumes, snapshots, claimSnapshots } = parts;
    const pods = new PodItems({
      backup,
      volumes,
      claimSnapshots,
      runInPod,
      found: this.#log,
      info: (message, pod) => this.#log.info(message, { resource: "pods", ...pod }),
      onPod: ({ namespace, name }) => {
        this.#planned = this.#planned.filter((one) => one.namespace !== namespace || one.pod !== name);
      },
      onWait: (what) => this.#wait(what),
    });
    this.#pods = pods;
    const namespaces = await readNamespaces(source, served, signal);
    this.#collector = new Collector({
      backup,
      source,
      filters,
      served,
      namespaces,
      archive: this.#archive,
      warnings: this.#log.warnings,
      errors: this.#log.errors,
      info: (message) => this.#log.info(message),
      actions: this.#actions,
      pods,
      blocks: new PodBlocks({ backup, source, errors: this.#log.errors }),
      snapshots,
      claimSnapshots,
      volumeAction: policies.volumes.length > 0 ? (facts) => volumeAction(policies, facts) : undefined,
      wantedClass: (facts) => wantedClass(policies, facts),
      onMove: (present) => {
        this.#present = present;
        this.#tell();
      },
      onListed: async (jobs) => {
        this.#planned = await planVolumes({ source, filters, volumes }, jobs, signal);
        // A policy may leave all of them out: then nothing is to be made for them.
        if (policies.volumes.length === 0) volumes.prepare?.(signal);
      },
      onCounted: () => {
        this.#step = "items";
        this.#log.info(`${this.#collector?.count.numbers().total} items are expected`);
        this.#tell();
      },
    });
    await this.#collector.run(signal);
    const { held } = this.#collector;
    const kept = { ...held.kept(), copied: pods.copied, left: pods.left };
    const seen = { claims: held.claims, volumes: held.volumes.map(({ name }) => name) };
    tellUnprotected(seen, backup.spec, kept, this.#log);
    this.#log.info(`stored ${this.#collector.inventory.count} items`);
  }

  async #save(
    volumes: PodVolumes,
    snapshots: Snapshots | undefined,
    signal: AbortSignal,
  ): Promise<RunStatus> {
    const { backup, store, now } = this.#options;
    this.#step = "finish";
    if (this.#stage) this.#stage = "finishing";
    this.#present = undefined;
    this.#tell();
    const contents = { path: this.#archive.path, bytes: await this.#archive.close() };
    this.#options.onArchive?.(contents.bytes);
    const list = await this.#resourceList();
    const native = snapshots?.list() ?? [];
    const status = { ...this.#status(timestamp(now())), ...snapshotCounts(native), ...this.#counts() };
    this.#log.info(`the backup ends as ${status.phase}`);
    const log = { path: this.#log.path, bytes: await this.#log.close() };
    const json = (file: StoredFile["file"], value: unknown) => ({ file, from: { json: value } });
    const copies = volumes.list();
    const objects = snapshots?.objects() ?? [];
    const files: StoredFile[] = [
      { file: "log", from: log },
      { file: "contents", from: contents },
      { file: "resourceList", from: list },
      json("podVolumeBackups", copies),
      json("volumeSnapshots", native),
      ...(objects.length > 0 ? [json("volumePluginBackups", objects)] : []),
      json(
        "itemOperations",
        this.#operations.list().map(({ stored }) => stored),
      ),
      json("results", { errors: this.#log.errors.result(), warnings: this.#log.warnings.result() }),
      json("volumeInfo", this.#volumeInfos({ copies, native, plugins: objects })),
      // Last: its presence is what makes this a backup.
      json("metadata", { ...backup, status: { ...backup.status, ...status } }),
    ];
    const name = backup.metadata.name;
    await uploadFiles(store, name, files, (done, total) => this.#uploaded(done, total), signal);
    await this.#actions?.forget(signal);
    return status;
  }

  #volumeInfos(kept: InfoSources): readonly VolumeInfo[] {
    const seen = this.#collector?.held.volumes ?? [];
    return volumeInfos(seen, { ...kept, csi: this.#claims?.volumeInfos(seen) });
  }

  /** The counters of the status that tell of operations and CSI snapshots. */
  #counts(): Partial<RunStatus> {
    return { ...this.#operations.counts(), ...this.#claims?.counts() };
  }

  #uploaded(done: number, total: number): void {
    this.#upload = { done, total };
    this.#tell();
  }

  async #resourceList(): Promise<{ path: string; bytes: number }> {
    const spool = new GzipSpool(join(this.#folder, "resource-list.json.gz"));
    for (const piece of this.#collector?.inventory.json() ?? []) await spool.write(Buffer.from(piece));
    return { path: spool.path, bytes: await spool.close() };
  }

  #status(completionTimestamp: string): RunStatus {
    const { done, failed } = this.#numbers();
    const { warnings, errors } = this.#log;
    return {
      phase: errors.count > 0 ? "PartiallyFailed" : "Completed",
      completionTimestamp,
      progress: { totalItems: done + failed, itemsBackedUp: done },
      hookStatus: this.#pods?.hookStatus ?? {},
      ...(warnings.count > 0 && { warnings: warnings.count }),
      ...(errors.count > 0 && { errors: errors.count }),
    } as RunStatus; // hookStatus and progress leave zeros out, as upstream does
  }

  #numbers(): ItemNumbers {
    return this.#collector?.count.numbers() ?? { done: 0, failed: 0 };
  }

  #wait(what: string | undefined, cause?: StallCause): void {
    if (what !== undefined && what !== this.#waitingFor) this.#log.info(`waiting for ${what}`);
    this.#waitingFor = what;
    this.#waitingCause = cause;
    this.#tell();
  }

  #tell(): void {
    const told: BackupTold = {
      step: this.#step,
      items: this.#numbers(),
      present: this.#present,
      waitingFor: this.#waitingFor,
      waitingCause: this.#waitingCause,
      volumes: [...(this.#volumes?.list() ?? []), ...(this.#snapshots?.objects() ?? [])],
      operations: this.#operations.list().map(({ seen }) => seen),
      planned: this.#planned,
      upload: this.#upload,
      warnings: this.#log.warnings.count,
      errors: this.#log.errors.count,
    };
    const phase = this.#stage && { phase: lastPhase(this.#stage, this.#log.errors.count) };
    this.#options.onProgress(told, { ...phase, ...this.#counts() });
  }
}

function nameOfType(type: ResourceType | undefined): string | undefined {
  return type && typeName(type);
}

/** Native snapshots as the backup's status counts them: zeros are left out. */
function snapshotCounts(native: readonly StoredSnapshot[]): Partial<RunStatus> {
  const completed = native.filter(({ status }) => status.phase === "Completed").length;
  return {
    ...(native.length > 0 && { volumeSnapshotsAttempted: native.length }),
    ...(completed > 0 && { volumeSnapshotsCompleted: completed }),
  };
}

/** The namespaces of the cluster, names and labels only. They are held for the run; a cluster has thousands at most. */
export async function readNamespaces(
  source: Source,
  served: readonly ResourceType[],
  signal: AbortSignal,
): Promise<NamespaceFacts[]> {
  const type = served.find((one) => one.preferred && typeName(one) === "namespaces");
  if (!type) return [];
  const found: NamespaceFacts[] = [];
  for await (const page of source.rawPages(type, {}, signal)) {
    for (const raw of page.items) {
      const { metadata, status } = readItem(raw);
      const { phase } = (status ?? {}) as { phase?: string }; // the server's own shape
      found.push({ name: metadata.name, active: phase !== "Terminating", labels: metadata.labels ?? {} });
    }
  }
  return found;
}
