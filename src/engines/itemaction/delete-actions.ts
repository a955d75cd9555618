import type { ArchiveEntry, Backup } from "../../api/index.ts";
import { groupResource } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { backupKey, type Store } from "../../store/index.ts";
import { ActionSet, type ResolveType } from "./action-set.ts";
import type { ItemActionDeps } from "./backup-actions.ts";

/** An item of a backup that is deleted. */
interface DeletedItem {
  readonly entry: ArchiveEntry;
  readonly json: Uint8Array;
  readonly labels: Readonly<Record<string, string>>;
}

/** What deleting needs beside. */
export interface DeleteActionDeps extends ItemActionDeps {
  /** The items of an archive that are wanted, one after the other. */
  readonly visit: (
    source: AsyncIterable<Uint8Array>,
    wants: (entry: ArchiveEntry) => boolean,
    signal: AbortSignal,
  ) => AsyncIterable<DeletedItem>;
  /** The types of the cluster as it is now. */
  readonly resolver: (signal: AbortSignal) => Promise<ResolveType>;
}

/** Failures that are told; of the others their number. */
const told = 20;

/**
 * Tells plugins of every item of a backup before it is deleted; returns what went wrong, which keeps the backup: a plugin that
 * cannot let go of what it holds is asked again by the next request. Without such a plugin the archive is not even opened.
 */
export function deleteItemActions(deps: DeleteActionDeps) {
  return async (backup: Backup, store: Store, signal: AbortSignal): Promise<readonly string[]> => {
    const opened = await deps.plugins.openActions(["DeleteItemAction"], signal);
    try {
      const key = backupKey(backup.metadata.name, "contents");
      if (opened.all.length === 0 || (await store.head(key, signal)) === undefined) return [];
      const actions = new ActionSet(opened.all, await deps.resolver(signal));
      const owner = Buffer.from(JSON.stringify(backup));
      const errors: string[] = [];
      let more = 0;
      const wants = (entry: ArchiveEntry) => actions.wants(groupResource(entry));
      for await (const { entry, json, labels } of deps.visit(await store.get(key, signal), wants, signal)) {
        const offered = { groupResource: groupResource(entry), namespace: entry.namespace ?? "", labels };
        for (const action of actions.for(offered)) {
          try {
            await action.calls.execute({ item: json, owner }, signal);
          } catch (error) {
            signal.throwIfAborted();
            const what = `${offered.groupResource} "${entry.name}": ${messageOf(error)}`;
            if (errors.length < told) errors.push(what);
            else more += 1;
          }
        }
      }
      return more > 0 ? [...errors, `${more} more items were refused by plugins`] : errors;
    } finally {
      await opened.close();
    }
  };
}
