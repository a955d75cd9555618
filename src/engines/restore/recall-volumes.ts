import { type Restore, veleroNames } from "../../api/index.ts";
import { builtIn, labelValue } from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import { type Json, recordOf, textOf } from "./json.ts";
import { isOurs } from "./put.ts";
import type { RestoredVolumes } from "./restored-volumes.ts";
import type { Cluster } from "./served.ts";
import { originalVolume } from "./transform/volumes.ts";

/** Finds the volumes that an earlier process of this restore made out of snapshots: the restore's volume infos name them. */
export async function recallVolumes(
  facts: RestoredVolumes,
  context: {
    readonly restore: Restore;
    readonly backup: { readonly metadata: { readonly name: string } };
    readonly cluster: Cluster;
    readonly snapshots: readonly Json[];
  },
  signal: AbortSignal,
): Promise<void> {
  const { restore, backup, cluster, snapshots } = context;
  const known = new Set(snapshots.map(({ spec }) => textOf(recordOf(spec)["persistentVolumeName"])));
  if (known.size === 0) return;
  const label = labelValue(restore.metadata.name);
  const made = {
    labels: { backup: labelValue(backup.metadata.name), restore: label },
    restoreCreatedAt: restore.metadata.creationTimestamp ?? "",
  };
  const labelSelector = `${veleroNames.restoreName}=${label}`;
  for await (const volume of cluster.items<Item>(builtIn.volumes, { labelSelector }, signal)) {
    const { annotations, name } = volume.metadata;
    const former = annotations?.[originalVolume] ?? name;
    if (isOurs(volume, made) && known.has(former)) facts.native(former, volume);
  }
}
