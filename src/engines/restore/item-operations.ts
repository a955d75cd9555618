import type { Backup, Restore, StoredRestoreOperation } from "../../api/index.ts";
import { countOperations, type ItemOperation } from "../../kinds/index.ts";
import type { Item } from "./archive/item-json.ts";
import type { SpoolKey } from "./archive/spool.ts";
import type { RunLog } from "./run-log.ts";

/** An operation on an item of a restore, as it is now. */
export type RestoreItemOperation = ItemOperation<StoredRestoreOperation>;

/** An item on its way from the archive into the cluster. */
export interface ItemOnItsWay {
  /** `persistentvolumeclaims`, `volumesnapshots.snapshot.storage.k8s.io`. */
  readonly groupResource: string;
  /** As the archive has it. */
  readonly archived: Item;
  /** As it goes to the cluster so far, in its target namespace. */
  readonly item: Item;
  readonly target: string;
}

/** What becomes of an item. */
export type ItemOutcome = { readonly item: Item } | { readonly skip: string };

/** What a source may ask of the run that opened it. */
interface RestoreOperationsContext {
  readonly restore: Restore;
  readonly backup: Backup;
  readonly log: Pick<RunLog, "fail" | "warn" | "info">;
  /** Where a namespace of the backup goes. */
  target(namespace: string): string;
  /** An item of the archive, read; undefined when it is not there. */
  archived(key: SpoolKey): Promise<Item | undefined>;
  /** Called when something moved. */
  readonly moved: () => void;
}

/**
 * One source of actions on items and of the operations that they begin, for the length of one run: CSI snapshots, data
 * movement, plugins. After a restart the same restore is run again: what was begun is found again, and not begun twice.
 */
export interface RestoreOperations {
  /** Items of the archive that must be there before this one, whatever the filters say. */
  needs(groupResource: string, archived: Item): readonly SpoolKey[];
  /** What becomes of an item; undefined when this source has nothing to do with it. Throws when it cannot be restored. */
  act(given: ItemOnItsWay, signal: AbortSignal): Promise<ItemOutcome | undefined>;
  /** All operations that were begun, in the order of their beginning. */
  list(): readonly RestoreItemOperation[];
  /** Waits until all have ended; failures go to the log. One that outlasts the itemOperationTimeout is canceled and has failed. */
  finish(signal: AbortSignal): Promise<void>;
  /** What the restore's volume infos say about volumes that came back this way. */
  volumeInfos(signal: AbortSignal): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** The restore comes to nothing: what still runs is asked to stop. */
  cancel(signal: AbortSignal): Promise<void>;
}

/** Opens a source for one run. */
export type OpenRestoreOperations = (
  context: RestoreOperationsContext,
  signal: AbortSignal,
) => Promise<RestoreOperations>;

/** Several sources as one; an item goes through all of them, in their order. */
export class AllRestoreOperations implements RestoreOperations {
  readonly #sources: readonly RestoreOperations[];

  constructor(sources: readonly RestoreOperations[]) {
    this.#sources = sources;
  }

  needs(groupResource: string, archived: Item): readonly SpoolKey[] {
    return this.#sources.flatMap((source) => source.needs(groupResource, archived));
  }

  async act(given: ItemOnItsWay, signal: AbortSignal): Promise<ItemOutcome | undefined> {
    let now: ItemOutcome | undefined;
    for (const source of this.#sources) {
      const item = now && "item" in now ? now.item : given.item;
      const outcome = await source.act({ ...given, item }, signal);
      if (outcome && "skip" in outcome) return outcome;
      now = outcome ?? now;
    }
    return now;
  }

  list(): readonly RestoreItemOperation[] {
    return this.#sources.flatMap((source) => source.list());
  }

  /** The counters of the restore's status. */
  counts(): Readonly<Record<string, number>> {
    return countOperations("restore", this.list());
  }

  async finish(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.finish(signal)));
  }

  async volumeInfos(signal: AbortSignal): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await Promise.all(this.#sources.map((source) => source.volumeInfos(signal)))).flat();
  }

  async cancel(signal: AbortSignal): Promise<void> {
    await Promise.allSettled(this.#sources.map((source) => source.cancel(signal)));
  }
}
