import {
  isRecord,
  parseGoDurationMs,
  type Restore,
  readStoredOperations,
  type StoredItemId,
  type StoredRestoreOperation,
} from "../../api/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import { findingPlace, type ItemOperation } from "../../kinds/index.ts";
import { type Clock, sleep } from "../../kube/index.ts";
import type { ActionOutput, ItemId, OpenedAction } from "../../plugins/index.ts";
import type { StallCause } from "../../progress/index.ts";
import { JsonScan, parseScanned, restoreFolder, type Store } from "../../store/index.ts";
import { ActionSet, type ResolveType } from "./action-set.ts";
import type { ItemActionDeps } from "./backup-actions.ts";
import { Follower } from "./follower.ts";
import { type Begun, Journal, outputOf } from "./journal.ts";
import { SlowCalls } from "./slow-calls.ts";
import { operationKey, storedId } from "./stored-id.ts";

/** An object as restores have it. */
interface Item {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

interface Context {
  readonly restore: Restore;
  readonly store: Store;
  readonly log: {
    fail(place: ReturnType<typeof findingPlace>, message: string): void;
    info(message: string): void;
  };
  readonly resolve: ResolveType;
  readonly readyTimeoutMs: number;
  readonly moved: () => void;
  readonly waiting: (what: string | undefined, cause?: StallCause) => void;
}

interface Given {
  readonly groupResource: string;
  readonly archived: Item;
  readonly item: Item;
  readonly target: string;
}

type Bring = (item: ItemId) => Promise<boolean>;

const fourHoursMs = 4 * 3_600_000;
const readyEveryMs = 1_000;

/** Opens the item actions of plugins for restores. */
export function restoreItemActions(deps: ItemActionDeps) {
  return async (context: Context, signal: AbortSignal): Promise<RestoreItemActions> => {
    const opened = await deps.plugins.openActions(["RestoreItemAction", "RestoreItemActionV2"], signal);
    try {
      const set = new ActionSet(opened.all, context.resolve);
      const actions = new RestoreItemActions(deps, context, set, opened.close);
      await actions.recall(signal);
      return actions;
    } catch (error) {
      await opened.close();
      throw error;
    }
  };
}

class RestoreItemActions {
  readonly #context: Context;
  readonly #set: ActionSet;
  readonly #clock: Clock;
  readonly #journal: Journal<StoredRestoreOperation>;
  /** What earlier processes of this restore began, by action and item. */
  readonly #begun = new Map<string, Begun<StoredRestoreOperation>>();
  readonly #follower: Follower<StoredRestoreOperation>;
  readonly #slow: SlowCalls;
  readonly #owner: Uint8Array;
  readonly close: () => Promise<void>;

