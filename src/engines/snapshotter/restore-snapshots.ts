import {
  type Backup,
  formatTime,
  originalVolumeAnnotation,
  parseGoDurationMs,
  pluginVolumeAnnotation,
  type Restore,
  type VolumePluginBackup,
  type VolumePluginRestore,
  type VolumeSnapshotLocation,
  veleroNames,
} from "../../api/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import { isNotFound, labelValue } from "../../kube/index.ts";
import type { VolumeRequest } from "../../plugins/index.ts";
import { backupKey } from "../../store/index.ts";
import type { SnapshotDeps } from "./backup-snapshots.ts";
import { Moving } from "./moving.ts";
import { newRestoreObject, restoreMeta } from "./objects.ts";
import { type OpenedLocation, OpenedLocations } from "./opened-locations.ts";
import type { Way } from "./place.ts";
import { resources } from "./resources.ts";
import { type StoredSnapshot, storedSnapshots } from "./stored-snapshots.ts";

/** What a run of a restore says about itself. */
interface RunContext {
  readonly restore: Restore;
  readonly backup: Backup;
  /** The stored list of native snapshots. */
  readonly snapshots: readonly unknown[];
  readonly moved: () => void;
  readonly warn: (message: string) => void;
}

/** A volume as an archive holds it. */
interface StoredVolume {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

const fourHoursMs = 4 * 3_600_000;
/** Where an object of ours remembers who tells how far it is. */
const wayAnnotation = "headway.dev/progress";

/** Opens the snapshots of one restore's run; volumes that an earlier run began are found again. */
export function restoreSnapshots(deps: SnapshotDeps) {
  return async (context: RunContext, signal: AbortSignal): Promise<RestoreSnapshots> => {
    const run = new RestoreSnapshots(deps, context, signal);
    await run.open(signal);
    return run;
  };
}

/** The volumes that one restore makes out of snapshots. Bounded by the snapshots of the backup. */
class RestoreSnapshots {
  readonly #deps: SnapshotDeps;
  readonly #context: RunContext;
  readonly #stored: ReadonlyMap<string, StoredSnapshot>;
  readonly #opened: OpenedLocations;
  readonly #moving = new Map<
    string,
    { readonly plugin: string; readonly moving: Moving<VolumePluginRestore> }
  >();
  #earlier: readonly VolumePluginRestore[] = [];
  #backups: readonly VolumePluginBackup[] = [];

  constructor(deps: SnapshotDeps, context: RunContext, signal: AbortSignal) {
    this.#deps = deps;
    this.#context = context;
    this.#stored = storedSnapshots(
      context.snapshots,
      backupKey(context.backup.metadata.name, "volumeSnapshots"),
    );
    this.#opened = new OpenedLocations(deps);
    signal.addEventListener("abort", () => void this.close(), { once: true });
  }

  async open(signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#deps;
    const { restore, backup } = this.#context;
    const mine = { namespace, labelSelector: `${veleroNames.restoreUid}=${restore.metadata.uid ?? ""}` };
    const of = { namespace, labelSelector: `${veleroNames.backupName}=${labelValue(backup.metadata.name)}` };
    this.#earlier = await client.list<VolumePluginRestore>(resources.pluginRestores, mine, signal);
    this.#backups = await client.list<VolumePluginBackup>(resources.pluginBackups, of, signal);
  }

  has(volume: string): boolean {
    return this.#stored.has(volume);
  }

