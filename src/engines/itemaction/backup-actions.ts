import {
  type Backup,
  parseGoDurationMs,
  readStoredOperations,
  type StoredBackupOperation,
} from "../../api/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import type { ItemOperation } from "../../kinds/index.ts";
import type { Clock } from "../../kube/index.ts";
import type { ItemId, OpenedAction, Plugins } from "../../plugins/index.ts";
import type { StallCause } from "../../progress/index.ts";
import { backupFolder, type Store } from "../../store/index.ts";
import { ActionSet, type ResolveType } from "./action-set.ts";
import { changedItem } from "./changed-item.ts";
import { Follower } from "./follower.ts";
import { type Begun, Journal, outputOf } from "./journal.ts";
import { SlowCalls } from "./slow-calls.ts";
import { itemIdOf, operationKey, storedId } from "./stored-id.ts";

/** What opening actions needs of the operator. */
export interface ItemActionDeps {
  readonly plugins: Pick<Plugins, "openActions">;
  readonly clock: Clock;
}

/** What a run gives. */
interface Context {
  readonly backup: Backup;
  readonly store: Store;
  readonly resolve: ResolveType;
  readonly moved: () => void;
  readonly waiting: (what: string | undefined, cause?: StallCause) => void;
}

interface Item {
  readonly groupResource: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly json: Uint8Array;
  readonly isFinal?: boolean;
}

/** The actions of a run by what they are asked for. */
interface Sets {
  readonly actions: ActionSet;
  readonly blocks: ActionSet;
  readonly close: () => Promise<void>;
}

interface Found {
  readonly errors: { add(subject: object, message: string, error?: string): void };
}

type Bring = (item: ItemId, must: boolean) => Promise<void>;

const fourHoursMs = 4 * 3_600_000;

/** Opens the item actions of plugins for backups. */
export function backupItemActions(deps: ItemActionDeps) {
  return async (context: Context, signal: AbortSignal): Promise<BackupActions> => {
    const kinds = ["BackupItemAction", "BackupItemActionV2", "ItemBlockAction"] as const;
    const opened = await deps.plugins.openActions(kinds, signal);
    try {
      const isBlock = ({ kind }: OpenedAction) => kind === "ItemBlockAction";
      const actions = new BackupActions(deps, context, {
        actions: new ActionSet(
          opened.all.filter((one) => !isBlock(one)),
          context.resolve,
        ),
        blocks: new ActionSet(opened.all.filter(isBlock), context.resolve),
        close: opened.close,
      });
      await actions.recall(signal);
      return actions;
    } catch (error) {
      await opened.close();
      throw error;
    }
  };
}

class BackupActions {
  readonly #context: Context;
  readonly #sets: Sets;
  readonly #clock: Clock;
  readonly #journal: Journal<StoredBackupOperation>;
  /** What earlier processes of this backup began, by action and item. */
  readonly #begun = new Map<string, Begun<StoredBackupOperation>>();
  readonly #follower: Follower<StoredBackupOperation>;
  readonly #slow: SlowCalls;
  /** The Backup as text, for each phase that plugins see. */
  readonly #owners = new Map<string, Uint8Array>();
  #phase = "InProgress";

