import type { Backup } from "../../api/index.ts";
import type { StallCause } from "../../progress/index.ts";
import type { Store } from "../../store/index.ts";
import type { ItemOperations } from "./item-operations.ts";

/** An item on its way into the archive. */
interface ItemForActions {
  /** `deployments.apps`, `pods`. */
  readonly groupResource: string;
  /** Absent for items without one. */
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly json: Uint8Array;
  /** All operations have ended, and the item is read again: no action may begin another one. */
  readonly isFinal?: boolean;
}

/** What actions made of an item: it may have another name or namespace now, or be left out. */
export type ActedItem =
  | { readonly json: Uint8Array; readonly name: string; readonly namespace?: string | undefined }
  | { readonly dropped: string };

/** An item that a plugin names; the type may be any word that the cluster knows. */
export interface NamedItem {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Brings an item into the backup before the one that needs it; `must` past the filters. Throws when that is not possible. */
type BringItem = (item: NamedItem, must: boolean) => Promise<void>;

/** Actions of plugins on the items of one run, and the operations that they begin. */
export interface ItemActions extends ItemOperations {
  /** Whether any action may want items of a type. */
  wants(groupResource: string): boolean;
  /** Whether any action may know what belongs to items of a type. */
  wantsBlocks(groupResource: string): boolean;
  /** Lets every action that wants an item have it, one after the other. Throws in the words of the plugin that failed. */
  act(item: ItemForActions, bring: BringItem, signal: AbortSignal): Promise<ActedItem>;
  /** Items that must be stored together with this one; what fails is told through `failed`, and the others still count. */
  relatedItems(
    item: ItemForActions,
    failed: (why: string) => void,
    signal: AbortSignal,
  ): Promise<readonly NamedItem[]>;
  /** Items that are read again when all operations have ended, and stored as they are then. */
  finalItems(): readonly NamedItem[];
  /** The backup is stored: what was kept in case of a kill goes. */
  forget(signal: AbortSignal): Promise<void>;
  /** Ends the plugins. */
  close(): Promise<void>;
}

/** What opening the actions of a run is given. */
interface ItemActionsContext {
  readonly backup: Backup;
  readonly store: Store;
  /** A type (`deployments.apps`) by any word for it. */
  readonly resolve: (word: string) => string | undefined;
  readonly moved: () => void;
  /** Told while a plugin takes long over an item. */
  readonly waiting: (what: string | undefined, cause?: StallCause) => void;
}

/** Opens the actions of a run. */
export type OpenItemActions = (context: ItemActionsContext, signal: AbortSignal) => Promise<ItemActions>;
