import { type PodVolumeBackup, selectorQuery } from "../../api/index.ts";
import { isRunUnderWay } from "../../kinds/index.ts";
import type { CsiVolume } from "./csi-words.ts";
import type { Described } from "./describe-text.ts";
import { listWords, moment, selectorWords } from "./words.ts";

type Json = Readonly<Record<string, unknown>>;
type Spec = NonNullable<Described["backup"]["spec"]>;

/** The description of a backup as data: upstream's keys, its spelling of `uploderType` included, and `operation` as ours. */
export function describeJson(given: Described): Json {
  const { backup, operation, results } = given;
  const { metadata, spec = {}, status = {} } = backup;
  const { name, namespace, labels, annotations } = metadata;
  const policy = spec.resourcePolicy;
  return {
    metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) },
    phase: status.phase || "New",
    ...(status.failureReason && { failureReason: status.failureReason }),
    ...(policy && { resourcePolicies: { type: policy.kind, name: policy.name } }),
    ...(status.validationErrors?.length && { validationErrors: status.validationErrors }),
    ...findings("warnings", status.warnings, results?.warnings),
    ...findings("errors", status.errors, results?.errors),
    spec: specOf(spec),
    ...(status.startTimestamp && { status: statusOf(given) }),
    ...deletions(given),
    ...(operation && { operation }),
  };
}

function findings(key: string, count: number | undefined, details: object | undefined): Json {
  return (count ?? 0) === 0 ? {} : { [key]: details ?? count };
}

function specOf(spec: Spec): Json {
  const auto = (value: boolean | null | undefined) => (value == null ? "auto" : String(value));
  const scope = { auto: "auto", true: "included", false: "excluded" }[auto(spec.includeClusterResources)];
  const or = (spec.orLabelSelectors ?? []).map((one) => selectorQuery(one));
  return {
    namespaces: {
      included: listWords(spec.includedNamespaces, "*"),
      excluded: listWords(spec.excludedNamespaces, "<none>"),
    },
    resources: {
      included: listWords(spec.includedResources, "*"),
      excluded: listWords(spec.excludedResources, "<none>"),
      clusterScoped: scope,
      ...byScope(spec),
    },
    labelSelector: selectorWords(spec.labelSelector, selectorQuery),
    ...(or.length > 0 && { orLabelSelector: or.join(" or ") }),
    storageLocation: spec.storageLocation ?? "",
    veleroNativeSnapshotPVs: auto(spec.snapshotVolumes),
    veleroSnapshotMoveData: auto(spec.snapshotMoveData),
    dataMover: spec.datamover || "<none>",
    TTL: spec.ttl ?? "",
    CSISnapshotTimeout: spec.csiSnapshotTimeout ?? "",
    ...(spec.hooks?.resources?.length && { hooks: { resources: spec.hooks.resources } }),
    ...(Object.keys(spec.orderedResources ?? {}).length > 0 && { orderedResources: spec.orderedResources }),
  };
}

/** What upstream's form has no place for: filters by scope. The types that the server itself excludes are not worth a word. */
function byScope(spec: Spec): Json {
  const own = (list: readonly string[] | null | undefined) =>
    (list ?? []).filter((name) => !name.endsWith(".snapshot.storage.k8s.io"));
  const lists = {
    includedClusterScoped: spec.includedClusterScopedResources ?? [],
    excludedClusterScoped: own(spec.excludedClusterScopedResources),
    includedNamespaceScoped: spec.includedNamespaceScopedResources ?? [],
    excludedNamespaceScoped: own(spec.excludedNamespaceScopedResources),
  };
  return Object.fromEntries(
    Object.entries(lists).flatMap(([key, list]) => (list.length > 0 ? [[key, list.join(", ")]] : [])),
  );
}

function statusOf({ backup, copies, details, resourceList, csi = [] }: Described): Json {
  const { status = {} } = backup;
  const { totalItems = 0, itemsBackedUp = 0 } = status.progress ?? {};
  const running = isRunUnderWay(status.phase);
  const counts = running
    ? { estimatedTotalItemsToBeBackedUp: totalItems, itemsBackedUpSoFar: itemsBackedUp }
    : { totalItemsToBeBackedUp: totalItems, itemsBackedUp };
  const { hooksAttempted = 0, hooksFailed = 0 } = status.hookStatus ?? {};
  return {
    backupFormatVersion: status.formatVersion ?? "",
    started: moment(status.startTimestamp),
    completed: moment(status.completionTimestamp),
    expiration: moment(status.expiration),
    ...(status.progress && counts),
    ...(details && { resourceList: resourceList ?? "<backup resource list not found>" }),
    backupVolumes: {
      nativeSnapshots: "<none included>",
      csiSnapshots:
        csi.length > 0
          ? csiOf(csi, details)
          : running
            ? "<none included or not detectable>"
            : "<none included>",
      podVolumeBackups: copiesOf(copies, details),
    },
    ...(status.hookStatus && { hooksAttempted, hooksFailed }),
  };
}

/** By claim; without details only that there is one. */
function csiOf(volumes: readonly CsiVolume[], details: boolean): Json {
  return Object.fromEntries(
    volumes.map(({ claim, isMoved, facts, result }) => {
      const title = isMoved ? "dataMovement" : "snapshot";
      return [claim, { [title]: details ? { ...Object.fromEntries(facts), Result: result } : "included" }];
    }),
  );
}

function copiesOf(copies: readonly PodVolumeBackup[], details: boolean): Json | string {
  const [first] = copies;
  if (!first) return "<none included>";
  const byPhase = Map.groupBy(copies, ({ status }) => status?.phase || "New");
  const shown = [...byPhase].map(([phase, list]) => {
    if (!details) return [phase, list.length];
    const byPod = Map.groupBy(list, ({ spec }) => `${spec?.pod.namespace}/${spec?.pod.name}`);
    const pods = [...byPod].map(([pod, volumes]) => ({
      [pod]: volumes.map(({ spec }) => spec?.volume ?? "").join(", "),
    }));
    return [phase, pods];
  });
  return {
    podVolumeBackupsDetails: Object.fromEntries(shown),
    uploderType: first.spec?.uploaderType || "restic",
  };
}

function deletions({ deletions: requests }: Described): Json {
  if (requests.length === 0) return {};
  const failed = requests.filter(({ status }) => (status?.errors ?? []).length > 0).length;
  const list = requests.map(({ metadata, status }) => ({
    creationTimestamp: metadata.creationTimestamp ?? "",
    phase: status?.phase ?? "New",
    ...(status?.errors?.length && { errors: status.errors }),
  }));
  return { deletionAttempts: { failed, deleteBackupRequests: list } };
}
