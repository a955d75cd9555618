import { type KubeObject, type MigVolume, veleroNames } from "../../../api/index.ts";
import { labelValue, type Resource } from "../../../kube/index.ts";
import { annotations, labels } from "../names.ts";
import { advance, type Cluster, type Handler, planNamespaces, type Run } from "../run.ts";
import { claimOf, isCopiedByFiles, type Pod, resources, volumesToMigrate } from "../shapes.ts";
import { all, change, find } from "../tolerate.ts";
import { stagePods } from "./stage-pods.ts";

/** Marks everything that the backup of the volumes takes. */
export const annotate: Handler = async (run, signal) => {
  const { client } = run.source;
  const pods = await stagePods(run, run.source, signal);
  const volumes = volumesToMigrate(run.plan);
  const spaces = planNamespaces(run, run.source);
  for (const name of spaces) await mark(run, resources.namespaces, name, undefined, {}, signal);
  for (const pod of pods) {
    const names = (pod.spec?.volumes ?? [])
      .filter((one) => one.persistentVolumeClaim)
      .map(({ name }) => name);
    const verified = names.filter((name) => isVerified(run, pod, name));
    const notes = {
      [veleroNames.backupVolumes]: names.join(","),
      ...(verified.length > 0 && { [annotations.verifyVolumes]: verified.join(",") }),
    };
    await change(client, resources.pods, pod, { metadata: { annotations: notes } }, signal);
  }
  for (const volume of volumes) {
    const claim = claimOf(volume);
    await mark(run, resources.volumes, volume.name ?? "", undefined, volumeNotes(volume, false), signal);
    if (volume.selection.action === "move") await keepVolume(run, volume, signal);
    await mark(run, resources.claims, claim.name, claim.namespace, volumeNotes(volume, true), signal);
  }
  const accounts = new Set(
    pods.map(({ metadata, spec }) => `${metadata.namespace}/${spec?.serviceAccountName || "default"}`),
  );
  for (const account of accounts) {
    const [namespace = "", name = ""] = account.split("/");
    await mark(run, resources.accounts, name, namespace, {}, signal);
  }
  return {
    do: "advance",
    report: {
      details: [
        `${spaces.length}/${spaces.length} Namespaces labeled`,
        `${pods.length}/${pods.length} Pod annotations/labels added.`,
        `${volumes.length}/${volumes.length} PV annotations/labels added.`,
        `${volumes.length}/${volumes.length} PVC annotations/labels added.`,
      ].map((message) => ({ message, remark: true })),
    },
  };
};

/** Takes the marks away on both clusters. */
export const unannotate: Handler = async (run, signal) => {
  if (run.migration.spec?.keepAnnotations !== true) await stripMarks(run, signal);
  return advance;
};

/** Takes the marks of any run away in the plan's namespaces of both clusters. */
export async function stripMarks(run: Run, signal: AbortSignal): Promise<void> {
  const marked = labels.included;
  for (const cluster of [run.source, run.destination]) {
    const { client } = cluster;
    for (const name of planNamespaces(run, cluster)) {
      const space = await find<KubeObject>(client, resources.namespaces, name, undefined, signal);
      if (space?.metadata.labels?.[marked] !== undefined) {
        await change(client, resources.namespaces, space, stripped(run, cluster), signal);
      }
      for (const resource of [resources.pods, resources.claims, resources.accounts]) {
        for (const object of await all(
          client,
          resource,
          { namespace: name, labelSelector: marked },
          signal,
        )) {
          await change(client, resource, object, stripped(run, cluster), signal);
        }
      }
    }
    const claims = new Set(planNamespaces(run, cluster));
    for (const volume of await all<
      KubeObject & { readonly spec?: { readonly claimRef?: { readonly namespace?: string } } }
    >(client, resources.volumes, { labelSelector: marked }, signal)) {
      if (!claims.has(volume.spec?.claimRef?.namespace ?? "")) continue;
      await change(client, resources.volumes, volume, stripped(run, cluster), signal);
    }
  }
}

/** What tells who migrated an object stays on the destination: a roll-back finds it by that. */
function stripped(run: Run, cluster: Cluster): object {
  const notes = [
    annotations.action,
    annotations.storageClass,
    annotations.accessMode,
    annotations.copyMethod,
  ];
  const isSource = cluster === run.source;
  return {
    metadata: {
      labels: {
        [labels.included]: null,
        ...(isSource && { [labels.migratedByMigration]: null, [labels.migratedByPlan]: null }),
      },
      annotations: Object.fromEntries(notes.map((name) => [name, null])),
    },
  };
}

async function mark(
  run: Run,
  resource: Resource,
  name: string,
  namespace: string | undefined,
  notes: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const object = await find<KubeObject>(run.source.client, resource, name, namespace, signal);
  if (!object) return;
  const isData = resource === resources.claims || resource === resources.volumes;
  const body = {
    metadata: {
      labels: {
        [labels.included]: labelValue(run.uid),
        ...(isData && {
          [labels.migratedByMigration]: labelValue(run.uid),
          [labels.migratedByPlan]: labelValue(run.plan.metadata.uid ?? ""),
        }),
      },
      annotations: notes,
    },
  };
  await change(run.source.client, resource, object, body, signal);
}

/** A volume that moves is not deleted with its claim. */
async function keepVolume(run: Run, volume: MigVolume, signal: AbortSignal): Promise<void> {
  const found = await find<KubeObject>(
    run.source.client,
    resources.volumes,
    volume.name ?? "",
    undefined,
    signal,
  );
  if (!found) return;
  const body = { spec: { persistentVolumeReclaimPolicy: "Retain" } };
  await change(run.source.client, resources.volumes, found, body, signal);
}

function volumeNotes({ selection }: MigVolume, isClaim: boolean): Readonly<Record<string, string>> {
  const { action = "copy", storageClass, accessMode, copyMethod = "filesystem" } = selection;
  return {
    [annotations.action]: action,
    ...(storageClass && { [annotations.storageClass]: storageClass }),
    ...(action === "copy" && { [annotations.copyMethod]: copyMethod }),
    ...(isClaim && accessMode && { [annotations.accessMode]: accessMode }),
  };
}

function isVerified(run: Run, pod: Pod, volume: string): boolean {
  const claim = pod.spec?.volumes?.find(({ name }) => name === volume)?.persistentVolumeClaim?.claimName;
  return volumesToMigrate(run.plan).some(
    (one) =>
      one.selection.verify === true &&
      isCopiedByFiles(one) &&
      claimOf(one).name === claim &&
      claimOf(one).namespace === pod.metadata.namespace,
  );
}
