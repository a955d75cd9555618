import type { MigPlan } from "../../api/index.ts";
import { said, type Wanted } from "./conditions.ts";
import { whyUnwell } from "./pod-health.ts";
import type { Pod } from "./shapes.ts";
import { keyOf } from "./tolerate.ts";

/** More of either in one run is hard to oversee; upstream's numbers. */
const maxPods = 100;
const maxVolumes = 100;
/** Names in a message; the rest are a number. */
const shown = 5;

type Unhealthy = NonNullable<NonNullable<MigPlan["status"]>["namespaces"]>;

/** Kinds and their defaults differ between versions; that two clusters have different ones stops nothing. */
export function versionWarning(
  from: { readonly name: string; readonly gitVersion: string },
  to: { readonly name: string; readonly gitVersion: string },
): readonly Wanted[] {
  const [a, b] = [from, to].map(({ gitVersion }) => /^v?(\d+\.\d+)/.exec(gitVersion)?.[1]);
  if (a === undefined || b === undefined || a === b) return [];
  const words = `Cluster "${from.name}" is Kubernetes ${a}, cluster "${to.name}" is ${b}: objects of the one may mean something else on the other.`;
  return [said("Warn", "ClusterVersionMismatch", "Conflict", words)];
}

/** What a person should know of a plan's pods and volumes before a run; none of it stops one. */
export function planWarnings(
  pods: readonly Pod[],
  volumes: number,
): { readonly wanted: readonly Wanted[]; readonly unhealthy: Unhealthy } {
  const sick = pods.flatMap((pod) => {
    const why = whyUnwell(pod);
    return why === undefined ? [] : [{ pod, why }];
  });
  const spaces = [...new Set(sick.map(({ pod }) => pod.metadata.namespace ?? ""))].toSorted();
  const bound = pods.filter(({ spec }) => Object.keys(spec?.nodeSelector ?? {}).length > 0);
  const tied = [...new Set(bound.map(({ metadata }) => metadata.namespace ?? ""))].toSorted();
  const wanted: Wanted[] = [];
  if (sick.length > 0) {
    const words = sick.slice(0, shown).map(({ pod, why }) => `${keyOf(pod)} (${why})`);
    const more = sick.length > shown ? ` and ${sick.length - shown} more` : "";
    wanted.push(
      said(
        "Warn",
        "SourcePodsNotHealthy",
        "NotHealthy",
        `Pods of the source are not well: ${words.join(", ")}${more}.`,
      ),
    );
  }
  if (pods.length > maxPods) {
    const words = `The namespaces have ${pods.length} pods, more than ${maxPods}: a run may take long.`;
    wanted.push(said("Warn", "PodLimitExceeded", "LimitExceeded", words));
  }
  if (volumes > maxVolumes) {
    const words = `The plan has ${volumes} volumes, more than ${maxVolumes}: a run may take long.`;
    wanted.push(said("Warn", "PvLimitExceeded", "LimitExceeded", words));
  }
  if (tied.length > 0) {
    const words = `Pods ask for nodes with certain labels, which the destination may not have, in [${tied.join(",")}].`;
    wanted.push(said("Warn", "NamespacesHaveNodeSelectors", "NodeSelectorsDetected", words));
  }
  const unhealthy = spaces.map((name) => {
    const mine = sick.filter(({ pod }) => pod.metadata.namespace === name);
    const resources = mine.slice(0, 100).map(({ pod, why }) => `${keyOf(pod)}: ${why}`);
    return { name, workloads: [{ name: "Pods", resources }] };
  });
  return { wanted, unhealthy };
}
