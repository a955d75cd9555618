import {
  type Backup,
  formatTime,
  parseGoDurationMs,
  type VolumePluginBackup,
  type VolumeSnapshotLocation,
  veleroNames,
} from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import type { Client, Clock, Log, StatusWriter } from "../../kube/index.ts";
import type { PersistentVolume, Plugins, SnapshotRequest } from "../../plugins/index.ts";
import type { Reporter } from "../../report/index.ts";
import { type Begun, BegunBook } from "./begun.ts";
import { giveUp } from "./give-up.ts";
import { locationsOf } from "./locations.ts";
import { Moving } from "./moving.ts";
import { type OpenedLocation, OpenedLocations } from "./opened-locations.ts";
import { readPlace, type SnapshotPlace } from "./place.ts";
import { recordOf } from "./records.ts";
import { resources } from "./resources.ts";
import { Foreign, type Fresh, type Placed, snapshotObject, strayObject } from "./snapshot-object.ts";
import { storedSnapshot } from "./stored-snapshots.ts";
import { zoneOf } from "./zone.ts";

/** What taking snapshots needs. */
export interface SnapshotDeps {
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly status: StatusWriter;
  readonly report: Reporter;
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
  readonly #book: BegunBook;
  /** Those of the backup, and every one that there is. */
  #locations: readonly VolumeSnapshotLocation[] = [];
  #all: readonly VolumeSnapshotLocation[] = [];
  /** What earlier runs took, and what they asked for without hearing the answer. */
  #earlier: readonly VolumePluginBackup[] = [];
  #begun: readonly Begun[] = [];

