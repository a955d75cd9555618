import { type Backup, type PodVolumeBackup, veleroNames } from "../../api/index.ts";
import { labelValue } from "../../kube/index.ts";
import { snapshotOf, uploaderOf } from "./objects.ts";
import type { RepositoryDeps } from "./repositories.ts";
import { readRepository } from "./repository.ts";
import { resources } from "./resources.ts";

/** Removes the snapshots of a backup's volumes from their repositories; returns what could not be removed and why. */
export function snapshotForgetter(deps: RepositoryDeps) {
  return async (backup: Backup, _store: unknown, signal: AbortSignal): Promise<string[]> => {
    const { client, namespace, mover } = deps;
    const labelSelector = `${veleroNames.backupName}=${labelValue(backup.metadata.name)}`;
    const query = { namespace, labelSelector };
    const errors: string[] = [];
    for await (const pvb of client.items<PodVolumeBackup>(resources.podVolumeBackups, query, signal)) {
      const { spec, status } = pvb;
      if (!status?.snapshotID) continue;
      try {
        const key = {
          volumeNamespace: spec?.pod.namespace ?? "",
          location: spec?.backupStorageLocation ?? "",
          type: uploaderOf(spec),
        };
        const snapshot = snapshotOf(pvb);
        const repository = await readRepository(client, namespace, key, signal);
        await mover(key.type).forget(repository, snapshot, signal);
      } catch (error) {
        signal.throwIfAborted();
        const why = error instanceof Error ? error.message : String(error);
        errors.push(
          `the snapshot ${JSON.stringify(status.snapshotID.slice(0, 80))} of volume "${spec?.volume}" cannot be removed: ${why}`,
        );
      }
    }
    return errors;
  };
}
