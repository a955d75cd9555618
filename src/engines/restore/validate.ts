import { includeExclude, includeExcludeFaults, type Restore, selectorFault } from "../../api/index.ts";
import { isRecord, recordsOf, textOf } from "./json.ts";

type Spec = NonNullable<Restore["spec"]>;

/** Types that describe the cluster a backup came from, or Velero itself: never restored. */
const neverRestored = [
  "nodes",
  "events",
  "events.events.k8s.io",
  "backups.velero.io",
  "restores.velero.io",
  "resticrepositories.velero.io",
  "csinodes.storage.k8s.io",
  "volumeattachments.storage.k8s.io",
  "backuprepositories.velero.io",
] as const;

/** The spec's excludes with the types that are never restored added at the end. */
export function completeExcludes(spec: Spec): readonly string[] {
  const given = spec.excludedResources ?? [];
  return [...given, ...neverRestored.filter((type) => !given.includes(type))];
}

/** What is wrong with a spec by itself, one sentence a fault; nothing when it can be tried. */
export function specFaults(spec: Spec): string[] {
  return [
    ...sourceFaults(spec),
    ...(spec.includedResources ?? [])
      .filter((type) => neverRestored.some((never) => never === type))
      .map((type) => `"${type}" cannot be restored`),
    ...includeExcludeFaults(includeExclude(spec.includedResources, without(spec.excludedResources))).map(
      (fault) => `resources: ${fault}`,
    ),
    ...includeExcludeFaults(includeExclude(spec.includedNamespaces, spec.excludedNamespaces)).map(
      (fault) => `namespaces: ${fault}`,
    ),
    ...selectorFaults(spec),
    ...policyFaults(spec),
    ...mappingFaults(spec.namespaceMapping ?? {}),
    ...modifierFaults(spec),
    ...hookFaults(spec),
  ];
}

function without(excludes: readonly string[] | null | undefined): readonly string[] {
  return (excludes ?? []).filter((type) => !neverRestored.some((never) => never === type));
}

function sourceFaults({ backupName = "", scheduleName = "" }: Spec): string[] {
  if (backupName === "" && scheduleName === "") return ["neither a backup nor a schedule is named"];
  // A schedule is replaced by the backup it stood for; a restart then finds both.
  return [];
}

function selectorFaults(spec: Spec): string[] {
  const or = spec.orLabelSelectors ?? [];
  const faults: string[] = [];
  if (spec.labelSelector && or.length > 0) {
    faults.push("labelSelector and orLabelSelectors cannot be used together");
  }
  for (const selector of [...(spec.labelSelector ? [spec.labelSelector] : []), ...or]) {
    const fault = selectorFault(selector);
    if (fault !== undefined) faults.push(`label selector: ${fault}`);
  }
  return faults;
}

function policyFaults({ existingResourcePolicy }: Spec): string[] {
  const policy = existingResourcePolicy ?? "";
  return ["", "none", "update"].includes(policy)
    ? []
    : [`existingResourcePolicy "${policy}" is neither none nor update`];
}

/** Two namespaces that become one would overwrite each other's items. */
function mappingFaults(mapping: Readonly<Record<string, string>>): string[] {
  const sources = Map.groupBy(Object.entries(mapping), ([, target]) => target);
  return [...sources]
    .flatMap(([target, pairs]) =>
      pairs.length > 1 ? [{ target, from: pairs.map(([source]) => source) }] : [],
    )
    .map(({ target, from }) => `namespaces "${from.join('", "')}" are all mapped to "${target}"`);
}

function modifierFaults({ resourceModifier }: Spec): string[] {
  if (!resourceModifier) return [];
  const { kind, name } = resourceModifier;
  return textOf(kind).toLowerCase() === "configmap" && textOf(name) !== ""
    ? []
    : ["resourceModifier must name a ConfigMap"];
}

function hookFaults(spec: Spec): string[] {
  return (spec.hooks?.resources ?? []).flatMap((hook) =>
    (hook.postHooks ?? []).flatMap(({ init }) =>
      recordsOf(init?.initContainers).flatMap((container) => {
        const missing = ["name", "image", "command"].filter((field) => isMissing(container[field]));
        return missing.map((field) => `hook "${hook.name}": an init container has no ${field}`);
      }),
    ),
  );
}

function isMissing(value: unknown): boolean {
  return (
    value === undefined ||
    value === "" ||
    value === null ||
    (Array.isArray(value) && value.length === 0) ||
    isRecord(value)
  );
}