  constructor(deps: SnapshotDeps, context: RunContext, signal: AbortSignal) {
    this.#deps = deps;
    this.#context = context;
    this.#signal = signal;
    this.#opened = new OpenedLocations(deps);
    this.#book = new BegunBook(deps.client, context.backup);
    signal.addEventListener("abort", () => void this.#opened.close(), { once: true });
  }

  async open(): Promise<void> {
    const { client, namespace } = this.#deps;
    const { spec, metadata } = this.#context.backup;
    if (spec?.snapshotVolumes === false) return;
    const query = { namespace };
    this.#all = await client.list<VolumeSnapshotLocation>(resources.snapshotLocations, query, this.#signal);
    this.#locations = locationsOf(spec?.volumeSnapshotLocations, this.#all);
    if (this.#all.length === 0) return;
    const mine = { namespace, labelSelector: `${veleroNames.backupUid}=${metadata.uid ?? ""}` };
    const objects = await client.list<VolumePluginBackup>(resources.pluginBackups, mine, this.#signal);
    // Canceled: it was removed again, by a run that came to nothing.
    this.#earlier = objects.filter(({ status }) => status?.phase !== "Canceled");
    this.#begun = await this.#book.read(this.#signal);
  }

  async take(volume: PersistentVolume, found: Found, signal: AbortSignal): Promise<Taken> {
    const { name } = volume["metadata"] as { name: string }; // the server's own shape
    if (this.#locations.length === 0) return { skipped: "the backup has no volume snapshot location" };
    const earlier = this.#earlier.find(({ spec }) => spec?.volume === name);
    const place = readPlace(earlier?.metadata.annotations);
    if (earlier && place) return this.#again(earlier, place, found, signal);
    const begun = this.#begun.find((one) => one.volume === name);
    const back = begun && (await this.#back(begun, found, signal));
    if (back) return back;
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
    const { backup } = this.#context;
    return [
      ...this.#entries.map(({ volume, place, snapshotID, moving }) =>
        storedSnapshot(backup, volume, place, { providerSnapshotID: snapshotID, phase: phaseOf(moving) }),
      ),
      ...this.#lost.map(({ volume, placed }) => storedSnapshot(backup, volume, placed, { phase: "Failed" })),
    ];
  }

  objects(): readonly VolumePluginBackup[] {
    return this.#entries.map(({ moving, snapshotID }) => {
      const record = recordOf(moving.object);
      const { phase = "", ...status } = record.status ?? {};
      return { ...record, status: { ...status, phase, snapshotID } };
    });
  }

  async cancel(): Promise<void> {
    const taken = new Map<string, VolumePluginBackup>();
    for (const object of this.#earlier) taken.set(object.metadata.name, object);
    for (const { moving } of this.#entries) taken.set(moving.object.metadata.name, moving.object);
    await this.#opened.close();
    const late = AbortSignal.timeout(60_000);
    const begun = await this.#book.read(late);
    const request = (one: Begun) => this.#request(one.volume, one.volumeID, one.volumeAZ);
    const ended = (volume: string) => this.#book.end(volume, late);
    const locations = this.#all;
    await giveUp({ ...this.#deps, locations, request, ended }, { taken: [...taken.values()], begun }, late);
  }

  #location(name: string): VolumeSnapshotLocation {
    const found = this.#all.find(({ metadata }) => metadata.name === name);
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
        if (!this.#told.has(name)) found.errors.add(subject, "the location cannot be used", messageOf(error));
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
    const { snapshotter } = opened;
    const volumeAZ = zoneOf(volume);
    const startTimestamp = formatTime(this.#deps.clock.now());
    let placed = placedAt(opened.name, volumeID, volumeAZ);
    try {
      const { type, iops } = await snapshotter.getVolumeInfo({ volumeID, volumeAZ }, signal);
      placed = { ...placed, volumeType: type, ...(iops !== undefined && { volumeIOPS: iops }) };
      const begun = { volume: name, location: opened.name, volumeID, volumeAZ, at: startTimestamp };
      await this.#book.begin(begun, signal);
      const snapshotID = await snapshotter.createSnapshot(this.#request(name, volumeID, volumeAZ), signal);
      await this.#took({ volume: name, opened, snapshotID, placed, startTimestamp }, found, signal);
      return "taken";
    } catch (error) {
      signal.throwIfAborted();
      this.#lost.push({ volume: name, placed });
      found.errors.add(subjectOf(name), `location "${opened.name}" took no snapshot`, messageOf(error));
      return "failed";
    } finally {
      // Told to stop in the middle: the trace stays for whoever cleans up.
      if (!signal.aborted)
        await this.#book.end(name, signal).catch((error: unknown) => this.#untraced(error));
    }
  }

  #untraced(error: unknown): void {
    this.#deps.log("warning", "a finished snapshot is still marked as begun", { error });
  }

  #request(volume: string, volumeID: string, volumeAZ: string): SnapshotRequest {
    const { labels, name, uid = "" } = this.#context.backup.metadata;
    const own = { "velero.io/backup": name, "velero.io/pv": volume, "headway.dev/backup-uid": uid };
    return { volumeID, volumeAZ, tags: { ...labels, ...own } };
  }

  /** Gives a snapshot its object; one that gets none is removed, for nobody would ever find it. */
  async #took(given: Omit<Fresh, "backup">, found: Found, signal: AbortSignal): Promise<void> {
    const { volume, opened, snapshotID, placed } = given;
    const same = this.#entries.find((entry) => entry.snapshotID === snapshotID);
    if (same) throw new Error(`the plugin returned "${snapshotID}", which is of volume "${same.volume}"`);
    const fresh = { ...given, backup: this.#context.backup };
    const onRemark = (remark: string) => found.warnings.add(subjectOf(volume), remark);
    try {
      const { object, way } = await snapshotObject(this.#deps, fresh, onRemark, signal);
      this.#begin({ volume, snapshotID, place: { ...placed, way }, opened }, object, found);
    } catch (error) {
      if (error instanceof Foreign || signal.aborted) throw error;
      const left = await opened.snapshotter.deleteSnapshot(snapshotID, signal).then(
        () => "it was removed",
        (why: unknown) => `it is left behind: ${messageOf(why)}`,
      );
      throw new Error(`snapshot "${snapshotID}" has no VolumePluginBackup (${messageOf(error)}); ${left}`, {
        cause: error,
      });
    }
  }

  /** A snapshot that an earlier run asked for: found again, or told of and taken anew. */
  async #back(begun: Begun, found: Found, signal: AbortSignal): Promise<"taken" | undefined> {
    const { volume, location, volumeID, volumeAZ, at } = begun;
    let why = "its plugin cannot be asked for it";
    try {
      const opened = await this.#opened.open(this.#location(location), this.#signal);
      const request = this.#request(volume, volumeID, volumeAZ);
      const { snapshotter } = opened;
      const stray = await strayObject(this.#deps, this.#context.backup.metadata.name, volume, signal);
      const snapshotID = stray
        ? stray.status?.snapshotID || stray.metadata.name
        : await snapshotter.findSnapshot?.(request, signal);
      if (snapshotID) {
        const { type, iops } = await snapshotter.getVolumeInfo({ volumeID, volumeAZ }, signal);
        const rest = { volumeType: type, ...(iops !== undefined && { volumeIOPS: iops }) };
        const placed = { ...placedAt(location, volumeID, volumeAZ), ...rest };
        await this.#took({ volume, opened, snapshotID, placed, startTimestamp: at }, found, signal);
        return "taken";
      }
      if (snapshotter.findSnapshot) return undefined;
    } catch (error) {
      signal.throwIfAborted();
      why = messageOf(error);
    } finally {
      if (!signal.aborted)
        await this.#book.end(volume, signal).catch((error: unknown) => this.#untraced(error));
    }
    const { name } = this.#context.backup.metadata;
    const tags = `velero.io/backup=${name}, velero.io/pv=${volume}`;
    const what = `the operator ended while location "${location}" took a snapshot of it (${at})`;
    found.warnings.add(subjectOf(volume), `${what}; one with the tags ${tags} may be left there: ${why}`);
    return undefined;
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
      found.errors.add(subjectOf(volume), `snapshot "${snapshotID}" is lost`, messageOf(error));
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

function placedAt(location: string, volumeID: string, volumeAZ: string): Placed {
  return { location, volumeID, volumeType: "", ...(volumeAZ !== "" && { volumeAZ }) };
}

function phaseOf({ end }: Entry["moving"]): "New" | "Completed" | "Failed" {
  if (end === undefined) return "New";
  return end.failed === undefined ? "Completed" : "Failed";
}

function subjectOf(name: string) {
  return { resource: "persistentvolumes", name };
}
