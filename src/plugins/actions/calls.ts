import type { ActionProgress, ActionSelector, ItemId } from "./contract.ts";

/** The kinds of item actions, as plugin programs list them and in the order in which they do. */
const actionKinds = [
  "BackupItemAction",
  "BackupItemActionV2",
  "RestoreItemAction",
  "RestoreItemActionV2",
  "DeleteItemAction",
  "ItemBlockAction",
] as const;

/** One of them. */
export type ActionKind = (typeof actionKinds)[number];

/** Whether a kind is one of item actions. */
export function isActionKind(kind: string): kind is ActionKind {
  return (actionKinds as readonly string[]).includes(kind); // widened to be searched
}

/** What an action is given: JSON as bytes, which nobody on the way reads. */
export interface ActionInput {
  readonly item: Uint8Array;
  /** The Backup or the Restore. */
  readonly owner: Uint8Array;
  /** In restores: the item as it is in the archive. */
  readonly itemFromBackup?: Uint8Array;
}

/** What an action gave back. */
export interface ActionOutput {
  /** JSON, not yet looked at; absent when the item stays as it is. */
  readonly item?: Uint8Array;
  readonly additionalItems: readonly ItemId[];
  /** "" when no work goes on. */
  readonly operationID: string;
  readonly postOperationItems: readonly ItemId[];
  readonly skipRestore: boolean;
  readonly waitForAdditionalItems: boolean;
  /** Absent when the plugin leaves it to us. */
  readonly readyTimeoutMs?: number;
}

/** An item action of any kind and any plugin; a call that its kind does not have is refused. */
export interface ActionCalls {
  appliesTo(signal: AbortSignal): Promise<ActionSelector>;
  execute(input: ActionInput, signal: AbortSignal): Promise<ActionOutput>;
  getRelatedItems(input: ActionInput, signal: AbortSignal): Promise<readonly ItemId[]>;
  progress(operationID: string, owner: Uint8Array, signal: AbortSignal): Promise<ActionProgress>;
  cancel(operationID: string, owner: Uint8Array, signal: AbortSignal): Promise<void>;
  areAdditionalItemsReady(items: readonly ItemId[], owner: Uint8Array, signal: AbortSignal): Promise<boolean>;
}
