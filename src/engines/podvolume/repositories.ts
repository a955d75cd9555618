import { createHash } from "node:crypto";
import {
  type BackupRepository,
  type BackupStorageLocation,
  formatTime,
  kinds,
  type PodVolumeBackup,
  type PodVolumeRestore,
} from "../../api/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import { isVolumeEnded } from "../../kinds/index.ts";
import {
  builtIn,
  type Cache,
  type Client,
  type Clock,
  Controller,
  isNotFound,
  type Log,
  maskErrors,
  type Outcome,
  keyOf as objectKey,
} from "../../kube/index.ts";
import { definitionOf, type Place } from "../../movers/index.ts";
import { checkMarker, openStore, repositoryFolder, type Store } from "../../store/index.ts";
import { locationMask, readLocation } from "./location.ts";
import { afterMaintenance, dueInMs, maintenancePeriod } from "./maintenance.ts";
import { tellMaintenanceConfig } from "./maintenance-config.ts";
import type { OpenMover } from "./movers.ts";
import { ensurePassword, type RepositoryKey, readRepository } from "./repository.ts";
import { keyOf, obtainRepository, titleOf } from "./repository-object.ts";
import { fullAnnotation, isQuick, newRepositoryConfig, settingsOf } from "./repository-settings.ts";
import { resources } from "./resources.ts";
import { markUnified } from "./unified.ts";

/** What looking after repositories needs. */
export interface RepositoryDeps {
  readonly client: Client;
  /** What is watched, once for the whole process. */
  readonly cache: Cache;
  /** The namespace of the server's own objects. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly mover: OpenMover;
  /** The ConfigMap with the config of new repositories; upstream's flag of this name. */
  readonly repositoryConfigMap?: string | undefined;
  /** The ConfigMap for upstream's maintenance Jobs: it is told what of it has no effect here. */
  readonly maintenanceConfigMap?: string | undefined;
}

/** Where a repository was when it was opened last: a hash of its location's spec. */
const placeAnnotation = "headway.dev/opened-at";
/** How long a repository that cannot be used rests before it is tried again. */
const recheckMs = 60_000;
/** How long a repository is not looked at. */
const longestMs = 3600_000;
/** How long maintenance waits for copies to end. */
const busyMs = 10 * 60_000;

/** Makes, opens and maintains repositories. One of them lives in the operator. */
export class Repositories {
  readonly #deps: RepositoryDeps;
  /** Repositories being opened, by name: whoever comes second waits for the first. Bounded by what is under way. */
  readonly #opening = new Map<string, Promise<void>>();

  constructor(deps: RepositoryDeps) {
    this.#deps = deps;
  }

