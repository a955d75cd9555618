import { type KubeObject, type OperationObject, readOperation } from "../api/index.ts";
import { idOf, type RootObject, readRoot, rootOf, type VolumeObject } from "../kinds/index.ts";
import { labelValue } from "../kube/index.ts";
import {
  isTerminal,
  type Memory,
  type Observation,
  type Operation,
  type StallCause,
  type Tracked,
  track,
} from "../progress/index.ts";
import { tellsMore, withDetails } from "./details.ts";
import { type HistoryBook, withHistory } from "./history.ts";

/** What a gallery may be given besides the objects. */
export interface GalleryOptions {
  /** The name of the cluster in references; absent for the only one. */
  readonly cluster?: string | undefined;
  /** What earlier runs taught. */
  readonly book?: ((object: RootObject) => HistoryBook | undefined) | undefined;
  /** Told when an operation has ended that was seen on its way. */
  readonly onEnd?: ((object: RootObject, tracked: Tracked) => void) | undefined;
  /** Evidence of why a volume may stand still. */
  readonly causes?: ((volume: VolumeObject) => readonly StallCause[]) | undefined;
}

/** What the cluster holds of an operation already. */
export interface Stored {
  readonly object: OperationObject;
  readonly operation: Operation;
  readonly memory: Memory | undefined;
}

interface Root {
  readonly object: RootObject;
  tracked: Tracked | undefined;
  /** Taken once, when the run is first seen: lessons of other runs do not move its bar. */
  lessons: { readonly book: HistoryBook | undefined; readonly fresh: boolean } | undefined;
}

/**
 * Every operation of one cluster, folded from what its objects say; no network, no clock of its own.
 *
 * Bounded by the number of root objects and their volumes in the cluster: what is deleted there is dropped here.
 */
export class Gallery {
  readonly #options: GalleryOptions;
  readonly #roots = new Map<string, Root>();
  /** Ids of roots by the place that their volumes name. */
  readonly #places = new Map<string, string>();
  /** Volumes by the root they name, which may come later than they do. */
  readonly #volumes = new Map<string, Map<string, VolumeObject>>();
  /** What Operation objects hold, by the root they describe. */
  readonly #details = new Map<string, Stored>();
  /** What an engine in this process said last, by the object's uid. */
  readonly #reports = new Map<string, Observation>();

  constructor(options: GalleryOptions = {}) {
    this.#options = options;
  }

  /** A root object as it is now; returns its id. */
  setRoot(object: RootObject): string {
    const id = idOf(object);
    const known = this.#roots.get(id);
    const same = known?.object.metadata.uid === object.metadata.uid ? known : undefined;
    this.#roots.set(id, { object, tracked: same?.tracked, lessons: same?.lessons });
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
    if (present) this.#details.set(id, { object, operation, memory: object.status?.memory });
    else this.#details.delete(id);
    return this.#roots.has(id) ? id : undefined;
  }

  /** What an engine of this process says of its own work; returns the id of the root. */
  report(seen: Observation): string | undefined {
    const id = idOf({ ...seen.ref, metadata: seen.ref });
    const { uid = "" } = seen.ref;
    if (!this.#roots.has(id)) return undefined;
    // The last word of a run has no steps: those that it told before are how it went.
    const children = seen.children?.length ? seen.children : this.#reports.get(uid)?.children;
    this.#reports.set(uid, { ...seen, ...(children && { children }) });
    return id;
  }

  /** Folds what is known of a root; undefined when it is gone. */
  refresh(id: string, nowMs: number): Operation | undefined {
    const root = this.#roots.get(id);
    if (!root) return undefined;
    const before = root.tracked ?? this.#earlier(root.object, id);
    root.lessons ??= { book: this.#options.book?.(root.object), fresh: before === undefined };
    const { book, fresh } = root.lessons;
    root.tracked = track(before, withHistory(this.#observe(root.object, id), book, fresh), nowMs);
    const wasUnderWay = before !== undefined && !isTerminal(before.operation.state);
    if (wasUnderWay && isTerminal(root.tracked.operation.state)) {
      this.#options.onEnd?.(root.object, root.tracked);
    }
    return root.tracked.operation;
  }

  /** The object itself. */
  object(id: string): RootObject | undefined {
    return this.#roots.get(id)?.object;
  }

  /** What the cluster holds of an operation already, if it is of this very object. */
  stored(id: string): Stored | undefined {
    const [found, object] = [this.#details.get(id), this.#roots.get(id)?.object];
    return found && object && found.operation.ref.uid === object.metadata.uid ? found : undefined;
  }

  /** The memory of a root, to write down with its Operation. */
  tracked(id: string): Tracked | undefined {
    return this.#roots.get(id)?.tracked;
  }

  ids(): Iterable<string> {
    return this.#roots.keys();
  }

  #observe(object: RootObject, id: string): Observation {
    const seen = this.#withCauses(readRoot(object, this.#volumesOf(object), this.#options.cluster), object);
    const written = this.#details.get(id)?.operation;
    const report = this.#reports.get(object.metadata.uid ?? "");
    const told = report?.children?.length ? report : tellsMore(written, seen) ? written : report;
    return withDetails(seen, told);
  }

  /** What an earlier process wrote down of this very object: its numbers continue. */
  #earlier(object: RootObject, id: string): Tracked | undefined {
    const { operation, memory } = this.#details.get(id) ?? {};
    return operation && memory && operation.ref.uid === object.metadata.uid
      ? { operation, memory }
      : undefined;
  }

  #withCauses(seen: Observation, object: RootObject): Observation {
    const { causes } = this.#options;
    if (!causes || (object.kind !== "Backup" && object.kind !== "Restore")) return seen;
    const byId = new Map(this.#volumesOf(object).map((volume) => [idOf(volume), volume]));
    if (byId.size === 0) return seen;
    const judge = (part: Observation): Observation => {
      const volume = byId.get(part.id);
      const found = volume ? causes(volume) : [];
      return {
        ...part,
        ...(found.length > 0 && { signals: { ...part.signals, causes: found } }),
        ...(part.children && { children: part.children.map(judge) }),
      };
    };
    return judge(seen);
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
