import { type Backup, type PodVolumeBackup, veleroNames } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { labelValue } from "../../kube/index.ts";
import { definitionOf, snapshotMover } from "../../movers/index.ts";
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
        const why = messageOf(error);
        errors.push(
          `the snapshot ${JSON.stringify(status.snapshotID.slice(0, 80))} of volume "${spec?.volume}" cannot be removed: ${why}`,
        );
      }
    }
    return errors;
  };
}

/** A snapshot that a data mover left in the repository of a namespace. */
interface Moved {
  readonly namespace: string;
  readonly claim: string;
  readonly location: string;
  readonly snapshotID: string;
}

/** Removes what data movers left in repositories; data movement always uses the same one. */
export function movedForgetter(deps: RepositoryDeps) {
  return async (all: readonly Moved[], signal: AbortSignal): Promise<string[]> => {
    const errors: string[] = [];
    for (const { namespace, claim, location, snapshotID } of all) {
      const shown = JSON.stringify(snapshotID.slice(0, 80));
      try {
        const { fits, words } = definitionOf(snapshotMover).snapshot;
        if (!fits(snapshotID)) throw new Error(`its id is not ${words}`);
        const key = { volumeNamespace: namespace, location, type: snapshotMover };
        const repository = await readRepository(deps.client, deps.namespace, key, signal);
        await deps.mover(snapshotMover).forget(repository, snapshotID, signal);
      } catch (error) {
        signal.throwIfAborted();
        errors.push(
          `the moved snapshot ${shown} of claim "${namespace}/${claim}" cannot be removed: ${messageOf(error)}`,
        );
      }
    }
    return errors;
  };
}