  /** Returns when the repository can be used; throws with the reason when it cannot. */
  async ensure(key: RepositoryKey, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#deps;
    const repository = await obtainRepository(client, namespace, key, signal);
    if (!(await this.#isReady(repository, signal))) await this.#open(repository, signal);
  }

  /** Watches the BackupRepository objects: opens new ones, tries broken ones again, maintains those that are due. */
  async run(signal: AbortSignal): Promise<void> {
    const { cache, namespace, clock, log, maintenanceConfigMap } = this.#deps;
    if (maintenanceConfigMap !== undefined)
      await tellMaintenanceConfig(this.#deps, maintenanceConfigMap, signal);
    const controller: Controller = new Controller({
      clock,
      workers: 2,
      reconcile: (name, stop) => this.#reconcile(view.get(name), stop),
      onError: (name, error) => log("warning", `repository "${name}"`, { error }),
    });
    const view = cache.view<BackupRepository>(kinds.BackupRepository, {
      namespace,
      onChange: (name, now) => now && controller.add(name),
      onError: (error) => log("warning", "cannot watch repositories", { error }),
    });
    const locations = cache.view<BackupStorageLocation>(kinds.BackupStorageLocation, {
      namespace,
      onChange: (location, now, before) => {
        // One that comes back may hold what could not be opened meanwhile.
        const mark = (one: BackupStorageLocation) => `${placeMark(one)} ${one.status?.phase ?? ""}`;
        if (now === undefined || (before && mark(now) === mark(before))) return;
        for (const repository of view.objects()) {
          if (location === `${namespace}/${repository.spec?.backupStorageLocation}`)
            controller.add(objectKey(repository));
        }
      },
      onError: (error) => log("warning", "cannot watch storage locations", { error }),
    });
    await Promise.all([view.run(signal), locations.run(signal), controller.run(signal)]);
  }

  async #reconcile(repository: BackupRepository | undefined, signal: AbortSignal): Promise<Outcome> {
    if (!repository || repository.metadata.deletionTimestamp !== undefined) return;
    if (!(await this.#isReady(repository, signal))) {
      try {
        await this.#open(repository, signal);
      } catch {
        return { againAfterMs: recheckMs }; // the reason is in its status
      }
      return;
    }
    const remark = maintenancePeriod(repository).fault;
    if ((repository.status?.message || undefined) !== remark) {
      await this.#status(repository, { message: remark ?? null }, signal);
    }
    const wait = dueInMs(repository, this.#deps.clock.now());
    if (wait === undefined) return;
    // Long waits are cut, so that a clock that was set is noticed.
    if (wait > 0) return { againAfterMs: Math.min(wait, longestMs) };
    if (await this.#isBusy(repository, signal)) return { againAfterMs: busyMs };
    await this.#maintain(repository, signal);
  }

  /** Whether it was opened where its location is now. A location that points elsewhere has another repository, or none yet. */
  async #isReady(repository: BackupRepository, signal: AbortSignal): Promise<boolean> {
    if (repository.status?.phase !== "Ready") return false;
    const { client, namespace } = this.#deps;
    const { location } = keyOf(repository);
    try {
      const found = await client.get<BackupStorageLocation>(
        resources.locations,
        location,
        { namespace },
        signal,
      );
      return repository.metadata.annotations?.[placeAnnotation] === placeMark(found);
    } catch (error) {
      if (isNotFound(error)) return true; // nowhere to open it: whoever uses it is told
      throw error;
    }
  }

  #open(repository: BackupRepository, signal: AbortSignal): Promise<void> {
    const { name } = repository.metadata;
    const running = this.#opening.get(name);
    if (running) return running;
    const work = this.#connect(repository, signal).finally(() => this.#opening.delete(name));
    this.#opening.set(name, work);
    return work;
  }

  async #connect(repository: BackupRepository, signal: AbortSignal): Promise<void> {
    const { client, namespace, clock, mover } = this.#deps;
    const key = keyOf(repository);
    let opened = "";
    try {
      await ensurePassword(client, namespace, signal);
      const location = await client.get<BackupStorageLocation>(
        resources.locations,
        key.location,
        { namespace },
        signal,
      );
      opened = placeMark(location);
      // A folder that is not mounted must not be taken for a place without a repository: the store refuses it.
      const spec = await readLocation(client, location, signal);
      const store = maskErrors(await openStore(spec), locationMask(spec));
      await checkMarker(store, location, signal);
      const { cacheBytes } = settingsOf(await this.#settled(repository, signal));
      const found = await readRepository(client, namespace, key, signal);
      const place = { ...found, ...(cacheBytes !== undefined && { cacheBytes }) };
      await mover(key.type).ensureRepository(place, signal);
      await this.#mark(store, key, place.place.kind, signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = messageOf(error);
      await this.#status(repository, { phase: "NotReady", message }, signal);
      throw new AppError(
        "REPOSITORY_NOT_READY",
        `the repository of ${titleOf(key)} cannot be used: ${message}`,
        {
          cause: error,
        },
      );
    }
    // The clock of maintenance starts with the repository, as upstream's does.
    const since = repository.status?.lastMaintenanceTime ?? formatTime(clock.now());
    const message = maintenancePeriod(repository).fault ?? null;
    const status = { phase: "Ready", message, lastMaintenanceTime: since };
    await this.#status(repository, status, signal, { [placeAnnotation]: opened });
  }

  /** A repository with its config, which it gets once: before it is opened for the first time. */
  async #settled(repository: BackupRepository, signal: AbortSignal): Promise<BackupRepository> {
    const { client, namespace, log, repositoryConfigMap: map } = this.#deps;
    const { name, uid, annotations } = repository.metadata;
    if (map === undefined || repository.spec?.repositoryConfig) return repository;
    if (annotations?.[placeAnnotation] !== undefined) return repository;
    const found = await client.get(builtIn.configMaps, map, { namespace }, signal).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      log("warning", `there is no ConfigMap "${map}" with the config of new repositories`);
      return undefined;
    });
    const { data } = (found ?? {}) as { readonly data?: Readonly<Record<string, string>> }; // a ConfigMap's data is text
    const repositoryConfig = newRepositoryConfig(keyOf(repository).type, data);
    if (!repositoryConfig || !repository.spec) return repository;
    const body = { metadata: { uid }, spec: { repositoryConfig } };
    await client.patch(resources.repositories, name, { type: "merge", body }, { namespace }, signal);
    return { ...repository, spec: { ...repository.spec, repositoryConfig } };
  }

