import { type Restore, veleroNames } from "../../api/index.ts";
import { labelValue } from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import type { Spool } from "./archive/spool.ts";
import type { ItemRestorer } from "./item-restorer.ts";
import type { PlannedType } from "./plan.ts";
import { isOurs } from "./put.ts";
import type { Cluster, Served } from "./served.ts";

/** Lists what an earlier process of this restore has made of a type, so that only the rest is tried; one page at a time is in memory. */
export async function findRestored(
  type: PlannedType,
  restorer: ItemRestorer,
  context: {
    readonly restore: Restore;
    readonly backup: { readonly metadata: { readonly name: string } };
    readonly cluster: Cluster;
    readonly spool: Spool;
    readonly served: Served;
  },
  signal: AbortSignal,
): Promise<void> {
  const { restore, backup, cluster, spool, served } = context;
  const resource = served.typed(type.groupResource);
  if (resource === undefined) return;
  const label = labelValue(restore.metadata.name);
  const made = {
    labels: { backup: labelValue(backup.metadata.name), restore: label },
    restoreCreatedAt: restore.metadata.creationTimestamp ?? "",
  };
  const sources = new Map(type.groups.map(({ namespace, target }) => [target, namespace]));
  const kind = `${resource.group === "" ? "" : `${resource.group}/`}${resource.version}/${resource.kind}`;
  const labelSelector = `${veleroNames.restoreName}=${label}`;
  for await (const there of cluster.items<Item>(resource, { labelSelector, metadataOnly: true }, signal)) {
    const namespace = sources.get(there.metadata.namespace ?? "");
    if (namespace === undefined || !isOurs(there, made)) continue;
    const ordinal = spool.find({ groupResource: type.groupResource, namespace, name: there.metadata.name });
    if (ordinal !== undefined && spool.isSelected(ordinal)) restorer.found(ordinal, kind);
  }
}
