import {
  type ActionSet,
  type Backup,
  type KubeObject,
  type MigMigration,
  type OperationObject,
  type Restore,
  readOperation,
} from "../api/index.ts";
import { labelValue } from "../kube/index.ts";
import { type Memory, type Observation, type Operation, type Tracked, track } from "../progress/index.ts";
import { withDetails } from "./details.ts";
import { observeActionSet } from "./kanister.ts";
import { observeMigration } from "./migration.ts";
import { idOf } from "./reading.ts";
import { rootOf } from "./relations.ts";
import { observeBackup, observeRestore, type VolumeObject } from "./velero.ts";

/** An object that is an operation of its own. */
export type RootObject = Backup | Restore | ActionSet | MigMigration;

interface Root {
  readonly object: RootObject;
  tracked: Tracked | undefined;
}

/**
 * Every operation of one cluster, folded from what its objects say; no network, no clock of its own.
 *
 * Bounded by the number of root objects and their volumes in the cluster: what is deleted there is dropped here.
 */
export class Gallery {
  readonly #cluster: string | undefined;
  readonly #roots = new Map<string, Root>();
  /** Ids of roots by the place that their volumes name. */
  readonly #places = new Map<string, string>();
  /** Volumes by the root they name, which may come later than they do. */
  readonly #volumes = new Map<string, Map<string, VolumeObject>>();
  /** What Operation objects hold, by the root they describe. */
  readonly #details = new Map<
    string,
    { readonly operation: Operation; readonly memory: Memory | undefined }
  >();
  /** What an engine in this process said last, by the object's uid. */
  readonly #reports = new Map<string, Observation>();

  constructor(cluster?: string) {
    this.#cluster = cluster;
  }

  /** A root object as it is now; returns its id. */
  setRoot(object: RootObject): string {
    const id = idOf(object);
    const known = this.#roots.get(id);
    const same = known?.object.metadata.uid === object.metadata.uid;
    this.#roots.set(id, { object, tracked: same ? known?.tracked : undefined });
    this.#places.set(placeOf(object), id);
    return id;
  }

  /** A root object is gone; returns its id. */
  deleteRoot(object: RootObject): string {
    const id = idOf(object);
    this.#roots.delete(id);
    this.#places.delete(placeOf(object));
    this.#reports.delete(object.metadata.uid ?? "");
    return id;
  }

  /** A volume object as it is now, or gone; returns the id of the root it belongs to. */
  setVolume(object: VolumeObject, present: boolean): string | undefined {
    const place = rootOf(object);
    if (place === undefined) return undefined;
    const siblings = this.#volumes.get(place) ?? new Map<string, VolumeObject>();
    if (present) siblings.set(idOf(object), object);
    else siblings.delete(idOf(object));
    if (siblings.size > 0) this.#volumes.set(place, siblings);
    else this.#volumes.delete(place);
    return this.#places.get(place);
  }

  /** An Operation object as it is now, or gone; returns the id of the root it describes. */
  setDetails(object: OperationObject, present: boolean): string | undefined {
    const operation = readOperation(object);
    if (!operation) return undefined;
    const id = idOf({ ...operation.ref, metadata: operation.ref });
    if (present) this.#details.set(id, { operation, memory: object.status?.memory });
    else this.#details.delete(id);
    return this.#roots.has(id) ? id : undefined;
  }

  /** What an engine of this process says of its own work; returns the id of the root. */
  report(seen: Observation): string | undefined {
    const id = idOf({ ...seen.ref, metadata: seen.ref });
    if (!this.#roots.has(id)) return undefined;
    this.#reports.set(seen.ref.uid ?? "", seen);
    return id;
  }

  /** Folds what is known of a root; undefined when it is gone. */
  refresh(id: string, nowMs: number): Operation | undefined {
    const root = this.#roots.get(id);
    if (!root) return undefined;
    root.tracked = track(
      root.tracked ?? this.#stored(root.object, id),
      this.#observe(root.object, id),
      nowMs,
    );
    return root.tracked.operation;
  }

  /** The memory of a root, to write down with its Operation. */
  tracked(id: string): Tracked | undefined {
    return this.#roots.get(id)?.tracked;
  }

  ids(): Iterable<string> {
    return this.#roots.keys();
  }

  #observe(object: RootObject, id: string): Observation {
    const seen = this.#seen(object);
    return withDetails(
      seen,
      this.#reports.get(object.metadata.uid ?? "") ?? this.#details.get(id)?.operation,
    );
  }

  /** What an earlier process wrote down of this very object: its numbers continue. */
  #stored(object: RootObject, id: string): Tracked | undefined {
    const { operation, memory } = this.#details.get(id) ?? {};
    return operation && memory && operation.ref.uid === object.metadata.uid
      ? { operation, memory }
      : undefined;
  }

  #seen(object: RootObject): Observation {
    switch (object.kind) {
      case "Backup":
        return observeBackup(object, this.#volumesOf(object), this.#cluster);
      case "Restore":
        return observeRestore(object, this.#volumesOf(object), this.#cluster);
      case "ActionSet":
        return observeActionSet(object, this.#cluster);
      case "MigMigration":
        return observeMigration(object, this.#cluster);
    }
  }

  #volumesOf(object: KubeObject): readonly VolumeObject[] {
    const found = this.#volumes.get(placeOf(object))?.values() ?? [];
    return [...found].toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  }
}

/** A root by what its volumes know of it: a name that went through the rule of label values. */
function placeOf(object: KubeObject): string {
  return `${object.kind}/${object.metadata.namespace ?? ""}/${labelValue(object.metadata.name)}`;
}
