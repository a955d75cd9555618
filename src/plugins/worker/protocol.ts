import type { ActionCalls, ActionKind } from "../actions/calls.ts";
import type { VolumeSnapshotter } from "../contract.ts";

/** What kinds of plugins a module may offer, and under which name it exports their factories. */
export const moduleExports = {
  VolumeSnapshotter: "snapshotters",
  BackupItemActionV2: "backupItemActions",
  RestoreItemActionV2: "restoreItemActions",
  DeleteItemAction: "deleteItemActions",
  ItemBlockAction: "itemBlockActions",
} as const satisfies Partial<Record<ActionKind | "VolumeSnapshotter", string>>;

/** One of those kinds. */
export type ModuleKind = keyof typeof moduleExports;

/** A plugin of a module. */
export interface Offer {
  readonly kind: ModuleKind;
  readonly name: string;
}

/** What a thread is started with. */
export interface ThreadData {
  /** Where the module is: a file address or a package name. */
  readonly module: string;
  /** Which of its plugins to open; absent to list them only. */
  readonly plugin?: Offer;
  readonly namespace: string;
  readonly kubeconfig?: string;
}

/** What is asked of a thread. */
export type Ask =
  | { readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly cancel: number };

/** What a thread says. */
export type Say =
  /** First: the module's plugins, and the methods of the one that was opened. */
  | { readonly ready: { readonly offers: readonly Offer[]; readonly methods: readonly string[] } }
  | { readonly unready: string }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly log: "info" | "warning" | "error"; readonly message: string };

/** Every method of a snapshotter that may be asked for; the last three are optional. */
export const snapshotterMethods = [
  "init",
  "getVolumeID",
  "setVolumeID",
  "getVolumeInfo",
  "createSnapshot",
  "createVolumeFromSnapshot",
  "deleteSnapshot",
  "progress",
  "restoreProgress",
  "findSnapshot",
] as const satisfies readonly (keyof VolumeSnapshotter)[];

/** Those that every snapshotter has. */
export const requiredMethods: readonly string[] = snapshotterMethods.slice(0, -3);

/** Every method of an item action as the host calls it: all are there, whatever the module has. */
export const actionMethods = [
  "appliesTo",
  "execute",
  "getRelatedItems",
  "progress",
  "cancel",
  "areAdditionalItemsReady",
] as const satisfies readonly (keyof ActionCalls)[];