  /** The mark is for upstream's servers; a location that may only be read does well without it. */
  async #mark(
    store: Store,
    { type, volumeNamespace }: RepositoryKey,
    kind: Place["kind"],
    signal: AbortSignal,
  ): Promise<void> {
    const { formatObject } = definitionOf(type).upstream;
    if (formatObject === undefined) return;
    try {
      const folder = repositoryFolder(type, volumeNamespace);
      await markUnified(store, { folder, formatObject, suffix: kind === "filesystem" ? ".f" : "" }, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#deps.log("warning", `the ${type} repository of "${volumeNamespace}" is not marked for upstream`, {
        error,
      });
    }
  }

  async #maintain(repository: BackupRepository, signal: AbortSignal): Promise<void> {
    const { client, namespace, clock, mover, log } = this.#deps;
    const key = keyOf(repository);
    const startedMs = clock.now();
    let error: string | undefined;
    let quick = false;
    try {
      const settings = settingsOf(repository);
      const { cacheBytes } = settings;
      quick = isQuick(repository, settings, startedMs);
      const found = await readRepository(client, namespace, key, signal);
      const place = { ...found, ...(cacheBytes !== undefined && { cacheBytes }) };
      await mover(key.type).unlock(place, signal);
      await mover(key.type).maintain({ repository: place, quick }, signal);
    } catch (cause) {
      signal.throwIfAborted();
      error = messageOf(cause);
      log("warning", `maintenance of the repository of ${titleOf(key)} failed`, { error });
    }
    const run = { startedMs, endedMs: clock.now(), ...(error !== undefined && { error }) };
    const full = error === undefined && !quick ? { [fullAnnotation]: formatTime(run.endedMs) } : undefined;
    await this.#status(repository, afterMaintenance(repository, run), signal, full);
  }

  /** Whether a copy of these volumes is under way, where maintenance needs the repository alone. */
  async #isBusy(repository: BackupRepository, signal: AbortSignal): Promise<boolean> {
    const { client, namespace } = this.#deps;
    const { volumeNamespace, location, type } = keyOf(repository);
    if (!definitionOf(type).upstream.maintainedAlone) return false;
    for await (const pvb of client.items<PodVolumeBackup>(
      resources.podVolumeBackups,
      { namespace },
      signal,
    )) {
      const same = pvb.spec?.pod.namespace === volumeNamespace && pvb.spec.backupStorageLocation === location;
      if (same && !isVolumeEnded(pvb.status)) return true;
    }
    for await (const pvr of client.items<PodVolumeRestore>(
      resources.podVolumeRestores,
      { namespace },
      signal,
    )) {
      const same =
        pvr.spec?.sourceNamespace === volumeNamespace && pvr.spec.backupStorageLocation === location;
      if (same && !isVolumeEnded(pvr.status)) return true;
    }
    return false;
  }

  async #status(
    repository: BackupRepository,
    status: Record<string, unknown>,
    signal: AbortSignal,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { name, namespace, uid } = repository.metadata;
    const body = { metadata: { uid, ...(annotations && { annotations }) }, status };
    await this.#deps.client.patch(
      resources.repositories,
      name,
      { type: "merge", body },
      { namespace },
      signal,
    );
  }
}

/** What a location's place is known by; the keys to it may change. */
function placeMark({ spec }: BackupStorageLocation): string {
  const { provider, objectStorage, config = {} } = spec ?? {};
  const settings = Object.entries(config).map(([key, value]) => `${key}=${value}`);
  const facts = [provider, objectStorage?.bucket, objectStorage?.prefix ?? "", settings.sort()];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 32);
}
