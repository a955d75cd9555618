import {
  type Backup,
  type DataDownload,
  type DataUpload,
  itemsOf,
  type MigPlan,
  type PodVolumeBackup,
  type PodVolumeRestore,
  type Restore,
  veleroNames,
  veleroPhaseOf,
} from "../../api/index.ts";
import {
  headlineOf,
  type MigDetail,
  readCopy,
  readRoot,
  runPhaseOf,
  volumePhaseOf,
  volumeStateOf,
  writeDetail,
} from "../../kinds/index.ts";
import { labelValue } from "../../kube/index.ts";
import type { State } from "../../progress/index.ts";
import { annotations, labels, partOf, runName } from "./names.ts";
import type { Cluster, Outcome, Ran, Run } from "./run.ts";
import { hasSnapshots, namespacesOf } from "./shapes.ts";

/** The copy of one volume on its way out or in. */
export type Copy = PodVolumeBackup | PodVolumeRestore | DataUpload | DataDownload;

/** The two backups and the two restores of a run. */
export type RunKind = "initialBackup" | "stageBackup" | "stageRestore" | "finalRestore";

const words: Readonly<Record<RunKind, string>> = {
  initialBackup: "initial",
  stageBackup: "stage",
  stageRestore: "stage",
  finalRestore: "final",
};
const stageTypes = [
  "serviceaccounts",
  "persistentvolumes",
  "persistentvolumeclaims",
  "namespaces",
  "secrets",
  "configmaps",
  "pods",
];

/** The name of a run's Backup or Restore. */
export function nameOf(run: Ran, kind: RunKind): string {
  return runName(run.migration.metadata.name, words[kind], run.uid);
}

function metadataOf(
  run: Run,
  kind: RunKind,
  namespace: string,
  notes: Readonly<Record<string, string>> = {},
) {
  const planUid = run.plan.metadata.uid ?? "";
  const isQuiesced = kind !== "initialBackup" && run.flags.quiesce;
  return {
    name: nameOf(run, kind),
    namespace,
    labels: {
      [labels.partOf]: partOf,
      [labels.migration]: labelValue(run.uid),
      [labels.plan]: labelValue(planUid),
      [labels[kind]]: labelValue(run.uid),
      [labels.migratedByMigration]: labelValue(run.uid),
      [labels.migratedByPlan]: labelValue(planUid),
      [labels.migrationName]: labelValue(run.migration.metadata.name),
      [labels.planName]: labelValue(run.plan.metadata.name),
    },
    annotations: {
      [annotations.type]: run.migration.spec?.stage === true ? "stage" : "final",
      ...(isQuiesced && { [annotations.quiesce]: "true" }),
      ...notes,
    },
  };
}

/** The Backup of all resources without their volumes, or that of the volumes. */
export function backupOf(
  run: Run,
  kind: "initialBackup" | "stageBackup",
  place: { readonly location: string; readonly imageStreams: boolean; readonly policy?: string | undefined },
): Backup {
  const excluded = run.plan.status?.excludedResources ?? [];
  const common = {
    includedNamespaces: [...new Set(namespacesOf(run.plan).map(({ source }) => source))],
    storageLocation: place.location,
    ttl: "720h0m0s",
    hooks: { resources: [] },
  };
  const types = [...stageTypes, ...(place.imageStreams ? ["imagestreams"] : [])];
  const spec =
    kind === "initialBackup"
      ? {
          ...common,
          ...includedTypes(run.plan),
          excludedResources: ["persistentvolumes", "persistentvolumeclaims", ...excluded],
          // Volumes are copied once, after the application has stopped; a server's default must not copy them here.
          defaultVolumesToFsBackup: false,
          snapshotVolumes: false,
          ...(place.policy !== undefined && { resourcePolicy: { kind: "configmap", name: place.policy } }),
          ...(run.plan.spec?.labelSelector && { labelSelector: run.plan.spec.labelSelector }),
        }
      : {
          ...common,
          includedResources: types.filter((type) => !excluded.includes(type)),
          // Pods name what is copied by files; the volumes that are moved need no copy. Snapshots are copied into the store, since the other
          // cluster may have another storage.
          ...(hasSnapshots(run.plan)
            ? { snapshotVolumes: true, snapshotMoveData: true }
            : { snapshotVolumes: false }),
          labelSelector: { matchLabels: { [labels.included]: labelValue(run.uid) } },
        };
  return {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: metadataOf(run, kind, run.source.namespace),
    spec,
  };
}

