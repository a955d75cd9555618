import {
  type Backup,
  parseGoDurationMs,
  type VolumePluginBackup,
  type VolumeSnapshotLocation,
  veleroNames,
} from "../../api/index.ts";
import { type Client, type Clock, isNotFound, type StatusWriter } from "../../kube/index.ts";
import { adoption } from "./adopt.ts";
import type { PersistentVolume } from "./contract.ts";
import { locationsOf } from "./locations.ts";
import type { Log } from "./log-tap.ts";
import { Moving } from "./moving.ts";
import { backupMeta, newBackupObject, objectName, timestamp } from "./objects.ts";
import { type OpenedLocation, OpenedLocations } from "./opened-locations.ts";
import { readPlace, type SnapshotPlace, type Way } from "./place.ts";
import type { Plugins } from "./plugins.ts";
import { resources } from "./resources.ts";
import { zoneOf } from "./zone.ts";

/** What taking snapshots needs. */
export interface SnapshotDeps {
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly status: StatusWriter;
  readonly plugins: Plugins;
  readonly tempDir: string;
}

/** A warning or an error goes to its subject. */
interface Findings {
  add(subject: { readonly resource?: string; readonly name?: string }, message: string, error?: string): void;
}
interface Found {
  readonly warnings: Findings;
  readonly errors: Findings;
}

/** What a run of a backup says about itself. */
interface RunContext {
  readonly backup: Backup;
  readonly moved: () => void;
}

/** One snapshot on its way. */
interface Entry {
  readonly volume: string;
  readonly snapshotID: string;
  readonly place: SnapshotPlace;
  readonly opened: OpenedLocation;
  readonly moving: Moving<VolumePluginBackup>;
}

/** How the store lists a snapshot, except who tells how far it is. */
type Placed = Omit<SnapshotPlace, "way">;

/** A snapshot that was just taken. */
interface Fresh {
  readonly volume: string;
  readonly opened: OpenedLocation;
  readonly snapshotID: string;
  readonly placed: Placed;
  readonly startTimestamp: string;
}

type Taken = "taken" | "failed" | { readonly skipped: string };

const fourHoursMs = 4 * 3_600_000;

/** Opens the snapshots of one backup's run; those that an earlier run took are found again. */
export function backupSnapshots(deps: SnapshotDeps) {
  return async (context: RunContext, signal: AbortSignal): Promise<BackupSnapshots> => {
    const run = new BackupSnapshots(deps, context, signal);
    await run.open();
    return run;
  };
}

/** The snapshots of one backup's run. Bounded by its volumes. */
class BackupSnapshots {
  readonly #deps: SnapshotDeps;
  readonly #context: RunContext;
  readonly #signal: AbortSignal;
  readonly #opened: OpenedLocations;
  readonly #entries: Entry[] = [];
  /** Volumes of which no snapshot could be taken. */
  readonly #lost: { readonly volume: string; readonly placed: Placed }[] = [];
  /** Locations that cannot be used, told once. */
  readonly #told = new Set<string>();
  #locations: readonly VolumeSnapshotLocation[] = [];
  #earlier: readonly VolumePluginBackup[] = [];

