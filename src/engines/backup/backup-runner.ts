import type { Backup, BackupStorageLocation, VolumeSnapshotLocation } from "../../api/index.ts";
import { kinds, readStoredBackup, veleroNames } from "../../api/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import { isRunUnderWay, tellBackup, tellEnd } from "../../kinds/index.ts";
import { builtIn, Canceled, isNotFound, isPassing, labelValue, resourceOf, sleep } from "../../kube/index.ts";
import { backupKey, type Store, storedMetadata } from "../../store/index.ts";
import { type Admission, admit, timestamp } from "./admission.ts";
import type { BackupDeps } from "./deps.ts";
import { AllOperations } from "./item-operations.ts";
import { noPolicies, type Policies, readPolicies } from "./policies.ts";
import { phaseOf } from "./queue.ts";
import { readNamespaces, runBackup } from "./run.ts";
import { removeBackup } from "./upload.ts";

type Status = NonNullable<Backup["status"]>;

const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);
const snapshotLocations = resourceOf(kinds.VolumeSnapshotLocation);
const configMaps = builtIn.configMaps;

/** A run that fails because the cluster or the store is away is tried again for this long. */
const patienceMs = 10 * 60_000;

/** Takes one backup from whatever phase it is in to its end. */
export class BackupRunner {
  readonly #deps: BackupDeps;

  constructor(deps: BackupDeps) {
    this.#deps = deps;
  }

  /** Runs a backup; returns when its last status is written, throws when that was not possible. */
  async run(found: Backup, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    const since = clock.monotonic();
    const run = { backup: found };
    for (let wait = 1_000; ; wait = Math.min(30_000, wait * 2)) {
      try {
        return await this.#once(run, signal);
      } catch (error) {
        if (signal.aborted) return this.#stopped(run.backup, signal);
        if (!mayPass(error) || clock.monotonic() - since > patienceMs)
          return this.#fail(run.backup, messageOf(error), signal);
        log("warning", `backup "${found.metadata.name}" is tried again`, { error: messageOf(error) });
        await sleep(clock, wait, signal).catch(() => undefined); // told to stop: the next try sees it
      }
    }
  }

  /** Ends a backup that was canceled while nothing of it ran. */
  async drop(found: Backup, signal: AbortSignal): Promise<void> {
    await this.#fail(found, "canceled by request", signal, true);
  }