function includedTypes({ spec }: MigPlan): { readonly includedResources?: readonly string[] } {
  const wanted = (spec?.includedResources ?? []).map(({ group, kind }) =>
    group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`,
  );
  return wanted.length > 0 ? { includedResources: wanted } : {};
}

/** The Restore of the volumes, or that of all resources. */
export function restoreOf(
  run: Run,
  kind: "stageRestore" | "finalRestore",
  given: { readonly modifiers?: string; readonly stageImage?: string } = {},
): Restore {
  const mapping = Object.fromEntries(
    namespacesOf(run.plan)
      .filter(({ source, destination }) => source !== destination)
      .map(({ source, destination }) => [source, destination]),
  );
  const incompatible = (run.plan.status?.incompatibleNamespaces ?? []).flatMap(({ gvks }) =>
    gvks.map((gvk) => (gvk.group === "" ? gvk.kind : `${gvk.kind}.${gvk.group}`)),
  );
  const notes = given.stageImage === undefined ? {} : { [annotations.stageImage]: given.stageImage };
  return {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: metadataOf(run, kind, run.destination.namespace, notes),
    spec: {
      backupName: nameOf(run, kind === "stageRestore" ? "stageBackup" : "initialBackup"),
      restorePVs: true,
      ...(incompatible.length > 0 && { excludedResources: [...new Set(incompatible)] }),
      ...(Object.keys(mapping).length > 0 && { namespaceMapping: mapping }),
      ...(given.modifiers !== undefined && {
        resourceModifier: { kind: "configmap", name: given.modifiers },
      }),
    },
  };
}

/** What a Backup or Restore with its volumes comes to: wait, go on, go on with a warning, or fail. */
export function judge(
  run: Run,
  cluster: Cluster,
  object: Backup | Restore,
  volumes: readonly Copy[],
  warning: string,
): Outcome {
  const [whole, ...parts] = detailsOf(cluster, object, volumes);
  const told = { details: [whole, ...parts] };
  const title = `${object.kind} ${object.metadata.namespace}/${object.metadata.name}`;
  const { failureReason, validationErrors } = object.status ?? {};
  const because = failureReason ? [`${title}: ${failureReason}`] : [];
  const phase = veleroPhaseOf(object.status);
  if (phase === "Failed" || phase === "FailedValidation") {
    const end = phase === "Failed" ? `${title}: failed.` : `${title}: validation failed.`;
    return { do: "fail", errors: [...(validationErrors ?? []), end, ...because], report: told };
  }
  if (phase === "Deleting" || object.metadata.deletionTimestamp !== undefined) {
    return { do: "fail", errors: [`${title}: was deleted under way.`], report: told };
  }
  if (phase === "Completed") return { do: "advance", report: told };
  if (phase !== "PartiallyFailed") {
    return { do: "wait", report: told, progress: headlineOf(whole, parts) };
  }
  if (run.settings.failOnPartial) {
    return { do: "fail", errors: [`${title}: partially failed.`, ...because], report: told };
  }
  const message = `${title} partially failed on cluster ${cluster.name}.`;
  return { do: "advance", report: told, warnings: [{ type: warning, message }] };
}

/** How far a Backup or Restore and its volumes are: what failed first, then by name. */
function detailsOf(
  cluster: Cluster,
  object: Backup | Restore,
  volumes: readonly Copy[],
): readonly [MigDetail, ...MigDetail[]] {
  const order: readonly (State | undefined)[] = ["failed", "canceled", "running"];
  const rank = (one: Copy) => {
    const at = order.indexOf(volumeStateOf(one.status));
    return at < 0 ? order.length : at;
  };
  const sorted = volumes.toSorted(
    (a, b) => rank(a) - rank(b) || a.metadata.name.localeCompare(b.metadata.name, "en"),
  );
  return [runDetail(cluster, object), ...sorted.map((volume) => volumeDetail(cluster, volume))];
}

function runDetail(cluster: Cluster, object: Backup | Restore): MigDetail {
  const { message: _, ...seen } = readRoot(object, [], cluster.name);
  const { done, total } = itemsOf(object.status?.progress);
  const isCounted = total !== undefined || done > 0;
  const position = object.kind === "Backup" ? object.status?.queuePosition : undefined;
  const message = object.status?.failureReason || (position ? `position ${position}` : undefined);
  return writeDetail(
    {
      ...seen,
      ...(isCounted && { progress: { unit: "items", done, ...(total !== undefined && { total }) } }),
      ...(message && { message }),
    },
    { objectPhase: runPhaseOf(object.status) },
  );
}

function volumeDetail(cluster: Cluster, volume: Copy): MigDetail {
  const seen = readCopy(volume, cluster.name);
  const claim = claimOfVolume(volume);
  return writeDetail(seen, { claim, objectPhase: volumePhaseOf(volume.status) });
}

function claimOfVolume(volume: Copy): { readonly namespace: string; readonly name: string } | undefined {
  switch (volume.kind) {
    case "DataUpload":
      return { namespace: volume.spec?.sourceNamespace ?? "", name: volume.spec?.sourcePVC ?? "" };
    case "DataDownload": {
      const { namespace = "", pvc: name = "" } = volume.spec?.targetVolume ?? {};
      return { namespace, name };
    }
    default: {
      const name = volume.metadata.annotations?.[veleroNames.pvcName];
      return name === undefined ? undefined : { namespace: volume.spec?.pod.namespace ?? "", name };
    }
  }
}
