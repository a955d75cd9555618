/** A Kubernetes object as an action gets it and gives it back. */
export type ActionItem = Readonly<Record<string, unknown>>;

/** What an item is called where plugins name items: `resource` is the plural; namespace and group may be "". */
export interface ItemId {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Which items an action wants to see; what is absent or empty restricts nothing. */
export interface ActionSelector {
  /** Globs. With any of these two lists, items without a namespace are not offered. */
  readonly includedNamespaces?: readonly string[];
  readonly excludedNamespaces?: readonly string[];
  /** Plurals, kinds or short names, with the group where it matters. */
  readonly includedResources?: readonly string[];
  readonly excludedResources?: readonly string[];
  /** `a=b,c in (d,e),!f`. */
  readonly labelSelector?: string;
}

/** How far an operation is, in the plugin's own words. */
export interface ActionProgress {
  readonly completed: boolean;
  /** Why it failed; only looked at when it is completed. */
  readonly error?: string;
  readonly nCompleted?: number;
  readonly nTotal?: number;
  /** What is counted, such as `bytes`. */
  readonly units?: string;
  readonly description?: string;
  /** RFC 3339; absent while it has not begun. */
  readonly started?: string;
  readonly updated?: string;
}

/** What an action for backups makes of an item. */
interface BackupResult {
  /** Absent: the item stays as it is. */
  readonly item?: ActionItem;
  /** Items that come into the backup before this one. */
  readonly additionalItems?: readonly ItemId[];
  /** Names work that goes on; the backup then asks `progress` until it is completed. */
  readonly operationID?: string;
  /** Read again when that work is done, and stored as they are then. */
  readonly postOperationItems?: readonly ItemId[];
}

/** Changes items of a backup before they are stored. Called for several items at a time. */
export interface BackupItemAction {
  appliesTo(signal: AbortSignal): Promise<ActionSelector>;
  execute(item: ActionItem, backup: ActionItem, signal: AbortSignal): Promise<BackupResult | undefined>;
  progress?(operationID: string, backup: ActionItem, signal: AbortSignal): Promise<ActionProgress>;
  cancel?(operationID: string, backup: ActionItem, signal: AbortSignal): Promise<void>;
}

/** What an action for restores makes of an item. */
interface RestoreResult {
  /** Absent: the item stays as it is. */
  readonly item?: ActionItem;
  readonly additionalItems?: readonly ItemId[];
  /** The item is not restored, and the actions after this one do not see it. */
  readonly skipRestore?: boolean;
  readonly operationID?: string;
  /** Wait until `areAdditionalItemsReady` says so before the item is made. */
  readonly waitForAdditionalItems?: boolean;
  readonly additionalItemsReadyTimeoutMs?: number;
}

/** Changes items of a restore before they are made. Called for several items at a time. */
export interface RestoreItemAction {
  appliesTo(signal: AbortSignal): Promise<ActionSelector>;
  /** `itemFromBackup` is the item as it is in the archive. */
  execute(
    item: ActionItem,
    itemFromBackup: ActionItem,
    restore: ActionItem,
    signal: AbortSignal,
  ): Promise<RestoreResult | undefined>;
  progress?(operationID: string, restore: ActionItem, signal: AbortSignal): Promise<ActionProgress>;
  cancel?(operationID: string, restore: ActionItem, signal: AbortSignal): Promise<void>;
  areAdditionalItemsReady?(
    items: readonly ItemId[],
    restore: ActionItem,
    signal: AbortSignal,
  ): Promise<boolean>;
}

/** Told of each item of a backup that is deleted. */
export interface DeleteItemAction {
  appliesTo(signal: AbortSignal): Promise<ActionSelector>;
  execute(item: ActionItem, backup: ActionItem, signal: AbortSignal): Promise<void>;
}

/** Says which items of a backup must be stored together with an item: hooks of pods run around all of them. */
export interface ItemBlockAction {
  appliesTo(signal: AbortSignal): Promise<ActionSelector>;
  getRelatedItems(item: ActionItem, backup: ActionItem, signal: AbortSignal): Promise<readonly ItemId[]>;
}