  constructor(deps: ItemActionDeps, context: Context, sets: Sets) {
    this.#context = context;
    this.#sets = sets;
    this.#clock = deps.clock;
    const { backup, store } = context;
    const { name, namespace, uid } = backup.metadata;
    this.#journal = new Journal(store, `${backupFolder(name)}begun/`, (list, file) =>
      readStoredOperations(list, file, "backup"),
    );
    this.#slow = new SlowCalls(deps.clock, context.waiting);
    this.#follower = new Follower({
      clock: deps.clock,
      actionOf: ({ spec }) => spec.backupItemAction,
      find: (action) => sets.actions.find(action),
      kind: "BackupItemActionV2",
      owner: () => this.#owner(this.#phase),
      ownerRef: {
        apiVersion: "velero.io/v1",
        kind: "Backup",
        name,
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
      },
      timeoutMs: parseGoDurationMs(backup.spec?.itemOperationTimeout ?? "") || fourHoursMs,
      moved: context.moved,
    });
  }

  /** Takes up what earlier processes of this backup began. Operations of another backup of this name are none of ours. */
  async recall(signal: AbortSignal): Promise<void> {
    for (const begun of await this.#journal.recall(signal)) {
      const { spec } = begun.operation;
      if (spec.backupUID !== (this.#context.backup.metadata.uid ?? "")) continue;
      const key = operationKey(spec.backupItemAction, spec.resourceIdentifier);
      if (this.#begun.has(key)) continue;
      this.#begun.set(key, begun);
      this.#follower.add(begun.operation, signal);
    }
  }

  wants(groupResource: string): boolean {
    return this.#sets.actions.wants(groupResource);
  }

  wantsBlocks(groupResource: string): boolean {
    return this.#sets.blocks.wants(groupResource);
  }

  async act(item: Item, bring: Bring, signal: AbortSignal) {
    const { groupResource, namespace, labels } = item;
    let now: { json: Uint8Array; name: string; namespace?: string | undefined } = item;
    for (const action of this.#sets.actions.for({ groupResource, namespace: namespace ?? "", labels })) {
      const output = await this.#execute(action, { ...item, json: now.json }, signal);
      let must = item.isFinal === true;
      if (output.item !== undefined && !isSame(output.item, now.json)) {
        const changed = changedItem(action.name, output.item, item);
        if (changed.isDropped) return { dropped: action.name };
        must ||= changed.mustInclude;
        now = { json: changed.bytes, name: changed.name, namespace: changed.namespace };
      }
      for (const one of output.additionalItems) await bring(one, must);
    }
    return now;
  }

  async relatedItems(
    item: Item,
    failed: (why: string) => void,
    signal: AbortSignal,
  ): Promise<readonly ItemId[]> {
    const { groupResource, namespace, labels, json } = item;
    const found: ItemId[] = [];
    for (const action of this.#sets.blocks.for({ groupResource, namespace: namespace ?? "", labels })) {
      try {
        const input = { item: json, owner: this.#owner(this.#phase) };
        const what = callWords(action.name, item);
        found.push(...(await this.#slow.watch(what, () => action.calls.getRelatedItems(input, signal))));
      } catch (error) {
        signal.throwIfAborted();
        failed(messageOf(error));
      }
    }
    return found;
  }

  list(): readonly ItemOperation<StoredBackupOperation>[] {
    return this.#follower.list();
  }

  async finish(found: Found, signal: AbortSignal): Promise<void> {
    if (this.list().length > 0) this.#phase = "WaitingForPluginOperations";
    for (const { spec, status } of await this.#follower.finish(signal)) {
      const { Group, Resource, Namespace, Name } = spec.resourceIdentifier;
      const resource = Group === "" ? Resource : `${Resource}.${Group}`;
      const subject = { resource, name: Name, ...(Namespace !== "" && { namespace: Namespace }) };
      found.errors.add(subject, `an operation of plugin "${spec.backupItemAction}" failed`, status.error);
    }
    const failed = this.list().some(({ stored }) => stored.status.phase !== "Completed");
    this.#phase = failed ? "FinalizingPartiallyFailed" : "Finalizing";
  }

  lateItems(): readonly never[] {
    return [];
  }

  finalItems(): readonly ItemId[] {
    const items = this.list().flatMap(({ stored }) => stored.spec.postOperationItems ?? []);
    return items.map(itemIdOf);
  }

  async settle(): Promise<void> {
    // Plugins keep nothing of ours in the cluster.
  }

  async cancel(): Promise<void> {
    await this.#follower.cancel(AbortSignal.timeout(60_000));
  }

  async forget(signal: AbortSignal): Promise<void> {
    await this.#journal.forget(signal);
  }

  async close(): Promise<void> {
    await this.#sets.close();
  }

  async #execute(action: OpenedAction, item: Item, signal: AbortSignal) {
    const id = storedId(item.groupResource, item.namespace, item.name);
    const before = item.isFinal ? undefined : this.#begun.get(operationKey(action.name, id));
    if (before) return outputOf(before);
    const input = { item: item.json, owner: this.#owner(this.#phase) };
    const what = callWords(action.name, item);
    const output = await this.#slow.watch(what, () => action.calls.execute(input, signal));
    if (output.operationID === "") return output;
    if (item.isFinal) {
      const message = `plugin "${action.name}" began an operation when all of them had ended`;
      throw new AppError("PLUGIN_FAILED", message, { retry: false });
    }
    await this.#begin(action, id, output, signal);
    return output;
  }

  async #begin(
    action: OpenedAction,
    id: ReturnType<typeof storedId>,
    output: Awaited<ReturnType<OpenedAction["calls"]["execute"]>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { name, uid = "" } = this.#context.backup.metadata;
    const post = output.postOperationItems.map((one) => ({
      Group: one.group,
      Resource: one.resource,
      Namespace: one.namespace,
      Name: one.name,
    }));
    const operation: StoredBackupOperation = {
      spec: {
        backupName: name,
        backupUID: uid,
        backupItemAction: action.name,
        resourceIdentifier: id,
        operationID: output.operationID,
        postOperationItems: post.length > 0 ? post : null,
      },
      status: { phase: "New", created: new Date(this.#clock.now()).toISOString() },
    };
    const { item, additionalItems } = output;
    const text = item === undefined ? {} : { item: Buffer.from(item).toString("utf8") };
    await this.#journal.note({ operation, ...text, additionalItems }, signal);
    this.#follower.add(operation, signal);
  }

  #owner(phase: string): Uint8Array {
    const known = this.#owners.get(phase);
    if (known) return known;
    const { backup } = this.#context;
    const whole = { ...backup, status: { ...backup.status, phase } };
    const bytes = Buffer.from(JSON.stringify(whole));
    this.#owners.set(phase, bytes);
    return bytes;
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}

function callWords(plugin: string, { groupResource, namespace, name }: Item): string {
  return `plugin "${plugin}" to answer about ${groupResource} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
