import {
  type Backup,
  type DeleteBackupRequest,
  isTrue,
  type KubeObject,
  kinds,
  type MigPlan,
  veleroNames,
} from "../../api/index.ts";
import { labelValue, type Outcome, type Resource, resourceOf } from "../../kube/index.ts";
import type { Clusters } from "./clusters.ts";
import { said, type Wanted } from "./conditions.ts";
import { locationName, secretName } from "./location.ts";
import { labels } from "./names.ts";
import type { PlanParts } from "./plan-faults.ts";
import type { Cluster } from "./run.ts";
import { namespacesOf, resources } from "./shapes.ts";
import { all, ensure, find, keyOf, remove } from "./tolerate.ts";

const backups = resourceOf(kinds.Backup);
const restores = resourceOf(kinds.Restore);
const requests = resourceOf(kinds.DeleteBackupRequest);
const locations = resourceOf(kinds.BackupStorageLocation);

/** What a plan that is being closed has to know beside what it refers to. */
export interface ClosingParts {
  /** Its migrations that are under way. */
  readonly running: readonly string[];
}

/**
 * Closing a plan removes what its runs made for themselves on both clusters: backups with what they hold in the store, restores,
 * stage pods, hooks, and the location of the store unless another open plan uses it. What was migrated stays.
 */
export async function closePlan(
  clusters: Clusters,
  plan: MigPlan,
  parts: PlanParts & ClosingParts,
  signal: AbortSignal,
): Promise<{ readonly wanted: readonly Wanted[]; readonly again: Outcome }> {
  const closed = (reason: string, words: string) => [said("Advisory", "Closed", reason, words)];
  if (parts.running.length > 0) {
    const words = `The plan is closed, but migrations are under way: [${parts.running.join(",")}]; cancel them.`;
    return { wanted: closed("Running", words), again: { againAfterMs: 5_000 } };
  }
  const left: string[] = [];
  for (const side of ["source", "destination"] as const) {
    const described = parts[side];
    if (!described || !isTrue(described.status?.conditions, "Ready")) continue; // nothing can be done there
    const cluster = await clusters.open(described, signal);
    if ("type" in cluster) continue;
    left.push(...(await clear(plan, cluster, side, signal)));
    if (left.length === 0) await removeLocation(plan, parts, cluster, signal);
  }
  if (left.length === 0) return { wanted: closed("Done", "The plan is closed."), again: undefined };
  const words = `The plan is closed; what its migrations left is being removed: ${left.slice(0, 5).join(", ")}.`;
  return { wanted: closed("CleaningUp", words), again: { againAfterMs: 2_000 } };
}

/** Removes what can be removed now; what is still there is named. */
async function clear(
  plan: MigPlan,
  cluster: Cluster,
  side: "source" | "destination",
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { client, namespace } = cluster;
  const labelSelector = `${labels.plan}=${labelValue(plan.metadata.uid ?? "")}`;
  const left: string[] = [];
  const clearAll = async (resource: Resource, where: string) => {
    for (const found of await all<KubeObject>(
      client,
      resource,
      { namespace: where, labelSelector },
      signal,
    )) {
      if (found.metadata.deletionTimestamp === undefined) await remove(client, resource, found, signal);
      left.push(`${resource.kind} ${keyOf(found)}`);
    }
  };
  await clearAll(restores, namespace);
  await clearAll(resources.configMaps, namespace);
  for (const { [side]: space } of namespacesOf(plan)) await clearAll(resources.pods, space);
  for (const space of new Set(plan.spec?.hooks?.map(({ executionNamespace }) => executionNamespace))) {
    await clearAll(resources.jobs, space);
    await clearAll(resources.configMaps, space);
  }
  for (const backup of await all<Backup>(client, backups, { namespace, labelSelector }, signal)) {
    if (side === "destination") await remove(client, backups, backup, signal);
    else await askToDelete(cluster, backup, labelSelector, signal);
    left.push(`Backup ${keyOf(backup)}`);
  }
  for (const request of await all<DeleteBackupRequest>(
    client,
    requests,
    { namespace, labelSelector },
    signal,
  )) {
    if (request.status?.phase === "Processed") await remove(client, requests, request, signal);
  }
  return left;
}

async function askToDelete(
  { client, namespace }: Cluster,
  { metadata: { name, uid = "" } }: Backup,
  selector: string,
  signal: AbortSignal,
): Promise<void> {
  const [key = "", value = ""] = selector.split("=");
  const request = {
    apiVersion: "velero.io/v1",
    kind: "DeleteBackupRequest",
    metadata: {
      name: `${name.slice(0, 240)}-close`,
      namespace,
      labels: { [key]: value, [veleroNames.backupName]: labelValue(name), [veleroNames.backupUid]: uid },
    },
    spec: { backupName: name },
  };
  await ensure(client, requests, request, signal);
}

/** The location of the plan's store, unless another open plan needs it there. */
async function removeLocation(
  plan: MigPlan,
  { plans, storage }: PlanParts,
  { client, namespace }: Cluster,
  signal: AbortSignal,
): Promise<void> {
  const isShared = plans.some(
    (other) =>
      other.metadata.uid !== plan.metadata.uid &&
      other.spec?.closed !== true &&
      other.spec?.migStorageRef?.name === plan.spec?.migStorageRef?.name,
  );
  if (isShared || !storage) return;
  for (const [resource, name] of [
    [locations, locationName(storage)],
    [resources.secrets, secretName(storage)],
  ] as const) {
    const found = await find<KubeObject>(client, resource, name, namespace, signal);
    // Only what was made for the storage: somebody may have one of the same name.
    if (found?.metadata.labels?.[labels.storage] !== undefined) await remove(client, resource, found, signal);
  }
}
