import {
  kinds,
  type PodVolumeRestore,
  type Restore,
  type VolumePluginRestore,
  veleroNames,
} from "../../api/index.ts";
import { isForbidden, isNotFound, labelValue, resourceOf } from "../../kube/index.ts";
import { storedJson } from "../../observe/index.ts";
import { readCsiVolumes } from "../backup/csi-words.ts";
import { readResourceList, readResults } from "../backup/stored-words.ts";
import { type ChosenCluster, openCluster } from "../cluster.ts";
import { given, type Input } from "../command.ts";
import type { Io } from "../io.ts";
import { operationOf } from "../operation-of.ts";
import { type Described, describeText } from "./describe-text.ts";
import { chosenRestores } from "./get.ts";

/** Prints everything about restores. */
export async function describeRestores(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const cluster = await openCluster(input, io);
  try {
    const texts: string[] = [];
    for (const restore of await chosenRestores(cluster, input, signal)) {
      texts.push(describeText(await gather(cluster, restore, given(input, "details"), io, signal)));
    }
    io.out(texts.join("\n\n"));
  } finally {
    cluster.client.close();
  }
}

async function gather(
  cluster: ChosenCluster,
  restore: Restore,
  details: boolean,
  io: Io,
  signal: AbortSignal,
): Promise<Described> {
  const { client, namespace } = cluster;
  const { name } = restore.metadata;
  const labelSelector = `${veleroNames.restoreName}=${labelValue(name)}`;
  const volumes = await client.list<PodVolumeRestore>(
    resourceOf(kinds.PodVolumeRestore),
    { namespace, labelSelector },
    signal,
  );
  const snapshots = await client
    .list<VolumePluginRestore>(resourceOf(kinds.VolumePluginRestore), { namespace, labelSelector }, signal)
    .catch((error: unknown) => {
      // A cluster of upstream's alone does not have this kind.
      if (isNotFound(error) || isForbidden(error)) return [];
      throw error;
    });
  const read = (kind: "RestoreResults" | "RestoreResourceList" | "RestoreVolumeInfo") =>
    storedJson(cluster, { kind, name }, io, signal);
  const { warnings = 0, errors = 0, completionTimestamp } = restore.status ?? {};
  const stored = completionTimestamp != null;
  const results = stored && warnings + errors > 0 ? await read("RestoreResults") : undefined;
  const resourceList = stored && details ? await read("RestoreResourceList") : undefined;
  return {
    restore,
    volumes,
    snapshots,
    csi: stored && details ? readCsiVolumes(await read("RestoreVolumeInfo")) : undefined,
    operation: stored ? undefined : await operationOf(cluster, restore.metadata.uid, signal),
    details,
    results: readResults(results),
    resourceList: readResourceList(resourceList),
  };
}
