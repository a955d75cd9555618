import type { KubeObject, MigCluster, MigPlan, MigStorage } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { builtIn, isForbidden, type Outcome } from "../../kube/index.ts";
import type { Clusters } from "./clusters.ts";
import { critical, isBlocked, required, said, type Wanted } from "./conditions.ts";
import {
  discoverVolumes,
  isDefault,
  type StorageClass,
  type Volume,
  volumeFaults,
} from "./discover-volumes.ts";
import { labels } from "./names.ts";
import { type ClosingParts, closePlan } from "./plan-close.ts";
import { type PlanParts, planFaults } from "./plan-faults.ts";
import { planWarnings, versionWarning } from "./plan-warnings.ts";
import type { Cluster, MigrationDeps } from "./run.ts";
import { type Claim, namespacesOf, type Pod, resources } from "./shapes.ts";
import { ensureLocation, readCredentials } from "./storage-controller.ts";
import { all, find } from "./tolerate.ts";

type PlanStatus = NonNullable<MigPlan["status"]>;

/** What a look at a plan came to. */
export interface PlanLook {
  readonly wanted: readonly Wanted[];
  readonly again: Outcome;
  /** What else the status tells. */
  readonly status?: Partial<PlanStatus>;
  /** The volumes found, when they differ from the plan's. */
  readonly volumes?: NonNullable<NonNullable<MigPlan["spec"]>["persistentVolumes"]>;
}

const settled = { againAfterMs: 60_000 };
const soon = { againAfterMs: 5_000 };

/** What holds about a plan: what it refers to, its namespaces, its store on both clusters, its volumes. */
export async function lookAtPlan(
  deps: MigrationDeps,
  clusters: Clusters,
  plan: MigPlan,
  parts: PlanParts & ClosingParts & { readonly suspended: boolean },
  signal: AbortSignal,
): Promise<PlanLook> {
  if (plan.spec?.closed === true) return closePlan(clusters, plan, parts, signal);
  const faults = planFaults(plan, parts);
  const known = (plan.status?.conditions ?? [])
    .filter(({ type, category }) => /^(StorageEnsured|PvsDiscovered)$/.test(type) && category === "Required")
    .map(({ type, reason, message = "" }) => required(type, reason, message));
  const { source, destination, storage } = parts;
  if (!source || !destination || !storage || faults.some(({ category }) => category === "Critical")) {
    // What was found before a run began is not looked for again while it runs: a cluster that was away must not take it along.
    return { wanted: parts.suspended ? [...faults, ...known] : faults, again: soon };
  }
  if (parts.suspended && plan.spec?.refresh !== true && known.length === 2) {
    const words = "The plan rests: one of its migrations runs, or its final one has succeeded.";
    return {
      wanted: withReady([...faults, said("Advisory", "Suspended", undefined, words), ...known]),
      again: settled,
    };
  }
  return ask(deps, clusters, plan, { source, destination, storage, faults }, signal);
}

interface Given {
  readonly source: MigCluster;
  readonly destination: MigCluster;
  readonly storage: MigStorage;
  readonly faults: readonly Wanted[];
}

async function ask(
  deps: MigrationDeps,
  clusters: Clusters,
  plan: MigPlan,
  given: Given,
  signal: AbortSignal,
): Promise<PlanLook> {
  const [from, to] = await Promise.all([
    clusters.open(given.source, signal),
    clusters.open(given.destination, signal),
  ]);
  if ("type" in from || "type" in to) {
    const wrong = "type" in from ? from : (to as Wanted);
    return { wanted: [...given.faults, wrong], again: soon };
  }
  const missing = await missingNamespaces(plan, from, signal);
  if (missing.length > 0) {
    const words = `Namespaces do not exist on the source: [${missing.join(",")}].`;
    const fault = critical("NamespaceNotFoundOnSourceCluster", "NotFound", words);
    return { wanted: [...given.faults, fault], again: soon };
  }
  const stored = await ensureStorage(deps, given.storage, [from, to], signal);
  const found = await discover(plan, given.storage, from, to, signal);
  const wanted = [
    ...given.faults,
    stored,
    required("PvsDiscovered", "Done", "The volumes of the namespaces have been discovered."),
    ...volumeFaults(found.volumes, found.targets),
    ...(await versionsDiffer(from, to, signal)),
    ...found.warnings,
  ];
  const isSame = JSON.stringify(found.volumes) === JSON.stringify(plan.spec?.persistentVolumes ?? []);
  return {
    wanted: withReady(wanted),
    again: isBlocked(wanted) ? soon : settled,
    status: found.status,
    ...(!isSame && { volumes: found.volumes }),
  };
}

async function versionsDiffer(from: Cluster, to: Cluster, signal: AbortSignal): Promise<readonly Wanted[]> {
  const [here, there] = await Promise.all([from.client.version(signal), to.client.version(signal)]);
  return versionWarning({ name: from.name, ...here }, { name: to.name, ...there });
}

