import { createHash } from "node:crypto";
import {
  apiVersionOf,
  type BackupRepository,
  type BackupStorageLocation,
  formatTime,
  kinds,
  type NewObject,
  type PodVolumeBackup,
  type PodVolumeRestore,
  veleroNames,
} from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { isVolumeEnded } from "../../kinds/index.ts";
import {
  type Cache,
  type Client,
  type Clock,
  Controller,
  isAlreadyExists,
  isNotFound,
  labelValue,
  maskErrors,
  type Outcome,
  keyOf as objectKey,
} from "../../kube/index.ts";
import { checkMarker, openStore, type Store } from "../../store/index.ts";
import { locationMask, readLocation } from "./location.ts";
import { afterMaintenance, defaultFrequency, dueInMs, maintenancePeriod } from "./maintenance.ts";
import type { OpenMover } from "./movers.ts";
import { uploaderOf } from "./objects.ts";
import { ensurePassword, type RepositoryKey, readRepository } from "./repository.ts";
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
  readonly log: (
    level: "info" | "warning" | "error",
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void;
  readonly mover: OpenMover;
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
    const repository = (await this.#find(key, signal)) ?? (await this.#create(key, signal));
    if (!(await this.#isReady(repository, signal))) await this.#open(repository, signal);
  }

  /** Watches the BackupRepository objects: opens new ones, tries broken ones again, maintains those that are due. */
  async run(signal: AbortSignal): Promise<void> {
    const { cache, namespace, clock, log } = this.#deps;
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

  async #find(key: RepositoryKey, signal: AbortSignal): Promise<BackupRepository | undefined> {
    const { client, namespace } = this.#deps;
    const labelSelector = Object.entries(labelsOf(key))
      .map(([name, value]) => `${name}=${value}`)
      .join(",");
    const found = await client.list<BackupRepository>(
      resources.repositories,
      { namespace, labelSelector },
      signal,
    );
    if (found.length > 1) {
      const names = found.map(({ metadata }) => metadata.name).join(", ");
      throw new AppError(
        "REPOSITORY_NOT_READY",
        `more than one BackupRepository is for ${titleOf(key)}: ${names}`,
      );
    }
    return found[0];
  }

  async #create(key: RepositoryKey, signal: AbortSignal): Promise<BackupRepository> {
    const { client } = this.#deps;
    const object = newRepository(this.#deps.namespace, key);
    try {
      return await client.create<BackupRepository>(resources.repositories, object, {}, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { name = "", namespace } = object.metadata;
      return client.get<BackupRepository>(resources.repositories, name, { namespace }, signal);
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
      const place = await readRepository(client, namespace, key, signal);
      await mover(key.type).ensureRepository(place, signal);
      if (key.type === "kopia") await this.#mark(store, key, place.place.kind, signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
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

  /** The mark is for upstream's servers; a location that may only be read does well without it. */
  async #mark(
    store: Store,
    { volumeNamespace }: RepositoryKey,
    kind: "filesystem" | "s3",
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await markUnified(store, volumeNamespace, kind === "filesystem" ? ".f" : "", signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#deps.log("warning", `the kopia repository of "${volumeNamespace}" is not marked for upstream`, {
        error,
      });
    }
  }

  async #maintain(repository: BackupRepository, signal: AbortSignal): Promise<void> {
    const { client, namespace, clock, mover, log } = this.#deps;
    const key = keyOf(repository);
    const startedMs = clock.now();
    let error: string | undefined;
    try {
      const place = await readRepository(client, namespace, key, signal);
      await mover(key.type).unlock(place, signal);
      await mover(key.type).maintain(place, signal);
    } catch (cause) {
      signal.throwIfAborted();
      error = cause instanceof Error ? cause.message : String(cause);
      log("warning", `maintenance of the repository of ${titleOf(key)} failed`, { error });
    }
    const run = { startedMs, endedMs: clock.now(), ...(error !== undefined && { error }) };
    await this.#status(repository, afterMaintenance(repository, run), signal);
  }

  /** Whether a copy of these volumes is under way: restic's maintenance needs the repository alone. */
  async #isBusy(repository: BackupRepository, signal: AbortSignal): Promise<boolean> {
    const { client, namespace } = this.#deps;
    const { volumeNamespace, location, type } = keyOf(repository);
    if (type === "kopia") return false;
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

function newRepository(namespace: string, key: RepositoryKey): NewObject<BackupRepository> {
  return {
    apiVersion: apiVersionOf(kinds.BackupRepository),
    kind: "BackupRepository",
    metadata: {
      name: `${key.volumeNamespace}-${key.location}-${key.type}`,
      namespace,
      labels: labelsOf(key),
    },
    spec: {
      volumeNamespace: key.volumeNamespace,
      backupStorageLocation: key.location,
      repositoryType: key.type,
      maintenanceFrequency: defaultFrequency(key.type),
    },
  };
}

function keyOf({ spec }: BackupRepository): RepositoryKey {
  return {
    volumeNamespace: spec?.volumeNamespace ?? "",
    location: spec?.backupStorageLocation ?? "",
    type: uploaderOf({ uploaderType: spec?.repositoryType ?? "" }),
  };
}

function labelsOf({ volumeNamespace, location, type }: RepositoryKey): Record<string, string> {
  return {
    [veleroNames.volumeNamespace]: labelValue(volumeNamespace),
    [veleroNames.storageLocation]: labelValue(location),
    [veleroNames.repositoryType]: type,
  };
}

function titleOf({ volumeNamespace, location, type }: RepositoryKey): string {
  return `namespace "${volumeNamespace}" in location "${location}" (${type})`;
}
