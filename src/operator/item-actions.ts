import type { ItemActions, OpenItemActions } from "../engines/backup/index.ts";
import { backupItemActions, deleteItemActions, restoreItemActions } from "../engines/itemaction/index.ts";
import { type OpenRestoreActions, visitArchive } from "../engines/restore/index.ts";
import { type Client, type Clock, findResource } from "../kube/index.ts";
import type { Plugins } from "../plugins/index.ts";

/** What backups, restores and deletions are given to let plugins have their items. */
export function itemActionsOf(deps: {
  readonly plugins: Plugins;
  readonly clock: Clock;
  readonly client: Pick<Client, "discover">;
}) {
  const openItemActions: OpenItemActions = backupItemActions(deps) satisfies (
    ...given: Parameters<OpenItemActions>
  ) => Promise<ItemActions>;
  const openRestoreActions: OpenRestoreActions = restoreItemActions(deps);
  const resolver = async (signal: AbortSignal) => {
    const { resources } = await deps.client.discover(signal);
    return (word: string) => {
      const type = findResource(resources, word);
      if (!type) return undefined;
      return type.group === "" ? type.plural : `${type.plural}.${type.group}`;
    };
  };
  const runDeleteActions = deleteItemActions({ ...deps, visit: visitArchive, resolver });
  return { openItemActions, openRestoreActions, runDeleteActions };
}