  async #once(run: { backup: Backup }, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#deps;
    const found = run.backup;
    const all = await client.list<BackupStorageLocation>(locations, { namespace }, signal);
    const policies = await this.#policies(found, signal);
    if (!isRunUnderWay(phaseOf(found))) {
      const admission = await this.#admit(found, all, policies, signal);
      if (admission.faults.length > 0) return this.#refuse(found, admission, signal);
      run.backup = await this.#begin(found, admission, signal);
    }
    const started = run.backup;
    const location = all.find(({ metadata }) => metadata.name === started.spec?.storageLocation);
    if (!location) {
      return this.#fail(found, `the storage location "${started.spec?.storageLocation}" is gone`, signal);
    }
    const store = await this.#open(location, signal);
    const before = await storedBackup(store, started, signal);
    if (before === "another") {
      return this.#fail(
        started,
        `a backup of this name exists in storage location "${location.metadata.name}"`,
        signal,
      );
    }
    // The operator died between the last file and the last status: nothing is left to do but to say so.
    if (before) {
      await this.#settle(started, signal);
      return this.#finish(started, before);
    }
    await this.#work(
      started,
      store,
      typeof policies === "string" ? noPolicies : (policies ?? noPolicies),
      signal,
    );
  }

  /** The bucket of a new location is made by its first check, which may come after its first backup. */
  async #open(location: BackupStorageLocation, signal: AbortSignal): Promise<Store> {
    try {
      return await this.#deps.openStore(location, signal);
    } catch (error) {
      const isMissing = error instanceof AppError && error.code === "STORE_MISSING";
      if (!isMissing || location.status?.phase !== undefined) throw error;
      const what = `storage location "${location.metadata.name}" has not been checked yet: ${error.message}`;
      throw new AppError("STORE_UNREACHABLE", what, { cause: error });
    }
  }

  async #work(started: Backup, store: Store, policies: Policies, signal: AbortSignal): Promise<void> {
    const deps = this.#deps;
    const live = deps.liveLogs?.open(started.metadata.uid);
    const status = await runBackup(
      {
        backup: started,
        source: deps.client,
        store,
        policies,
        openPodVolumes: deps.openPodVolumes,
        openSnapshots: deps.openSnapshots,
        openClaimSnapshots: deps.openClaimSnapshots,
        openOperations: deps.openOperations,
        openItemActions: deps.openItemActions,
        runInPod: deps.runInPod,
        tempDir: deps.tempDir,
        now: () => deps.clock.now(),
        onLine: live?.add,
        onArchive: (bytes) => deps.onArchive?.(started, bytes),
        onProgress: (told, facts) =>
          void deps.report.tell(started, tellBackup(started, told), { status: facts }),
      },
      signal,
    ).finally(live?.close);
    await this.#settle(started, signal);
    await this.#finish(started, status);
  }

  async #admit(
    found: Backup,
    all: readonly BackupStorageLocation[],
    policies: Policies | string | undefined,
    signal: AbortSignal,
  ): Promise<Admission> {
    const { client, namespace, clock, defaults } = this.#deps;
    const [{ gitVersion }, { resources }, native] = await Promise.all([
      client.version(signal),
      client.discover(signal),
      client.list<VolumeSnapshotLocation>(snapshotLocations, { namespace }, signal),
    ]);
    const known = await readNamespaces(client, resources, signal);
    return admit(found, {
      locations: all,
      snapshotLocations: native.map(({ metadata, spec }) => ({
        name: metadata.name,
        provider: spec?.provider ?? "",
      })),
      policies,
      labelledNamespaces: known
        .filter(({ labels }) => labels[veleroNames.excludeFromBackup] === "true")
        .map(({ name }) => name),
      gitVersion,
      labelValue,
      nowMs: clock.now(),
      defaults,
    });
  }

  async #policies(found: Backup, signal: AbortSignal): Promise<Policies | string | undefined> {
    const policy = found.spec?.resourcePolicy;
    if (!policy) return undefined;
    // As upstream: what is no ConfigMap is no policy.
    if (policy.kind.toLowerCase() !== "configmap") return undefined;
    const { client, namespace } = this.#deps;
    try {
      const map = await client.get(configMaps, policy.name, { namespace }, signal);
      return readPolicies((map as { data?: Record<string, string> }).data); // a ConfigMap's data is text
    } catch (error) {
      if (isNotFound(error)) return `there is no ConfigMap "${policy.name}"`;
      throw error;
    }
  }

  #begin(found: Backup, admission: Admission, signal: AbortSignal): Promise<Backup> {
    const { spec, labels, annotations, status } = admission;
    return this.#patch(
      found,
      {
        metadata: { labels, annotations },
        spec: { ...spec, defaultVolumesToRestic: null },
        status: { ...status, phase: "InProgress", queuePosition: null },
      },
      signal,
    );
  }

  async #refuse(found: Backup, { faults, status }: Admission, signal: AbortSignal): Promise<void> {
    const { version, formatVersion } = status;
    const refused = {
      version,
      formatVersion,
      phase: "FailedValidation",
      validationErrors: faults,
      queuePosition: null,
    };
    await this.#patch(found, { status: refused }, signal);
  }

  /** A merge patch that can only hit this very backup. */
  async #patch(
    backup: Backup,
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Backup> {
    const { name, namespace, uid } = backup.metadata;
    const metadata = { ...(body["metadata"] as object | undefined), uid };
    return this.#deps.client.patch<Backup>(
      backups,
      name,
      { type: "merge", body: { ...body, metadata } },
      { namespace },
      signal,
    );
  }

  async #finish(backup: Backup, status: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#deps.report.end(backup, tellEnd(backup, status, this.#deps.clock.now()), { status });
  }

  async #fail(backup: Backup, reason: string, signal: AbortSignal, canceled = false): Promise<void> {
    const location = backup.spec?.storageLocation;
    if (canceled || isRunUnderWay(phaseOf(backup))) {
      await this.#sweep(backup, location, signal);
      await this.#abandon(backup, signal);
    }
    const status = {
      phase: "Failed",
      failureReason: reason,
      completionTimestamp: timestamp(this.#deps.clock.now()),
    };
    await this.#finish(backup, status);
  }

  /** What earlier runs may have left in the store belongs to no backup now. */
  async #sweep(backup: Backup, location: string | undefined, signal: AbortSignal): Promise<void> {
    if (!location) return;
    const { client, namespace } = this.#deps;
    try {
      const found = await client.get<BackupStorageLocation>(locations, location, { namespace }, signal);
      const store = await this.#deps.openStore(found, signal);
      if ((await storedBackup(store, backup, signal)) !== "another") {
        await this.#cancelActions(backup, store, signal);
        await removeBackup(store, backup.metadata.name, signal);
      }
    } catch (error) {
      this.#deps.log("warning", `cannot clean up after backup "${backup.metadata.name}"`, {
        error: messageOf(error),
      });
    }
  }

  /** Plugins that still work for the backup are told to stop; what they work on is known from the store alone. */
  async #cancelActions(backup: Backup, store: Store, signal: AbortSignal): Promise<void> {
    const nothing = () => undefined;
    const context = { backup, store, resolve: nothing, moved: nothing, waiting: nothing };
    const actions = await this.#deps.openItemActions?.(context, signal);
    await actions?.cancel();
    await actions?.close();
  }

  /** The backup is in the store: what stands in the cluster only for its making goes. */
  async #settle(backup: Backup, signal: AbortSignal): Promise<void> {
    await (await this.#operations(backup, signal)).settle(signal);
  }

  async #operations(backup: Backup, signal: AbortSignal): Promise<AllOperations> {
    const { openClaimSnapshots, openOperations = [] } = this.#deps;
    const all = openClaimSnapshots ? [openClaimSnapshots, ...openOperations] : openOperations;
    const context = { backup, moved: () => undefined };
    return new AllOperations(await Promise.all(all.map((open) => open(context, signal))));
  }

  /** What earlier runs made belongs to no backup now; a run that failed has removed its own. */
  async #abandon(backup: Backup, signal: AbortSignal): Promise<void> {
    try {
      const snapshots = await this.#deps.openSnapshots?.({ backup, moved: () => undefined }, signal);
      await snapshots?.cancel();
      await (await this.#operations(backup, signal)).cancel();
    } catch (error) {
      this.#deps.log("warning", `cannot look for snapshots of backup "${backup.metadata.name}"`, {
        error: messageOf(error),
      });
    }
  }

  /** The operator ends, and the next one goes on; or the backup was canceled, and ends here. */
  async #stopped(found: Backup, signal: AbortSignal): Promise<void> {
    if (!(signal.reason instanceof Canceled)) return;
    const late = AbortSignal.timeout(60_000);
    await this.#fail(
      { ...found, status: { ...found.status, phase: "InProgress" } as Status },
      signal.reason.message,
      late,
      true,
    );
  }
}

/** The status under which the store knows this very backup, or that the name is taken by another one. */
async function storedBackup(
  store: Store,
  backup: Backup,
  signal: AbortSignal,
): Promise<Status | "another" | undefined> {
  const { name, uid } = backup.metadata;
  try {
    const stored = await storedMetadata(store, name, signal);
    if (stored === undefined) return undefined;
    const found = readStoredBackup(stored, backupKey(name, "metadata"), name);
    return found.uid === uid && ["Completed", "PartiallyFailed", "Failed"].includes(found.phase)
      ? found.status
      : "another";
  } catch (error) {
    if (error instanceof AppError && error.code === "STORED_INVALID") return "another"; // certainly not ours
    throw error;
  }
}

/** Whether the same run may succeed in a while. */
function mayPass(error: unknown): boolean {
  return isPassing(error) || (error instanceof AppError && error.code === "STORE_UNREACHABLE");
}
