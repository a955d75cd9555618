import { type KubeObject, type OperationObject, readOperation } from "../api/index.ts";
import {
  idOf,
  type RootObject,
  readRoot,
  readVolume,
  rootOf,
  rootStateOf,
  type VolumeObject,
} from "../kinds/index.ts";
import { labelValue } from "../kube/index.ts";
import {
  isTerminal,
  type Memory,
  type Observation,
  type Operation,
  type Stall,
  type StallCause,
  type Tracked,
  track,
} from "../progress/index.ts";
import { type Claim, isAuthorOf, isSettled } from "./authorship.ts";
import { withFreshBytes } from "./fresh-bytes.ts";
import { type HistoryBook, withHistory } from "./history.ts";

/** What a store may be given besides the objects. */
export interface OperationStoreOptions {
  /** The name of the cluster in references; absent for the only one. */
  readonly cluster?: string | undefined;
  /**
   * The name under which this process writes Operation objects, while it does. It never believes its own echo; where
   * somebody else is the author it believes the Operation, as every viewer does.
   */
  readonly author?: (() => string | undefined) | undefined;
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
  /** Epoch ms at which this process saw it change. */
  readonly seenAt: number;
}

interface Root {
  readonly object: RootObject;
  tracked: Tracked | undefined;
  /** What an engine of this process said last; its word is the truth, and the object's status follows from it. */
  told: Observation | undefined;
  /** Taken once, when the run is first seen: lessons of other runs do not move its bar. */
  lessons: { readonly book: HistoryBook | undefined; readonly fresh: boolean } | undefined;
  /** Epoch ms at which the object was first seen to have ended. */
  endSeenAt: number | undefined;
}

/** The author of an Operation has so long to write its last word after the object's own end. */
const lastWordMs = 3_000;
/** Running work is written every ten seconds at least: an author that has missed three of them does not work. */
const silentMs = 30_000;

/**
 * Every operation of one cluster, each with one source: what an engine of this process says; else, for everybody but its
 * author, what the Operation object says; else what the root object and its volumes say. No network, no clock of its own.
 *
 * Bounded by the number of root objects and their volumes in the cluster: what is deleted there is dropped here.
 */
export class OperationStore {
  readonly #options: OperationStoreOptions;
  readonly #roots = new Map<string, Root>();
  /** Ids of roots by the place that their volumes name. */
  readonly #places = new Map<string, string>();
  /** Volumes by the root they name, which may come later than they do. */
  readonly #volumes = new Map<string, Map<string, VolumeObject>>();
  /** What Operation objects hold, by the root they describe. */
  readonly #stored = new Map<string, Stored>();

  constructor(options: OperationStoreOptions = {}) {
    this.#options = options;
  }

