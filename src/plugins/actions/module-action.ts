import { type ActionCalls, type ActionInput, type ActionKind, type ActionOutput } from "./calls.ts";
import type {
  ActionItem,
  ActionProgress,
  ActionSelector,
  BackupItemAction,
  DeleteItemAction,
  ItemBlockAction,
  ItemId,
  RestoreItemAction,
} from "./contract.ts";
import { namedItemsLimit, noResult } from "./messages.ts";

/** What a module may offer as an item action. */
export type ModuleAction = BackupItemAction | RestoreItemAction | DeleteItemAction | ItemBlockAction;

type Given = Readonly<Record<string, unknown>>;

/** An action of a module as the host calls it. Runs in the module's thread: items are read and printed there, not in ours. */
export function moduleAction(kind: ActionKind, plugin: ModuleAction): ActionCalls {
  const has = plugin as Partial<BackupItemAction & RestoreItemAction & ItemBlockAction>; // each method is looked for
  const refuse = (what: string) => Promise.reject(new Error(`it has no ${what}`));
  return {
    appliesTo: async (signal) => selectorOf(await plugin.appliesTo(signal)),
    execute: async (input, signal) => outputOf(await executed(kind, plugin, input, signal)),
    getRelatedItems: async (input, signal) =>
      has.getRelatedItems
        ? itemIdsOf(await has.getRelatedItems(read(input.item), read(input.owner), signal))
        : refuse("getRelatedItems"),
    progress: async (id, owner, signal) =>
      has.progress ? progressOf(await has.progress(id, read(owner), signal)) : refuse("progress"),
    cancel: async (id, owner, signal) => has.cancel?.(id, read(owner), signal),
    areAdditionalItemsReady: async (items, owner, signal) =>
      has.areAdditionalItemsReady
        ? (await has.areAdditionalItemsReady(items, read(owner), signal)) === true
        : true,
  };
}

async function executed(
  kind: ActionKind,
  plugin: ModuleAction,
  { item, owner, itemFromBackup = item }: ActionInput,
  signal: AbortSignal,
): Promise<unknown> {
  if (kind.startsWith("Restore")) {
    const action = plugin as RestoreItemAction; // by the list that it was offered in
    return action.execute(read(item), read(itemFromBackup), read(owner), signal);
  }
  const action = plugin as BackupItemAction | DeleteItemAction; // likewise
  const result: unknown = await action.execute(read(item), read(owner), signal);
  return kind === "DeleteItemAction" ? undefined : result;
}

function read(bytes: Uint8Array): ActionItem {
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as ActionItem; // our own text of an object
}

function outputOf(result: unknown): ActionOutput {
  const { item, additionalItems, postOperationItems, operationID, ...rest } = objectOf(result);
  const timeout = rest["additionalItemsReadyTimeoutMs"];
  return {
    ...noResult,
    ...(item !== undefined && { item: Buffer.from(JSON.stringify(item) ?? "") }),
    additionalItems: itemIdsOf(additionalItems ?? []),
    postOperationItems: itemIdsOf(postOperationItems ?? []),
    operationID: textOf(operationID),
    skipRestore: rest["skipRestore"] === true,
    waitForAdditionalItems: rest["waitForAdditionalItems"] === true,
    ...(typeof timeout === "number" && timeout > 0 && { readyTimeoutMs: timeout }),
  };
}

function selectorOf(said: unknown): ActionSelector {
  const given = objectOf(said);
  const list = (name: keyof ActionSelector) => {
    const value = given[name];
    if (value === undefined || value === null) return {};
    if (!Array.isArray(value)) throw new Error(`${name} of its selector is no list`);
    return { [name]: value.map(String) };
  };
  return {
    ...list("includedNamespaces"),
    ...list("excludedNamespaces"),
    ...list("includedResources"),
    ...list("excludedResources"),
    ...(textOf(given["labelSelector"]) !== "" && { labelSelector: textOf(given["labelSelector"]) }),
  };
}

function progressOf(said: unknown): ActionProgress {
  const given = objectOf(said);
  const number = (name: string) => (typeof given[name] === "number" ? { [name]: given[name] } : {});
  const text = (name: string) => (textOf(given[name]) === "" ? {} : { [name]: textOf(given[name]) });
  return {
    completed: given["completed"] === true,
    ...text("error"),
    ...number("nCompleted"),
    ...number("nTotal"),
    ...text("units"),
    ...text("description"),
    ...text("started"),
    ...text("updated"),
  };
}

function itemIdsOf(said: unknown): readonly ItemId[] {
  if (!Array.isArray(said)) throw new Error("it names items that are no list");
  if (said.length > namedItemsLimit) {
    throw new Error(`it names ${said.length} items, ${namedItemsLimit} are the most that are taken`);
  }
  return said.map(objectOf).map((one) => ({
    group: textOf(one["group"]),
    resource: textOf(one["resource"]),
    namespace: textOf(one["namespace"]),
    name: textOf(one["name"]),
  }));
}

function objectOf(value: unknown): Given {
  return typeof value === "object" && value !== null ? (value as Given) : {}; // checked right here
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 8192) : "";
}