  async make<V extends StoredVolume>(volume: V, as: string, signal: AbortSignal): Promise<V> {
    const { name } = volume.metadata;
    const stored = this.#stored.get(name);
    if (!stored) throw new Error(`the backup has no snapshot of it`);
    const opened = await this.#opened.open(await this.#location(stored.location, signal), signal);
    const earlier = this.#earlier.find(
      ({ metadata }) => metadata.annotations?.[originalVolumeAnnotation] === name,
    );
    // One that failed is tried again, with a volume of its own; so is one whose volume nobody knows.
    const known = earlier && pluginVolumeOf(earlier) ? earlier : undefined;
    if (earlier && !known && earlier.status?.phase !== "Failed") {
      const what = `the operator ended while ${opened.plugin} made PersistentVolume "${name}"`;
      this.#context.warn(`${what} out of a snapshot; it is made again, and what was begun may be left there`);
    }
    const object =
      known && known.status?.phase !== "Failed"
        ? known
        : await this.#begin(stored, { name, as }, opened, signal);
    const volumeID = pluginVolumeOf(object) ?? "";
    const moving = this.#follow(object, name, opened, volumeID, signal);
    const { failed } = await moving.ended;
    if (failed !== undefined) {
      throw new AppError(
        "PLUGIN_FAILED",
        `snapshot "${stored.snapshotID}" could not be brought back: ${failed}`,
      );
    }
    const filled = this.#named(volume, await opened.snapshotter.setVolumeID(volume, volumeID, signal));
    const isOurs = object.metadata.annotations?.[pluginVolumeAnnotation] !== undefined;
    // A plugin may give the volume a name of its own, which counts where the restore asked for none.
    const final = as === name ? filled.metadata.name : as;
    if (isOurs && object.status?.volumeID !== final) {
      await this.#patch(object, { status: { volumeID: final } }, signal);
    }
    return filled;
  }

  objects(): readonly VolumePluginRestore[] {
    // What an earlier process brought back stays in sight.
    const earlier = this.#earlier.filter(({ metadata, status }) => {
      const volume = metadata.annotations?.[originalVolumeAnnotation] ?? "";
      return status?.phase === "Completed" && !this.#moving.has(volume);
    });
    return [...earlier, ...[...this.#moving.values()].map(({ moving }) => moving.object)];
  }

  async close(): Promise<void> {
    await this.#opened.close();
  }

  async #location(name: string, signal: AbortSignal): Promise<VolumeSnapshotLocation> {
    const { client, namespace } = this.#deps;
    try {
      const place = { namespace };
      return await client.get<VolumeSnapshotLocation>(resources.snapshotLocations, name, place, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new Error(`volume snapshot location "${name}" does not exist here`, { cause: error });
    }
  }

  /** The object is made before the plugin is called: an operator that is killed meanwhile leaves a trace. */
  async #begin(
    stored: StoredSnapshot,
    { name, as }: { readonly name: string; readonly as: string },
    opened: OpenedLocation,
    signal: AbortSignal,
  ): Promise<VolumePluginRestore> {
    const { client, namespace } = this.#deps;
    const { snapshotID } = stored;
    const first = await this.#trace(stored, name, opened.plugin, signal);
    const place = { namespace, uid: first.metadata.uid };
    const request: VolumeRequest = {
      snapshotID,
      volumeType: stored.volumeType,
      volumeAZ: stored.volumeAZ ?? "",
      ...(stored.volumeIOPS !== undefined && { iops: stored.volumeIOPS }),
    };
    const volumeID = await opened.snapshotter
      .createVolumeFromSnapshot(request, signal)
      .catch(async (error: unknown) => {
        signal.throwIfAborted();
        const status = { phase: "Failed", message: messageOf(error), completionTimestamp: this.#now() };
        await this.#patch(first, { status }, signal);
        throw error;
      });
    const own = await this.#own(snapshotID, volumeID, signal);
    const way: Way = own ? "own" : opened.snapshotter.restoreProgress ? "asked" : "silent";
    const annotations = { [wayAnnotation]: way };
    if (!own) {
      return this.#patch(
        first,
        {
          metadata: { annotations: { ...annotations, [pluginVolumeAnnotation]: volumeID } },
          status: { phase: "InProgress", volumeID: as },
        },
        signal,
      );
    }
    const meta = restoreMeta(this.#context.restore, name);
    const adopted = await this.#patch(
      own,
      { metadata: { ...meta, annotations: { ...meta.annotations, ...annotations } } },
      signal,
    );
    await client.delete(resources.pluginRestores, first.metadata.name, place, signal).catch(ignoreMissing);
    return adopted;
  }

  async #trace(
    { snapshotID }: StoredSnapshot,
    name: string,
    plugin: string,
    signal: AbortSignal,
  ): Promise<VolumePluginRestore> {
    const { client, namespace } = this.#deps;
    const { restore, backup } = this.#context;
    const given = { restore, backup: backup.metadata.name, namespace, volume: name, plugin, snapshotID };
    const wanted = newRestoreObject({ ...given, startTimestamp: this.#now() });
    // What the plugin said when the snapshot was taken, perhaps in another cluster, is worth knowing here.
    const known = this.#backups.find(({ status }) => status?.snapshotID === snapshotID)?.spec?.pluginSpecific;
    const object = { ...wanted, spec: { ...wanted.spec, ...(known && { pluginSpecific: known }) } };
    await client
      .delete(resources.pluginRestores, object.metadata.name, { namespace }, signal)
      .catch(ignoreMissing);
    return client.create<VolumePluginRestore>(resources.pluginRestores, object, {}, signal);
  }

  #patch(
    { metadata: { name, uid } }: VolumePluginRestore,
    body: { readonly metadata?: object; readonly status?: object },
    signal: AbortSignal,
  ): Promise<VolumePluginRestore> {
    const whole = { ...body, metadata: { ...body.metadata, uid } };
    const place = { namespace: this.#deps.namespace };
    return this.#deps.client.patch(
      resources.pluginRestores,
      name,
      { type: "merge", body: whole },
      place,
      signal,
    );
  }

  #now(): string {
    return formatTime(this.#deps.clock.now());
  }

  /** The object that the plugin made for this volume, if it made one. */
  async #own(
    snapshotID: string,
    volumeID: string,
    signal: AbortSignal,
  ): Promise<VolumePluginRestore | undefined> {
    const { client, namespace } = this.#deps;
    let found: VolumePluginRestore | undefined;
    for await (const one of client.items<VolumePluginRestore>(
      resources.pluginRestores,
      { namespace },
      signal,
    )) {
      const isFree = one.metadata.labels?.[veleroNames.restoreUid] === undefined;
      if (isFree && one.spec?.snapshotID === snapshotID && one.status?.volumeID === volumeID) found = one;
    }
    return found;
  }

  #follow(
    object: VolumePluginRestore,
    name: string,
    { plugin, snapshotter }: OpenedLocation,
    volumeID: string,
    signal: AbortSignal,
  ): Moving<VolumePluginRestore> {
    const { restore, warn, moved } = this.#context;
    const said = object.metadata.annotations?.[wayAnnotation];
    const way: Way = said === "own" || said === "asked" ? said : "silent";
    const moving = new Moving<VolumePluginRestore>(
      {
        ...this.#deps,
        resource: resources.pluginRestores,
        way,
        ask:
          snapshotter.restoreProgress && ((inner) => snapshotter.restoreProgress?.(volumeID, inner) as never),
        limitMs: parseGoDurationMs(restore.spec?.itemOperationTimeout ?? "") || fourHoursMs,
        onMove: moved,
        onRemark: (remark) => warn(`PersistentVolume "${name}" out of a snapshot by ${plugin}: ${remark}`),
      },
      object,
      signal,
    );
    this.#moving.set(name, { plugin, moving });
    moved();
    return moving;
  }

  /** A plugin may rename the volume, but what it gives back must be one. */
  #named<V extends StoredVolume>(volume: V, changed: Readonly<Record<string, unknown>>): V {
    const { metadata, kind } = changed as Partial<StoredVolume>; // looked at in the next line
    if (kind !== volume.kind || typeof metadata?.name !== "string" || metadata.name === "") {
      throw new AppError("PLUGIN_FAILED", "setVolumeID gave back something that is no PersistentVolume");
    }
    return changed as V; // a PersistentVolume with a name
  }
}

/** The plugin's id of the new volume. Objects that plugins and earlier releases wrote have it where the name belongs. */
export function pluginVolumeOf({
  metadata,
  status,
}: Pick<VolumePluginRestore, "metadata" | "status">): string | undefined {
  return metadata.annotations?.[pluginVolumeAnnotation] ?? (status?.volumeID || undefined);
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