  constructor(deps: ItemActionDeps, context: Context, set: ActionSet, close: () => Promise<void>) {
    this.#context = context;
    this.#set = set;
    this.#clock = deps.clock;
    this.close = close;
    const { restore, store } = context;
    const { name, namespace, uid } = restore.metadata;
    this.#owner = Buffer.from(JSON.stringify(restore));
    this.#journal = new Journal(store, `${restoreFolder(name)}begun/`, (list, file) =>
      readStoredOperations(list, file, "restore"),
    );
    this.#slow = new SlowCalls(deps.clock, context.waiting);
    this.#follower = new Follower({
      clock: deps.clock,
      actionOf: ({ spec }) => spec.restoreItemAction,
      find: (action) => set.find(action),
      kind: "RestoreItemActionV2",
      owner: () => this.#owner,
      ownerRef: {
        apiVersion: "velero.io/v1",
        kind: "Restore",
        name,
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
      },
      timeoutMs: parseGoDurationMs(restore.spec?.itemOperationTimeout ?? "") || fourHoursMs,
      moved: context.moved,
    });
  }

  /** Takes up what earlier processes of this restore began. */
  async recall(signal: AbortSignal): Promise<void> {
    for (const begun of await this.#journal.recall(signal)) {
      const { spec } = begun.operation;
      if (spec.restoreUID !== (this.#context.restore.metadata.uid ?? "")) continue;
      const key = operationKey(spec.restoreItemAction, spec.resourceIdentifier);
      if (this.#begun.has(key)) continue;
      this.#begun.set(key, begun);
      this.#follower.add(begun.operation, signal);
    }
  }

  wants(groupResource: string): boolean {
    return this.#set.wants(groupResource);
  }

  async change(
    { groupResource, archived, item, target }: Given,
    bring: Bring,
    signal: AbortSignal,
  ): Promise<{ readonly item: Item } | { readonly skip: string }> {
    const id = storedId(groupResource, target, archived.metadata.name);
    const itemFromBackup = Buffer.from(JSON.stringify(archived));
    let now = item;
    const offered = () => ({ groupResource, namespace: target, labels: now.metadata.labels ?? {} });
    for (const action of this.#set.inTurn(offered)) {
      const bytes = Buffer.from(JSON.stringify(now));
      const output = await this.#execute(action, id, { item: bytes, itemFromBackup }, signal);
      if (output.skipRestore) return { skip: `plugin "${action.name}" says so` };
      if (output.item !== undefined && Buffer.compare(output.item, bytes) !== 0)
        now = itemOf(action.name, output.item);
      const there: ItemId[] = [];
      for (const one of output.additionalItems) if (await bring(one)) there.push(one);
      if (output.waitForAdditionalItems) await this.#ready(action, there, output, { id, target }, signal);
    }
    return { item: now };
  }

  list(): readonly ItemOperation<StoredRestoreOperation>[] {
    return this.#follower.list();
  }

  async finish(signal: AbortSignal): Promise<void> {
    for (const { spec, status } of await this.#follower.finish(signal)) {
      const { Resource, Namespace, Name } = spec.resourceIdentifier;
      const what = `an operation of plugin "${spec.restoreItemAction}" on ${Resource} "${Name}" failed`;
      this.#context.log.fail(findingPlace(Namespace), `${what}: ${status.error ?? ""}`);
    }
  }

  /** Items go through `change`, earlier on their way. */
  async act(): Promise<undefined> {
    return undefined;
  }

  needs(): readonly never[] {
    return [];
  }

  async volumeInfos(): Promise<readonly never[]> {
    return [];
  }

  async cancel(signal: AbortSignal): Promise<void> {
    await this.#follower.cancel(signal);
  }

  async forget(signal: AbortSignal): Promise<void> {
    await this.#journal.forget(signal);
  }

  async #execute(
    action: OpenedAction,
    id: StoredItemId,
    input: { readonly item: Uint8Array; readonly itemFromBackup: Uint8Array },
    signal: AbortSignal,
  ): Promise<ActionOutput> {
    const before = this.#begun.get(operationKey(action.name, id));
    if (before) return { ...nothing, ...outputOf(before) };
    const what = `plugin "${action.name}" to answer about ${id.Resource} ${id.Namespace}/${id.Name}`;
    const given = { ...input, owner: this.#owner };
    const output = await this.#slow.watch(what, () => action.calls.execute(given, signal));
    if (output.operationID !== "") await this.#begin(action, id, output, signal);
    return output;
  }

  async #begin(
    action: OpenedAction,
    id: StoredItemId,
    { operationID, item, additionalItems }: ActionOutput,
    signal: AbortSignal,
  ): Promise<void> {
    const { name, uid = "" } = this.#context.restore.metadata;
    const spec = {
      restoreName: name,
      restoreUID: uid,
      restoreItemAction: action.name,
      resourceIdentifier: id,
      operationID,
    };
    const created = new Date(this.#clock.now()).toISOString();
    const operation: StoredRestoreOperation = { spec, status: { phase: "New", created } };
    const text = item === undefined ? {} : { item: Buffer.from(item).toString("utf8") };
    await this.#journal.note({ operation, ...text, additionalItems }, signal);
    this.#follower.add(operation, signal);
  }

  /** Waits until a plugin says that what it named is ready. The item is made in any case, as upstream does. */
  async #ready(
    action: OpenedAction,
    items: readonly ItemId[],
    { readyTimeoutMs = this.#context.readyTimeoutMs }: ActionOutput,
    { id, target }: { readonly id: StoredItemId; readonly target: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { log, waiting } = this.#context;
    const end = this.#clock.monotonic() + readyTimeoutMs;
    const fail = (why: string) =>
      log.fail(
        findingPlace(target),
        `${id.Resource} "${id.Name}": error verifying additional items are ready to use: ${why}`,
      );
    waiting(`plugin "${action.name}": what ${id.Resource} ${id.Namespace}/${id.Name} needs is not ready`);
    try {
      while (!(await action.calls.areAdditionalItemsReady(items, this.#owner, signal))) {
        if (this.#clock.monotonic() >= end)
          return fail(
            `plugin "${action.name}" does not say so within ${Math.round(readyTimeoutMs / 1000)} s`,
          );
        await sleep(this.#clock, readyEveryMs, signal);
      }
    } catch (error) {
      signal.throwIfAborted();
      fail(messageOf(error));
    } finally {
      waiting(undefined);
    }
  }
}

const nothing: ActionOutput = {
  additionalItems: [],
  operationID: "",
  postOperationItems: [],
  skipRestore: false,
  waitForAdditionalItems: false,
};

/** What an action gave back, read; numbers that a double cannot hold keep their text. */
function itemOf(plugin: string, bytes: Uint8Array): Item {
  const scan = new JsonScan();
  scan.push(bytes);
  const read = scan.depth > 512 ? { fault: "its JSON is nested deeper than 512" } : parseScanned(bytes, scan);
  if ("value" in read && isItem(read.value)) return read.value;
  const why = "fault" in read ? read.fault : "it is no Kubernetes object";
  throw new AppError(
    "PLUGIN_FAILED",
    `plugin "${plugin}" gave back something that cannot be restored: ${why}`,
  );
}

function isItem(value: unknown): value is Item {
  if (!isRecord(value)) return false;
  const { apiVersion, kind, metadata } = value;
  const isText = (one: unknown) => typeof one === "string" && one !== "";
  return isText(apiVersion) && isText(kind) && isRecord(metadata) && isText(metadata["name"]);
}