  constructor(deps: SnapshotDeps, context: RunContext, signal: AbortSignal) {
    this.#deps = deps;
    this.#context = context;
    this.#signal = signal;
    this.#opened = new OpenedLocations(deps);
    signal.addEventListener("abort", () => void this.#opened.close(), { once: true });
  }

  async open(): Promise<void> {
    const { client, namespace } = this.#deps;
    const { spec, metadata } = this.#context.backup;
    if (spec?.snapshotVolumes === false) return;
    const query = { namespace };
    const all = await client.list<VolumeSnapshotLocation>(resources.snapshotLocations, query, this.#signal);
    this.#locations = locationsOf(spec?.volumeSnapshotLocations, all);
    if (this.#locations.length === 0) return;
    const mine = { namespace, labelSelector: `${veleroNames.backupUid}=${metadata.uid ?? ""}` };
    this.#earlier = await client.list<VolumePluginBackup>(resources.pluginBackups, mine, this.#signal);
  }

  async take(volume: PersistentVolume, found: Found, signal: AbortSignal): Promise<Taken> {
    const { name } = volume["metadata"] as { name: string }; // the server's own shape
    if (this.#locations.length === 0) return { skipped: "the backup has no volume snapshot location" };
    const earlier = this.#earlier.find(({ spec }) => spec?.volume === name);
    const place = readPlace(earlier?.metadata.annotations);
    if (earlier && place) return this.#again(earlier, place, found, signal);
    const [first, ...others] = await this.#claims(volume, found, signal);
    if (!first) return { skipped: "no location of the backup can snapshot it" };
    if (others.length > 0) {
      const names = [first, ...others].map(({ opened }) => `"${opened.name}"`).join(", ");
      const message = `several volume snapshot locations claim it (${names}); "${first.opened.name}" takes it`;
      found.warnings.add(subjectOf(name), message);
    }
    return this.#create(volume, name, first, found, signal);
  }

  async finish(found: Found, _signal: AbortSignal): Promise<void> {
    for (const { volume, snapshotID, opened, moving } of this.#entries) {
      const { failed } = await moving.ended;
      if (failed === undefined) continue;
      found.errors.add(subjectOf(volume), `snapshot "${snapshotID}" by ${opened.plugin} failed`, failed);
    }
    await this.#opened.close();
  }

  list() {
    const { name, uid = "" } = this.#context.backup.metadata;
    const spec = (volume: string, { location, volumeID, volumeType, volumeAZ, volumeIOPS }: Placed) => ({
      backupName: name,
      backupUID: uid,
      location,
      persistentVolumeName: volume,
      providerVolumeID: volumeID,
      volumeType,
      ...(volumeAZ !== undefined && { volumeAZ }),
      ...(volumeIOPS !== undefined && { volumeIOPS }),
    });
    const phaseOf = ({ end }: Entry["moving"]) =>
      end === undefined ? "New" : end.failed === undefined ? "Completed" : "Failed";
    return [
      ...this.#entries.map(({ volume, place, snapshotID, moving }) => ({
        spec: spec(volume, place),
        status: { providerSnapshotID: snapshotID, phase: phaseOf(moving) } as const,
      })),
      ...this.#lost.map(({ volume, placed }) => ({
        spec: spec(volume, placed),
        status: { phase: "Failed" } as const,
      })),
    ];
  }

  objects(): readonly VolumePluginBackup[] {
    return this.#entries.map(({ moving, snapshotID }) => {
      const { managedFields: _fields, ...metadata } = moving.object.metadata;
      const { phase = "", ...status } = moving.object.status ?? {};
      return { ...moving.object, metadata, status: { ...status, phase, snapshotID } };
    });
  }

  progress() {
    return this.#entries.map(({ volume, opened, moving }) => ({
      ...moving.progress(),
      title: `${volume} (${opened.plugin})`,
    }));
  }

  async cancel(): Promise<void> {
    const late = AbortSignal.timeout(60_000);
    // The plugins that the run had may have ended with it.
    const again = new OpenedLocations(this.#deps);
    try {
      for (const { snapshotID, place, moving } of this.#entries) {
        const { snapshotter } = await again.open(this.#location(place.location), late);
        await snapshotter.deleteSnapshot(snapshotID, late);
        const message = "the backup did not come to its end; the snapshot was removed";
        const completionTimestamp = timestamp(this.#deps.clock.now());
        const status = { phase: "Canceled", message, completionTimestamp };
        await this.#deps.status.finish(moving.target, { status });
      }
    } finally {
      await again.close();
      await this.#opened.close();
    }
  }

  #location(name: string): VolumeSnapshotLocation {
    const found = this.#locations.find(({ metadata }) => metadata.name === name);
    if (!found) throw new Error(`volume snapshot location "${name}" is gone`);
    return found;
  }

  /** Which locations know the volume; one that cannot be asked is an error, once. */
  async #claims(volume: PersistentVolume, found: Found, signal: AbortSignal) {
    const claims: { readonly opened: OpenedLocation; readonly volumeID: string }[] = [];
    for (const location of this.#locations) {
      const { name } = location.metadata;
      try {
        const opened = await this.#opened.open(location, this.#signal);
        const volumeID = await opened.snapshotter.getVolumeID(volume, signal);
        if (volumeID !== "") claims.push({ opened, volumeID });
      } catch (error) {
        signal.throwIfAborted();
        const subject = { resource: "volumesnapshotlocations.velero.io", name };
        if (!this.#told.has(name)) found.errors.add(subject, "the location cannot be used", words(error));
        this.#told.add(name);
      }
    }
    return claims;
  }

  async #create(
    volume: PersistentVolume,
    name: string,
    { opened, volumeID }: { readonly opened: OpenedLocation; readonly volumeID: string },
    found: Found,
    signal: AbortSignal,
  ): Promise<"taken" | "failed"> {
    const { metadata } = this.#context.backup;
    const { snapshotter } = opened;
    const volumeAZ = zoneOf(volume);
    const startTimestamp = timestamp(this.#deps.clock.now());
    const zone = volumeAZ !== "" && { volumeAZ };
    let placed: Placed = { location: opened.name, volumeID, volumeType: "", ...zone };
    try {
      const { type, iops } = await snapshotter.getVolumeInfo({ volumeID, volumeAZ }, signal);
      placed = { ...placed, volumeType: type, ...(iops !== undefined && { volumeIOPS: iops }) };
      const tags = { ...metadata.labels, "velero.io/backup": metadata.name, "velero.io/pv": name };
      const snapshotID = await snapshotter.createSnapshot({ volumeID, volumeAZ, tags }, signal);
      const same = this.#entries.find((entry) => entry.snapshotID === snapshotID);
      if (same) throw new Error(`the plugin returned "${snapshotID}", which is of volume "${same.volume}"`);
      const fresh = { volume: name, opened, snapshotID, placed, startTimestamp };
      const { object, way } = await this.#object(fresh, found, signal);
      this.#begin({ volume: name, snapshotID, place: { ...placed, way }, opened }, object, found);
      return "taken";
    } catch (error) {
      signal.throwIfAborted();
      this.#lost.push({ volume: name, placed });
      found.errors.add(subjectOf(name), `location "${opened.name}" took no snapshot`, words(error));
      return "failed";
    }
  }

  /** The object of a snapshot: the plugin's own, or one that we make. */
  async #object(
    fresh: Fresh,
    found: Found,
    signal: AbortSignal,
  ): Promise<{ object: VolumePluginBackup; way: Way }> {
    const own = await this.#own(fresh.snapshotID, signal);
    return own ? this.#adopted(own, fresh, found, signal) : this.#made(fresh, signal);
  }

  async #made({ volume, opened, placed, ...rest }: Fresh, signal: AbortSignal) {
    const { client, namespace } = this.#deps;
    const { backup } = this.#context;
    const way: Way = opened.snapshotter.progress ? "asked" : "silent";
    const { plugin } = opened;
    const wanted = newBackupObject({ ...rest, backup, namespace, volume, plugin, place: { ...placed, way } });
    const object = await client.create<VolumePluginBackup>(resources.pluginBackups, wanted, {}, signal);
    return { object, way };
  }

  async #adopted(own: VolumePluginBackup, fresh: Fresh, found: Found, signal: AbortSignal) {
    const { client, namespace } = this.#deps;
    const { backup } = this.#context;
    const { volume, snapshotID, placed } = fresh;
    const { name, uid = "" } = backup.metadata;
    const judged = adoption(own, { backup: name, backupUid: uid, volume, snapshotID });
    if ("fault" in judged) throw new Error(judged.fault);
    for (const remark of judged.remarks) found.warnings.add(subjectOf(volume), remark);
    const way: Way = "own";
    const metadata = { ...backupMeta(backup, { ...placed, way }), uid: own.metadata.uid };
    const object = await client.patch<VolumePluginBackup>(
      resources.pluginBackups,
      own.metadata.name,
      { type: "merge", body: { metadata } },
      { namespace },
      signal,
    );
    return { object, way };
  }

  async #own(snapshotID: string, signal: AbortSignal): Promise<VolumePluginBackup | undefined> {
    const { client, namespace } = this.#deps;
    const name = objectName(snapshotID);
    try {
      return await client.get<VolumePluginBackup>(resources.pluginBackups, name, { namespace }, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** A snapshot that an earlier run of this backup took: it is not taken again, only waited for. */
  async #again(
    object: VolumePluginBackup,
    place: SnapshotPlace,
    found: Found,
    signal: AbortSignal,
  ): Promise<"taken" | "failed"> {
    const volume = object.spec?.volume ?? "";
    const snapshotID = object.status?.snapshotID || object.metadata.name;
    try {
      const opened = await this.#opened.open(this.#location(place.location), this.#signal);
      this.#begin({ volume, snapshotID, place, opened }, object, found);
      return "taken";
    } catch (error) {
      signal.throwIfAborted();
      this.#lost.push({ volume, placed: place });
      found.errors.add(subjectOf(volume), `snapshot "${snapshotID}" is lost`, words(error));
      return "failed";
    }
  }

  #begin(given: Omit<Entry, "moving">, object: VolumePluginBackup, found: Found): void {
    const { snapshotter, plugin } = given.opened;
    const said = parseGoDurationMs(this.#context.backup.spec?.itemOperationTimeout ?? "");
    const moving = new Moving<VolumePluginBackup>(
      {
        ...this.#deps,
        resource: resources.pluginBackups,
        way: given.place.way,
        ask: snapshotter.progress && ((signal) => snapshotter.progress?.(given.snapshotID, signal) as never),
        limitMs: said || fourHoursMs,
        onMove: () => this.#context.moved(),
        onRemark: (remark) =>
          found.warnings.add(
            subjectOf(given.volume),
            `snapshot "${given.snapshotID}" by ${plugin}: ${remark}`,
          ),
      },
      object,
      this.#signal,
    );
    this.#entries.push({ ...given, moving });
    this.#context.moved();
  }
}

function subjectOf(name: string) {
  return { resource: "persistentvolumes", name };
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
