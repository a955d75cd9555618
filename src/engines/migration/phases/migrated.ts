import { type KubeObject, veleroNames } from "../../../api/index.ts";
import { labelValue } from "../../../kube/index.ts";
import { labels } from "../names.ts";
import { advance, type Handler, type Outcome, planNamespaces, type Run, remark, untilNone } from "../run.ts";
import { resources } from "../shapes.ts";
import { all, change, find, remove } from "../tolerate.ts";
import { nameOf } from "../velero-run.ts";

/** Deletes from the destination what this run restored there. */
export const deleteMigrated: Handler = async (run, signal) => {
  const { client } = run.destination;
  for (const { resource, objects } of await migrated(run, signal)) {
    for (const object of objects) {
      if (object.metadata.deletionTimestamp === undefined) await remove(client, resource, object, signal);
    }
  }
  for (const namespace of await ownNamespaces(run, signal)) {
    if (namespace.metadata.deletionTimestamp === undefined)
      await remove(client, resources.namespaces, namespace, signal);
  }
  return advance;
};

/** Waits until it is gone. */
export const migratedDeleted: Handler = async (run, signal): Promise<Outcome> => {
  const types = (await migrated(run, signal)).map(({ resource, namespace, objects }) => ({
    message: `${resource.plural} ${namespace}: ${objects.length} still terminating`,
    remark: true,
  }));
  const spaces = await ownNamespaces(run, signal);
  return untilNone([...types, ...spaces.map((space) => remark("Namespace", space, "Terminating"))]);
};

/** Takes the labels of migrations away on the destination, when that is asked for: a roll-back needs them. */
export const unlabel: Handler = async (run, signal) => {
  if (!run.settings.dropLabels || run.migration.spec?.keepAnnotations === true) return advance;
  const labelSelector = labels.migratedByPlan;
  const body = {
    metadata: { labels: { [labels.migratedByMigration]: null, [labels.migratedByPlan]: null } },
  };
  for (const namespace of planNamespaces(run, run.destination)) {
    for (const object of await all(
      run.destination.client,
      resources.claims,
      { namespace, labelSelector },
      signal,
    )) {
      await change(run.destination.client, resources.claims, object, body, signal);
    }
  }
  return advance;
};

/** Every restored object carries the name of its Restore, whoever restored it. */
async function migrated(run: Run, signal: AbortSignal) {
  const { client } = run.destination;
  const names = run.undone.flatMap((ran) =>
    (["stageRestore", "finalRestore"] as const).map((kind) => labelValue(nameOf(ran, kind))),
  );
  const labelSelector = `${veleroNames.restoreName} in (${names.join(",")})`;
  const { resources: served } = await client.discover(signal);
  const types = served.filter(
    ({ namespaced, verbs, group, plural }) =>
      namespaced &&
      ["list", "delete"].every((verb) => verbs.includes(verb)) &&
      group !== "velero.io" &&
      plural !== "events",
  );
  // All at once: the client itself bounds what is under way.
  const lists = await Promise.all(
    types.flatMap((resource) =>
      planNamespaces(run, run.destination).map(async (namespace) => ({
        resource,
        namespace,
        objects: await all(client, resource, { namespace, labelSelector }, signal),
      })),
    ),
  );
  const volumes = await movedVolumes(run, labelSelector, signal);
  return [...lists, volumes].filter(({ objects }) => objects.length > 0);
}

/** Volumes that were moved: their objects came with the restore, and what they hold stays where it is. */
async function movedVolumes(run: Run, labelSelector: string, signal: AbortSignal) {
  type Volume = KubeObject & {
    readonly spec?: {
      readonly persistentVolumeReclaimPolicy?: string;
      readonly claimRef?: { namespace?: string };
    };
  };
  const spaces = planNamespaces(run, run.destination);
  const { client } = run.destination;
  const found = await all<Volume>(client, resources.volumes, { labelSelector }, signal);
  const objects = found.filter(
    ({ spec }) =>
      spec?.persistentVolumeReclaimPolicy === "Retain" && spaces.includes(spec.claimRef?.namespace ?? ""),
  );
  return { resource: resources.volumes, namespace: "", objects };
}

/** Namespaces that this run made. */
async function ownNamespaces(run: Run, signal: AbortSignal) {
  const made = await Promise.all(
    planNamespaces(run, run.destination).map((name) =>
      find(run.destination.client, resources.namespaces, name, undefined, signal),
    ),
  );
  const uids = new Set(run.undone.map(({ uid }) => labelValue(uid)));
  return made.filter(
    (namespace) => namespace !== undefined && uids.has(namespace.metadata.labels?.[labels.migration] ?? ""),
  ) as Exclude<(typeof made)[number], undefined>[]; // filtered
}
