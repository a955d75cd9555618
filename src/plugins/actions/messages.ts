import {
  bytesOf,
  intOf,
  type Message,
  MessageWriter,
  messagesOf,
  readMessage,
  textOf,
  textsOf,
} from "../goplugin/protobuf.ts";
import type { ActionInput, ActionOutput } from "./calls.ts";
import type { ActionProgress, ActionSelector, ItemId } from "./contract.ts";

/** Items that one answer may name; a plugin that names more is broken, and would fill our memory. */
export const namedItemsLimit = 50_000;
/** What is kept of words and ids of plugins: they end in objects and files. */
const textLimit = 8192;

/** The request of Execute and GetRelatedItems. */
export function executeRequest(plugin: string, { item, owner, itemFromBackup }: ActionInput): Uint8Array {
  const writer = new MessageWriter().text(1, plugin).bytes(2, item).bytes(3, owner);
  return (itemFromBackup ? writer.bytes(4, itemFromBackup) : writer).done();
}

/** The request of Progress and Cancel. */
export function operationRequest(plugin: string, operationID: string, owner: Uint8Array): Uint8Array {
  return new MessageWriter().text(1, plugin).text(2, operationID).bytes(3, owner).done();
}

/** The request of AreAdditionalItemsReady. */
export function readyRequest(plugin: string, items: readonly ItemId[], owner: Uint8Array): Uint8Array {
  const writer = new MessageWriter().text(1, plugin).bytes(2, owner);
  for (const { group, resource, namespace, name } of items) {
    const one = new MessageWriter().text(1, group).text(2, resource).text(3, namespace).text(4, name);
    writer.bytes(3, one.done());
  }
  return writer.done();
}

/** The answer of AppliesTo. */
export function readSelector(bytes: Uint8Array): ActionSelector {
  const [found = new Map()] = messagesOf(readMessage(bytes), 1);
  const list = (name: keyof ActionSelector, field: number) => {
    const texts = textsOf(found, field);
    return texts.length > 0 ? { [name]: texts } : {};
  };
  const labelSelector = textOf(found, 5);
  return {
    ...list("includedNamespaces", 1),
    ...list("excludedNamespaces", 2),
    ...list("includedResources", 3),
    ...list("excludedResources", 4),
    ...(labelSelector !== "" && { labelSelector }),
  };
}

/** The answer of Execute of an action for backups. */
export function readBackupResult(bytes: Uint8Array): ActionOutput {
  const found = readMessage(bytes);
  return {
    ...itemOf(found),
    additionalItems: itemIds(found, 2),
    operationID: idOf(found, 3),
    postOperationItems: itemIds(found, 4),
    skipRestore: false,
    waitForAdditionalItems: false,
  };
}

/** The answer of Execute of an action for restores. */
export function readRestoreResult(bytes: Uint8Array): ActionOutput {
  const found = readMessage(bytes);
  const [timeout] = messagesOf(found, 6);
  const readyTimeoutMs = timeout ? Number(intOf(timeout, 1)) * 1000 + Number(intOf(timeout, 2)) / 1e6 : 0;
  return {
    ...itemOf(found),
    additionalItems: itemIds(found, 2),
    skipRestore: intOf(found, 3) !== 0n,
    operationID: idOf(found, 4),
    postOperationItems: [],
    waitForAdditionalItems: intOf(found, 5) !== 0n,
    ...(readyTimeoutMs > 0 && { readyTimeoutMs }),
  };
}

/** The answer of Execute of an action for deletions, which says nothing. */
export const noResult: ActionOutput = {
  additionalItems: [],
  operationID: "",
  postOperationItems: [],
  skipRestore: false,
  waitForAdditionalItems: false,
};

/** The answer of GetRelatedItems. */
export function readRelated(bytes: Uint8Array): readonly ItemId[] {
  return itemIds(readMessage(bytes), 1);
}

/** The answer of AreAdditionalItemsReady. */
export function readReady(bytes: Uint8Array): boolean {
  return intOf(readMessage(bytes), 1) !== 0n;
}

/** The answer of Progress. */
export function readProgress(bytes: Uint8Array): ActionProgress {
  const [found = new Map()] = messagesOf(readMessage(bytes), 1);
  const text = (field: number) => textOf(found, field).slice(0, textLimit);
  const time = (name: "started" | "updated", field: number) => {
    const [stamp] = messagesOf(found, field);
    const at = stamp && timeOf(stamp);
    return at === undefined ? {} : { [name]: at };
  };
  return {
    completed: intOf(found, 1) !== 0n,
    ...(text(2) !== "" && { error: text(2) }),
    nCompleted: Number(intOf(found, 3)),
    nTotal: Number(intOf(found, 4)),
    ...(text(5) !== "" && { units: text(5) }),
    ...(text(6) !== "" && { description: text(6) }),
    ...time("started", 7),
    ...time("updated", 8),
  };
}

/** A moment; undefined for Go's zero time, which is in the year 1, and for Unix 0: both mean that nothing was said. */
function timeOf(stamp: Message): string | undefined {
  const ms = Number(intOf(stamp, 1)) * 1000 + Math.floor(Number(intOf(stamp, 2)) / 1e6);
  return ms > 0 && ms < 8.64e15 ? new Date(ms).toISOString() : undefined;
}

function itemOf(found: Message): Pick<ActionOutput, "item"> {
  const item = bytesOf(found, 1);
  return item.length > 0 ? { item } : {};
}

function idOf(found: Message, field: number): string {
  const id = textOf(found, field);
  if (id.length > textLimit) throw new Error(`its operation id has ${id.length} characters`);
  return id;
}

function itemIds(found: Message, field: number): readonly ItemId[] {
  const count = found.get(field)?.length ?? 0;
  if (count > namedItemsLimit) {
    throw new Error(`it names ${count} items, ${namedItemsLimit} are the most that are taken`);
  }
  return messagesOf(found, field).map((one) => ({
    group: textOf(one, 1),
    resource: textOf(one, 2),
    namespace: textOf(one, 3),
    name: textOf(one, 4),
  }));
}
