import { groupResource } from "../api/index.ts";
import { type CsiDeps, claimRestores, claimSnapshots, csiRemover } from "../engines/csi/index.ts";
import { visitArchive } from "../engines/restore/index.ts";
import { backupKey } from "../store/index.ts";

type RemoveDeps = Parameters<typeof csiRemover>[0];

/** What backups, restores and deletions are given to use the snapshots of CSI drivers with. */
export function csiOf(deps: CsiDeps & Pick<RemoveDeps, "forget">) {
  return {
    openClaimSnapshots: claimSnapshots(deps),
    openRestoreOperations: [claimRestores(deps)],
    removeCsi: csiRemover({ ...deps, archivedItems }),
  };
}

/** The items of some types in a backup's archive; a backup has few of those that are asked for here. */
const archivedItems: RemoveDeps["archivedItems"] = async (store, backup, types, signal) => {
  const archive = await store.get(backupKey(backup, "contents"), signal);
  const items: Awaited<ReturnType<RemoveDeps["archivedItems"]>>[number][] = [];
  for await (const { json } of visitArchive(archive, (entry) => types.has(groupResource(entry)), signal))
    items.push(JSON.parse(Buffer.from(json).toString("utf8"))); // an object by its reader
  return items;
};