  /** A root object as it is now; returns its id. */
  setRoot(object: RootObject): string {
    const id = idOf(object);
    const known = this.#roots.get(id);
    const same = known?.object.metadata.uid === object.metadata.uid ? known : undefined;
    this.#roots.set(id, {
      object,
      tracked: same?.tracked,
      told: same?.told,
      lessons: same?.lessons,
      endSeenAt: same?.endSeenAt,
    });
    this.#places.set(placeOf(object), id);
    return id;
  }

  /** A root object is gone; returns its id. */
  deleteRoot(object: RootObject): string {
    const id = idOf(object);
    this.#roots.delete(id);
    this.#places.delete(placeOf(object));
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
  setStored(object: OperationObject, present: boolean, nowMs: number): string | undefined {
    const operation = readOperation(object);
    if (!operation) return undefined;
    const id = idOf({ ...operation.ref, metadata: operation.ref });
    if (present) this.#stored.set(id, { object, operation, memory: object.status?.memory, seenAt: nowMs });
    else this.#stored.delete(id);
    return this.#roots.has(id) ? id : undefined;
  }

  /** What an engine of this process says of its own work, folded. */
  report(object: RootObject, seen: Observation, nowMs: number): Tracked {
    const id = idOf(object);
    // The engine may know its object before the watch does.
    if (this.#roots.get(id)?.object.metadata.uid !== object.metadata.uid) this.setRoot(object);
    const root = this.#roots.get(id);
    // The last word of a run has no steps: those that it told before are how it went.
    const children = seen.children ?? root?.told?.children;
    if (root) root.told = { ...seen, ...(children && { children }) };
    this.refresh(id, nowMs);
    return root?.tracked ?? track(undefined, seen, nowMs);
  }

  /** The engines of this process have stopped: what they said last is no longer how it is. */
  forgetReports(): void {
    for (const root of this.#roots.values()) root.told = undefined;
  }

  /** Folds what is known of a root; undefined when it is gone. */
  refresh(id: string, nowMs: number): Operation | undefined {
    const root = this.#roots.get(id);
    if (!root) return undefined;
    const before = root.tracked ?? this.#earlier(root, id, nowMs);
    if (before && isTerminal(before.operation.state)) root.tracked = before;
    else root.tracked = this.#fold(root, id, before, nowMs);
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

  /** Whether an engine of this process does the work. */
  isTold(id: string): boolean {
    return this.#roots.get(id)?.told !== undefined;
  }

  /** What the cluster holds of an operation already, if it is of this very object. */
  stored(id: string): Stored | undefined {
    const [found, object] = [this.#stored.get(id), this.#roots.get(id)?.object];
    return found && object && found.operation.ref.uid === object.metadata.uid ? found : undefined;
  }

  /** The memory of a root, to write down with its Operation. */
  tracked(id: string): Tracked | undefined {
    return this.#roots.get(id)?.tracked;
  }

  /** Whether this process writes the Operation of a root. */
  isAuthor(id: string, nowMs: number): boolean {
    const claim = this.#claim(id, nowMs);
    return claim !== undefined && isAuthorOf(claim);
  }

  /** Whether it is open who writes it. */
  isOpen(id: string, nowMs: number): boolean {
    const claim = this.#claim(id, nowMs);
    return claim !== undefined && !isSettled(claim, nowMs);
  }

  #claim(id: string, nowMs: number): Claim | undefined {
    const [me, root, stored] = [this.#options.author?.(), this.#roots.get(id), this.stored(id)];
    if (me === undefined || !root) return undefined;
    const { object, told } = root;
    return {
      me,
      object,
      told: told !== undefined,
      stored: stored && {
        author: stored.object.status?.author,
        state: stored.operation.state,
        ageMs: nowMs - stored.seenAt,
      },
    };
  }

  #fold(root: Root, id: string, before: Tracked | undefined, nowMs: number): Tracked {
    const stored = this.isAuthor(id, nowMs) ? undefined : this.stored(id);
    if (!root.told && stored && !isLeft(stored, nowMs)) {
      return held(before, this.#believed(root, stored, nowMs));
    }
    const { object } = root;
    const seen = root.told
      ? endedBy(object, root.told)
      : readRoot(object, this.#volumesOf(object), this.#options.cluster);
    root.lessons ??= { book: this.#options.book?.(object), fresh: before === undefined };
    const { book, fresh } = root.lessons;
    return track(before, withHistory(this.#withCauses(seen, object), book, fresh), nowMs);
  }

  /** What its author wrote, with the bytes of its volumes as they are now; where the author has fallen silent, that it has, and how the object itself ended. */
  #believed(root: Root, stored: Stored, nowMs: number): Tracked {
    const { object } = root;
    const written = { operation: stored.operation, memory: stored.memory ?? { children: [] } };
    if (isTerminal(written.operation.state)) return written;
    if (isTerminal(rootStateOf(object))) root.endSeenAt ??= nowMs;
    if (root.endSeenAt !== undefined && nowMs - root.endSeenAt >= lastWordMs) {
      // Steps that its author told are how it went; the object tells how it ended.
      const { children: _, ...end } = readRoot(object, [], this.#options.cluster);
      return track(written, end, nowMs);
    }
    const volumes = this.#volumesOf(object).map((volume) => readVolume(volume, this.#options.cluster));
    const fresh = withFreshBytes(written, volumes, nowMs);
    if (!isSilent(stored, nowMs)) return fresh;
    return { ...fresh, operation: { ...fresh.operation, stall: silenceOf(stored) } };
  }

  /** What an earlier process wrote down of this very object: its numbers continue. Without that, what the object shows. */
  #earlier({ object, told }: Root, id: string, nowMs: number): Tracked | undefined {
    const { operation, memory } = this.stored(id) ?? {};
    if (operation && memory) return { operation, memory };
    if (!told || rootStateOf(object) !== "running") return undefined;
    return track(undefined, readRoot(object, this.#volumesOf(object), this.#options.cluster), nowMs);
  }

  #withCauses(seen: Observation, object: RootObject): Observation {
    const { causes } = this.#options;
    const byId = causes ? this.#volumesBelow(object) : new Map<string, VolumeObject>();
    if (!causes || byId.size === 0) return seen;
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

  /** Volumes by id that may be told below a root. A drill tells those of its restore, which are found among all. */
  #volumesBelow(object: RootObject): ReadonlyMap<string, VolumeObject> {
    if (object.kind === "Backup" || object.kind === "Restore")
      return this.#volumes.get(placeOf(object)) ?? new Map();
    if (object.kind !== "Drill" || isTerminal(rootStateOf(object))) return new Map();
    return new Map([...this.#volumes.values()].flatMap((siblings) => [...siblings]));
  }

  #volumesOf(object: KubeObject): readonly VolumeObject[] {
    const found = this.#volumes.get(placeOf(object))?.values() ?? [];
    return [...found].toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  }
}

function isSilent({ operation, seenAt }: Stored, nowMs: number): boolean {
  return operation.state === "running" && nowMs - seenAt >= silentMs;
}

/** Its author only watched somebody else's work, and no longer does: the objects go on telling it. */
function isLeft(stored: Stored, nowMs: number): boolean {
  return stored.object.status?.watched === true && isSilent(stored, nowMs);
}

function silenceOf({ seenAt }: Stored): Stall {
  return { since: seenAt, cause: "operator-silent" };
}

/** An engine may fall silent before its last word: how the object ended is known, and its steps are as they were told. */
function endedBy(object: RootObject, told: Observation): Observation {
  const isTold = told.state !== undefined && isTerminal(told.state);
  if (isTold || !isTerminal(rootStateOf(object))) return told;
  return { ...readRoot(object, []), ...(told.children && { children: told.children }) };
}

/** A viewer that met the operation before its Operation was there has shown a share already: it does not fall. */
function held(before: Tracked | undefined, now: Tracked): Tracked {
  const operation = before ? notBelow(before.operation, now.operation) : now.operation;
  return operation === now.operation ? now : { ...now, operation };
}

function notBelow(before: Operation, now: Operation): Operation {
  const known = new Map(before.children.map((child) => [child.id, child]));
  const children = now.children.map((child) => {
    const old = known.get(child.id);
    return old ? notBelow(old, child) : child;
  });
  const isLower = (before.fraction ?? 0) > (now.fraction ?? 0) && before.fraction !== undefined;
  if (!isLower && children.every((child, i) => child === now.children[i])) return now;
  return { ...now, ...(isLower && { fraction: before.fraction }), children };
}

/** A root by what its volumes know of it: a name that went through the rule of label values. */
function placeOf(object: KubeObject): string {
  return `${object.kind}/${object.metadata.namespace ?? ""}/${labelValue(object.metadata.name)}`;
}