/** Ready is what is required and not prevented. */
function withReady(wanted: readonly Wanted[]): readonly Wanted[] {
  const has = (type: string) => wanted.some((one) => one.type === type && one.category === "Required");
  const isReady = has("StorageEnsured") && has("PvsDiscovered") && !isBlocked(wanted);
  return isReady ? [...wanted, required("Ready", undefined, "The migration plan is ready.")] : wanted;
}

async function ensureStorage(
  deps: MigrationDeps,
  storage: MigStorage,
  both: readonly Cluster[],
  signal: AbortSignal,
): Promise<Wanted> {
  const credentials = await readCredentials(deps.client, storage, signal);
  if (typeof credentials === "object") return credentials;
  for (const cluster of both) {
    try {
      await ensureLocation(storage, credentials, cluster, signal);
    } catch (error) {
      signal.throwIfAborted();
      const words = messageOf(error);
      const hint = `is a backup server installed in namespace "${cluster.namespace}" of cluster "${cluster.name}"?`;
      return critical("StorageNotEnsured", "NotFound", `${words}; ${hint}`);
    }
  }
  return required("StorageEnsured", "Done", "The storage has been made known to both clusters.");
}

async function missingNamespaces(
  plan: MigPlan,
  { client }: Cluster,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const { source } of namespacesOf(plan)) {
    if (!(await find(client, resources.namespaces, source, undefined, signal))) missing.push(source);
  }
  return missing;
}

async function discover(plan: MigPlan, storage: MigStorage, from: Cluster, to: Cluster, signal: AbortSignal) {
  const claims: Claim[] = [];
  const pods: Pod[] = [];
  const used = new Set<string>();
  for (const { source: namespace } of namespacesOf(plan)) {
    claims.push(...(await all<Claim>(from.client, resources.claims, { namespace }, signal)));
    const there = await all<Pod>(from.client, resources.pods, { namespace }, signal);
    pods.push(...there.filter(({ metadata }) => metadata.labels?.[labels.isStagePod] === undefined));
    for (const pod of there) {
      for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
        if (persistentVolumeClaim) used.add(`${namespace}/${persistentVolumeClaim.claimName}`);
      }
    }
  }
  const volumes = await all<Volume>(from.client, resources.volumes, {}, signal);
  const [sources, targets] = await Promise.all(
    [from, to].map(({ client }) => all<StorageClass>(client, resources.storageClasses, {}, signal)),
  );
  const found = {
    claims,
    volumes,
    used,
    targets: targets ?? [],
    canSnapshot: Boolean(storage.spec?.volumeSnapshotProvider),
    snapshotDrivers: await snapshotDrivers(from, signal),
  };
  const entries = discoverVolumes(plan.spec?.persistentVolumes ?? [], found);
  const incompatible = await incompatibleKinds(plan, from, to, signal);
  const names = incompatible.map(({ name }) => name);
  const warnings = planWarnings(pods, entries.length);
  return {
    volumes: entries,
    targets: found.targets,
    warnings: [
      ...warnings.wanted,
      ...(names.length === 0
        ? []
        : [
            said(
              "Warn",
              "GVKsIncompatible",
              undefined,
              `Namespaces have kinds that the destination lacks: [${names.join(",")}].`,
            ),
          ]),
    ],
    status: {
      namespaces: warnings.unhealthy,
      srcStorageClasses: (sources ?? []).map(classOf),
      destStorageClasses: found.targets.map(classOf),
      incompatibleNamespaces: incompatible,
    },
  };
}

function classOf(one: StorageClass) {
  return { name: one.metadata.name, provisioner: one.provisioner ?? "", default: isDefault(one) };
}

/** Kinds with objects in the plan's namespaces that the destination does not serve in any version. */
async function incompatibleKinds(plan: MigPlan, from: Cluster, to: Cluster, signal: AbortSignal) {
  const [here, there] = await Promise.all([from.client.discover(signal), to.client.discover(signal)]);
  const known = new Set(there.resources.map(({ group, plural }) => `${plural}.${group}`));
  const lacking = here.resources.filter(
    ({ namespaced, verbs, group, plural }) =>
      namespaced && verbs.includes("list") && !known.has(`${plural}.${group}`),
  );
  const found: {
    readonly name: string;
    readonly gvks: { group: string; version: string; kind: string }[];
  }[] = [];
  for (const { source: namespace } of namespacesOf(plan)) {
    const gvks: { group: string; version: string; kind: string }[] = [];
    for (const resource of lacking) {
      const some = await all<KubeObject>(from.client, resource, { namespace, limit: 1 }, signal);
      if (some.length === 0) continue;
      gvks.push({ group: resource.group, version: resource.version, kind: resource.plural });
    }
    if (gvks.length > 0) found.push({ name: namespace, gvks });
  }
  return found;
}

/** The CSI drivers that take snapshots on a cluster; none where that cannot be asked. */
async function snapshotDrivers({ client }: Cluster, signal: AbortSignal): Promise<ReadonlySet<string>> {
  type Class = KubeObject & { readonly driver?: string };
  const found = await all<Class>(client, builtIn.snapshotClasses, {}, signal).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    return [];
  });
  return new Set(found.flatMap(({ driver }) => driver ?? []));
}
