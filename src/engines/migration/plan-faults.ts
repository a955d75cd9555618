import {
  isTrue,
  type MigCluster,
  type MigHook,
  type MigPlan,
  type MigStorage,
  type ObjectReference,
} from "../../api/index.ts";
import { critical, said, type Wanted } from "./conditions.ts";
import { namespacesOf } from "./shapes.ts";

/** What a plan refers to, as far as it is there. */
export interface PlanParts {
  readonly source: MigCluster | undefined;
  readonly destination: MigCluster | undefined;
  readonly storage: MigStorage | undefined;
  readonly hooks: readonly MigHook[];
  /** All plans, this one among them. */
  readonly plans: readonly MigPlan[];
}

/** Upstream's limit: a plan of many namespaces is hard to oversee and to undo. */
const maxNamespaces = 10;
const hookPhases = ["PreBackup", "PostBackup", "PreRestore", "PostRestore"];

/** What can be told of a plan without asking its clusters. */
export function planFaults(plan: MigPlan, parts: PlanParts): readonly Wanted[] {
  const { srcMigClusterRef, destMigClusterRef, migStorageRef } = plan.spec ?? {};
  const faults = [
    ...refFaults(
      srcMigClusterRef,
      parts.source,
      "InvalidSourceClusterRef",
      "SourceClusterNotReady",
      "MigCluster",
    ),
    ...refFaults(
      destMigClusterRef,
      parts.destination,
      "InvalidDestinationClusterRef",
      "DestinationClusterNotReady",
      "MigCluster",
    ),
    ...refFaults(migStorageRef, parts.storage, "InvalidStorageRef", "StorageNotReady", "MigStorage"),
  ];
  if (isSameCluster(parts.source, parts.destination)) {
    const words = "The source and the destination are the same cluster.";
    faults.push(critical("InvalidDestinationCluster", "NotDistinct", words));
  }
  return [
    ...faults,
    ...namespaceFaults(plan),
    ...hookFaults(plan, parts.hooks),
    ...conflictFaults(plan, parts.plans),
  ];
}

/** Whether two MigClusters are one cluster. */
function isSameCluster(a: MigCluster | undefined, b: MigCluster | undefined): boolean {
  if (!a || !b) return false;
  if (a.metadata.name === b.metadata.name) return true;
  if (a.spec?.isHostCluster || b.spec?.isHostCluster) {
    return a.spec?.isHostCluster === true && b.spec?.isHostCluster === true;
  }
  return a.spec?.url !== undefined && a.spec.url === b.spec?.url;
}

function refFaults(
  ref: ObjectReference | undefined,
  found: MigCluster | MigStorage | undefined,
  invalid: string,
  notReady: string,
  kind: string,
): Wanted[] {
  if (!ref?.name) return [critical(invalid, "NotSet", `The plan names no ${kind}.`)];
  if (!found) return [critical(invalid, "NotFound", `${kind} "${ref.name}" does not exist.`)];
  if (isTrue(found.status?.conditions, "Ready")) return [];
  const why = (found.status?.conditions ?? []).find(({ category }) => category === "Critical")?.message;
  return [critical(notReady, undefined, `${kind} "${ref.name}" is not ready${why ? `: ${why}` : ""}.`)];
}

function namespaceFaults(plan: MigPlan): Wanted[] {
  const pairs = namespacesOf(plan);
  if (pairs.length === 0)
    return [critical("NamespaceListEmpty", "NotFound", "The plan names no namespaces.")];
  const faults: Wanted[] = [];
  if (pairs.length > maxNamespaces) {
    const words = `The plan has ${pairs.length} namespaces; ${maxNamespaces} are the most.`;
    faults.push(critical("NamespaceLimitExceeded", "LimitExceeded", words));
  }
  const twice = (names: readonly string[]) => [
    ...new Set(names.filter((name, i) => names.indexOf(name) !== i)),
  ];
  const bySource = twice(pairs.map(({ source }) => source));
  if (bySource.length > 0) {
    const words = `Namespaces are named twice: [${bySource.join(",")}].`;
    faults.push(critical("DuplicateNamespaceOnSourceCluster", "DuplicateNamespaces", words));
  }
  const byDestination = twice(pairs.map(({ destination }) => destination));
  if (byDestination.length > 0) {
    const words = `Several namespaces would go to the same one: [${byDestination.join(",")}].`;
    faults.push(critical("DuplicateNamespaceOnDestinationCluster", "DuplicateNamespaces", words));
  }
  const long = pairs.filter(({ source, destination }) => source.length > 59 || destination.length > 59);
  if (long.length > 0) {
    const words = `Namespaces with long names: [${long.map(({ source }) => source).join(",")}].`;
    faults.push(said("Warn", "NamespaceLengthExceeded", "LengthExceeded", words));
  }
  return faults;
}

function hookFaults(plan: MigPlan, hooks: readonly MigHook[]): Wanted[] {
  const entries = plan.spec?.hooks ?? [];
  const faults: Wanted[] = [];
  for (const { reference, phase, executionNamespace, serviceAccount } of entries) {
    const namespace = reference.namespace ?? plan.metadata.namespace;
    const hook = hooks.find(
      ({ metadata }) => metadata.name === reference.name && metadata.namespace === namespace,
    );
    const title = `MigHook "${reference.name ?? ""}"`;
    if (!hook) faults.push(critical("InvalidHookRef", "NotFound", `${title} does not exist.`));
    else if (!isTrue(hook.status?.conditions, "Ready")) {
      faults.push(critical("HookNotReady", undefined, `${title} is not ready.`));
    }
    if (!executionNamespace)
      faults.push(critical("InvalidHookNSName", "NotSet", `${title} has no namespace to run in.`));
    if (!serviceAccount)
      faults.push(critical("InvalidHookSAName", "NotSet", `${title} has no account to run as.`));
    if (!hookPhases.includes(phase)) {
      faults.push(critical("HookPhaseUnknown", undefined, `"${phase}" is none of ${hookPhases.join(", ")}.`));
    }
  }
  const phases = entries.map(({ phase }) => phase);
  const double = phases.find((phase, i) => phases.indexOf(phase) !== i);
  if (double) faults.push(critical("HookPhaseDuplicate", undefined, `Two hooks are to run at ${double}.`));
  return faults;
}

/** Another open plan that moves the same namespace of the same cluster. */
function conflictFaults(plan: MigPlan, plans: readonly MigPlan[]): Wanted[] {
  const keysOf = (one: MigPlan) =>
    namespacesOf(one).flatMap(({ source, destination }) => [
      `${one.spec?.srcMigClusterRef?.name}/${source}`,
      `${one.spec?.destMigClusterRef?.name}/${destination}`,
    ]);
  const mine = new Set(keysOf(plan));
  const others = plans.filter(
    (other) =>
      other.metadata.uid !== plan.metadata.uid &&
      other.spec?.closed !== true &&
      keysOf(other).some((key) => mine.has(key)),
  );
  if (others.length === 0) return [];
  const names = others.map(({ metadata }) => metadata.name).join(",");
  return [
    said("Error", "PlanConflict", "Conflict", `Other open plans move the same namespaces: [${names}].`),
  ];
}
