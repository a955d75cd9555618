import type { Backup, Restore } from "../../api/index.ts";
import type { StallCause } from "../../progress/index.ts";
import type { Store } from "../../store/index.ts";
import type { Item } from "./archive/item-json.ts";
import type { ItemOutcome, RestoreOperations } from "./item-operations.ts";
import type { RunLog } from "./run-log.ts";

/** An item that a plugin names; the type is its plural with the group, as in the archive. */
export interface NamedItem {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** An item between the archive and the cluster, before modifiers and namespaces are looked at. */
export interface ItemForActions {
  /** `persistentvolumeclaims`, `deployments.apps`. */
  readonly groupResource: string;
  /** As the archive has it. */
  readonly archived: Item;
  /** As it is now: without what belongs to the cluster that it came from. */
  readonly item: Item;
  /** The namespace that it goes to; "" for items without one. */
  readonly target: string;
}

/** Actions of plugins on the items of one run, and the operations that they begin. */
export interface RestoreActions extends RestoreOperations {
  /** Whether any action may want items of a type. */
  wants(groupResource: string): boolean;
  /**
   * Lets every action that wants an item have it, one after the other. `bring` restores an item that a plugin names, and says
   * whether it is there afterwards. Throws in the words of the plugin that failed.
   */
  change(
    given: ItemForActions,
    bring: (item: NamedItem) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<ItemOutcome>;
  /** The restore has stored what it knows: what was kept in case of a kill goes. */
  forget(signal: AbortSignal): Promise<void>;
  /** Ends the plugins. */
  close(): Promise<void>;
}

/** What opening the actions of a run is given. */
interface RestoreActionsContext {
  readonly restore: Restore;
  readonly backup: Backup;
  readonly store: Store;
  readonly log: Pick<RunLog, "fail" | "warn" | "info">;
  /** A type (`deployments.apps`) by any word for it. */
  readonly resolve: (word: string) => string | undefined;
  /** How long additional items are waited for where the plugin names no time. */
  readonly readyTimeoutMs: number;
  readonly moved: () => void;
  /** Told while a plugin takes long over an item. */
  readonly waiting: (what: string | undefined, cause?: StallCause) => void;
}

/** Opens the actions of a run. */
export type OpenRestoreActions = (
  context: RestoreActionsContext,
  signal: AbortSignal,
) => Promise<RestoreActions>;
