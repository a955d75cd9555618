import {
  type Backup,
  bytesOf,
  itemsOf,
  type MigPlan,
  type PodVolumeBackup,
  type PodVolumeRestore,
  type Restore,
  veleroNames,
  veleroPhaseOf,
} from "../../api/index.ts";
import { labelValue } from "../../kube/index.ts";
import { backupLine, headline, restoreLine, volumeLine } from "./lines.ts";
import { annotations, labels, partOf, runName } from "./names.ts";
import type { Detail, Report } from "./pipeline.ts";
import type { Cluster, Outcome, Ran, Run } from "./run.ts";
import { namespacesOf } from "./shapes.ts";

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
  volumes: readonly (PodVolumeBackup | PodVolumeRestore)[],
  warning: string,
): Outcome {
  const told = reportOf(run, cluster, object, volumes);
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
    return { do: "wait", report: told, progress: headline(object, volumes) };
  }
  if (run.settings.failOnPartial) {
    return { do: "fail", errors: [`${title}: partially failed.`, ...because], report: told };
  }
  const message = `${title} partially failed on cluster ${cluster.name}.`;
  return { do: "advance", report: told, warnings: [{ type: warning, message }] };
}

/** Lines and numbers of a Backup or Restore and its volumes: what failed first, then by name. */
function reportOf(
  run: Run,
  cluster: Cluster,
  object: Backup | Restore,
  volumes: readonly (PodVolumeBackup | PodVolumeRestore)[],
): Report {
  const rank = (one: PodVolumeBackup | PodVolumeRestore) =>
    ["Failed", "Canceled", "InProgress"].indexOf(veleroPhaseOf(one.status));
  const sorted = volumes.toSorted(
    (a, b) =>
      (rank(a) < 0 ? 9 : rank(a)) - (rank(b) < 0 ? 9 : rank(b)) ||
      a.metadata.name.localeCompare(b.metadata.name, "en"),
  );
  const line = object.kind === "Backup" ? backupLine(object, run.now) : restoreLine(object, run.now);
  return {
    lines: [line, ...sorted.map((volume) => volumeLine(volume, run.now))],
    details: [
      detailOf(run, cluster, object, itemsOf(object.status?.progress), "items"),
      ...sorted.map((volume) => detailOf(run, cluster, volume, bytesOf(volume.status?.progress), "bytes")),
    ],
  };
}

type Told = Backup | Restore | PodVolumeBackup | PodVolumeRestore;

function detailOf(
  run: Run,
  cluster: Cluster,
  object: Told,
  count: { readonly done: number; readonly total?: number },
  unit: "items" | "bytes",
): Detail {
  const { startTimestamp, completionTimestamp } = object.status ?? {};
  const remark = remarkOf(object);
  return {
    kind: object.kind,
    namespace: object.metadata.namespace ?? "",
    name: object.metadata.name,
    cluster: cluster.name,
    phase: run.phase,
    state: stateOf(veleroPhaseOf(object.status)),
    ...(count.total !== undefined || count.done > 0 ? { done: count.done, unit } : {}),
    ...(count.total !== undefined && { total: count.total }),
    ...(startTimestamp && { startedAt: startTimestamp }),
    ...(completionTimestamp && { completedAt: completionTimestamp }),
    ...(remark && { message: remark }),
  };
}

/** Users know their claim, not the generated name of its copy. */
function remarkOf(object: Told): string | undefined {
  if (object.kind === "Backup" || object.kind === "Restore") return object.status?.failureReason || undefined;
  const pod = object.spec?.pod;
  const claim = object.metadata.annotations?.[veleroNames.pvcName];
  const what = claim
    ? `claim ${pod?.namespace ?? ""}/${claim}`
    : `volume ${object.spec?.volume} of ${pod?.namespace}/${pod?.name}`;
  return object.status?.message ? `${what}: ${object.status.message}` : what;
}

function stateOf(phase: string): string {
  switch (phase) {
    case "New":
    case "Queued":
    case "ReadyToStart":
    case "Accepted":
    case "Prepared":
      return "pending";
    case "Completed":
      return "completed";
    case "PartiallyFailed":
      return "partially-failed";
    case "Failed":
    case "FailedValidation":
      return "failed";
    case "Canceled":
      return "canceled";
    default:
      return "running";
  }
}
