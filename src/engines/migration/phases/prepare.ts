import { type BackupStorageLocation, kinds, veleroNames } from "../../../api/index.ts";
import type { MigDetail } from "../../../kinds/index.ts";
import { resourceOf } from "../../../kube/index.ts";
import { locationName } from "../location.ts";
import { labels } from "../names.ts";
import type { Cluster, Handler, Run } from "../run.ts";
import { planNamespaces, remark, untilNone } from "../run.ts";
import { resources } from "../shapes.ts";
import { all, change, find } from "../tolerate.ts";
import { stripMarks } from "./annotate.ts";
import { deleteStagePods, leftStagePods } from "./stage-pods.ts";

const locations = resourceOf(kinds.BackupStorageLocation);

/** Removes what earlier runs of the plan left, and waits until its pods are gone: two of them cannot hold one volume. */
export const prepare: Handler = async (run, signal) => {
  await deleteStagePods(run, signal);
  await stripMarks(run, signal);
  await excludeHooks(run, signal);
  return untilNone(await leftStagePods(run, signal));
};

/** Jobs of hooks that did not say so themselves when they were made are not backed up: they would run where they are restored. */
async function excludeHooks(run: Run, signal: AbortSignal): Promise<void> {
  const { client } = run.source;
  const labelSelector = `${labels.hook},${veleroNames.excludeFromBackup}!=true`;
  const body = { metadata: { labels: { [veleroNames.excludeFromBackup]: "true" } } };
  for (const namespace of planNamespaces(run, run.source)) {
    for (const resource of [resources.jobs, resources.pods, resources.configMaps]) {
      for (const object of await all(client, resource, { namespace, labelSelector }, signal)) {
        await change(client, resource, object, body, signal);
      }
    }
  }
}

/** Waits until the backup servers of both clusters have found that they can use the store. */
export const storeUsable: Handler = async (run, signal) => {
  const waits = await Promise.all(
    [run.source, run.destination].map((cluster) => storeWait(run, cluster, signal)),
  );
  return untilNone(waits.flatMap((wait) => wait ?? []));
};

async function storeWait(run: Run, cluster: Cluster, signal: AbortSignal): Promise<MigDetail | undefined> {
  const name = run.storage ? locationName(run.storage) : "";
  const found = await find<BackupStorageLocation>(cluster.client, locations, name, cluster.namespace, signal);
  const { phase, message } = found?.status ?? {};
  if (phase === "Available") return undefined;
  const why = !found
    ? "the location is not there"
    : phase === undefined
      ? "no backup server has looked at it: is one running?"
      : (message ?? phase);
  const words = `Waiting for repository credentials (${cluster.name}), ${why}`;
  return remark("BackupStorageLocation", { metadata: { namespace: cluster.namespace, name } }, words);
}
