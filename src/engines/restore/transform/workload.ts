import type { Item } from "../archive/item-json.ts";
import { isRecord, type Json, recordOf, recordsOf, textOf, update, without } from "../json.ts";

/** Names of the container that holds a restored pod back until its volumes are complete. */
const waitContainers: readonly string[] = ["restore-wait", "restic-wait"];
const controllerLabels = ["controller-uid", "batch.kubernetes.io/controller-uid"];

/** A job that gets a new selector: the old one names the old job's uid. */
export function freeJob(job: Item): Item {
  const drop = (labels: unknown): unknown =>
    isRecord(labels) ? without(labels, ...controllerLabels) : labels;
  const selected = update(job, ["spec", "selector", "matchLabels"], drop);
  return update(selected, ["spec", "template", "metadata", "labels"], drop);
}

/** A job that has ended has nothing left to do. */
export function isFinishedJob(job: Item): boolean {
  return textOf(recordOf(job["status"])["completionTime"]) !== "";
}

/** A pod that has ended would run again if it were created. */
export function isFinishedPod(pod: Item): boolean {
  const phase = recordOf(pod["status"])["phase"];
  return phase === "Succeeded" || phase === "Failed";
}

/** A pod that the kubelet made from a file shows up by itself where that file is. */
export function isMirrorPod(pod: Item): boolean {
  return pod.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;
}

/** A pod that the scheduler places anew, with a token of its new service account. */
export function freePod(pod: Item): Item {
  const spec = recordOf(pod["spec"]);
  const account = textOf(spec["serviceAccountName"]);
  const isToken = (name: unknown): boolean =>
    typeof name === "string" &&
    (name.startsWith("kube-api-access-") || (account !== "" && name.startsWith(`${account}-token-`)));
  const named = (list: unknown): unknown =>
    Array.isArray(list) ? list.filter((one) => !(isRecord(one) && isToken(one["name"]))) : list;
  const containers = (list: unknown): unknown =>
    Array.isArray(list)
      ? list.map((one) => (isRecord(one) ? update(one, ["volumeMounts"], named) : one))
      : list;
  // Ephemeral containers cannot be part of a create; upstream's restore fails on them.
  let free: Json = without(spec, "nodeName", "priority", "ephemeralContainers");
  free = update(free, ["volumes"], named);
  for (const field of ["containers", "initContainers"]) free = update(free, [field], containers);
  // Of an earlier restore: nobody would write what it waits for. A volume of this restore brings its own.
  const withoutWait = (list: unknown): unknown =>
    Array.isArray(list)
      ? list.filter((one) => !(isRecord(one) && waitContainers.includes(textOf(one["name"]))))
      : list;
  return { ...pod, spec: update(free, ["initContainers"], withoutWait) };
}

/** The priority class that a pod needs, or "". */
export function priorityClassOf(pod: Item): string {
  return textOf(recordOf(pod["spec"])["priorityClassName"]);
}

/** Where the pod spec of a workload is. */
const podSpecs: Readonly<Record<string, readonly string[]>> = {
  Pod: ["spec"],
  Deployment: ["spec", "template", "spec"],
  DaemonSet: ["spec", "template", "spec"],
  ReplicaSet: ["spec", "template", "spec"],
  ReplicationController: ["spec", "template", "spec"],
  StatefulSet: ["spec", "template", "spec"],
  Job: ["spec", "template", "spec"],
  CronJob: ["spec", "jobTemplate", "spec", "template", "spec"],
};

/** Images by another name; a rule is `part of the old,what stands there instead`, the first that fits counts. */
export function changeImages(item: Item, rules: Readonly<Record<string, string>>): Item {
  const path = Object.hasOwn(podSpecs, item.kind) ? podSpecs[item.kind] : undefined;
  if (path === undefined) return item;
  const pairs = Object.keys(rules)
    .toSorted()
    .map((key) => (rules[key] ?? "").split(","))
    .flatMap(([from = "", to = ""]) =>
      from.trim() === "" || to.trim() === "" ? [] : [{ from: from.trim(), to: to.trim() }],
    );
  const image = (old: unknown): unknown => {
    const rule = typeof old === "string" ? pairs.find(({ from }) => old.includes(from)) : undefined;
    return rule === undefined ? old : textOf(old).replaceAll(rule.from, () => rule.to);
  };
  const containers = (list: unknown): unknown =>
    Array.isArray(list) ? recordsOf(list).map((one) => update(one, ["image"], image)) : list;
  return ["containers", "initContainers"].reduce(
    (changed, field) => update(changed, [...path, field], containers),
    item,
  );
}
