import type { Api } from "../api.ts";
import { type JsonMap, type KubeObject, listAt, mapAt, numberAt, stamp, textAt } from "../object.ts";
import { type Controller, keyOf, ownerKeys } from "./controller.ts";
import { adopt, controlledBy, noteOn, owned, setStatus, templateHash, wanted } from "./pods.ts";

const revisionKey = "deployment.kubernetes.io/revision";

/** Rolls a Deployment's pods from one ReplicaSet to the next. */
export const deployments: Controller = {
  name: "deployments",
  watches: {
    "deployments.apps": (o) => [keyOf(o)],
    "replicasets.apps": ownerKeys("deployments.apps", "Deployment"),
  },
  reconcile(api, namespace, name) {
    const deployment = api.read("deployments.apps", namespace, name);
    if (!deployment || deployment.metadata.deletionTimestamp !== undefined) return;
    adopt(api, "replicasets.apps", "deployments.apps", deployment);
    const sets = owned(api, "replicasets.apps", deployment);
    const paused = deployment.spec?.["paused"] === true;
    const hash = templateHash(mapAt(deployment.spec, "template"));
    const current =
      sets.find((s) => s.metadata.labels?.["pod-template-hash"] === hash) ??
      (paused ? undefined : newSet(api, deployment, sets, hash));
    const old = sets.filter((s) => s !== current && s.metadata.uid !== current?.metadata.uid);
    if (current) {
      for (const [set, replicas] of rollout(deployment, current, old)) resize(api, deployment, set, replicas);
      note(api, deployment, current);
    }
    report(api, namespace, name, hash);
  },
};

function newSet(api: Api, deployment: KubeObject, sets: readonly KubeObject[], hash: string): KubeObject {
  const { name, namespace = "", annotations = {} } = deployment.metadata;
  const template = structuredClone(mapAt(deployment.spec, "template"));
  const meta = mapAt(template, "metadata");
  const labels = { ...(mapAt(meta, "labels") as Record<string, string>), "pod-template-hash": hash };
  template["metadata"] = { ...meta, labels };
  const selector = mapAt(deployment.spec, "selector");
  const revision = 1 + Math.max(0, ...sets.map((s) => Number(s.metadata.annotations?.[revisionKey] ?? 0)));
  const { "kubectl.kubernetes.io/last-applied-configuration": _applied, ...carried } = annotations;
  return api.create(api.resource("replicasets.apps"), namespace, {
    kind: "ReplicaSet",
    apiVersion: "apps/v1",
    metadata: {
      name: `${name}-${hash}`,
      labels,
      annotations: {
        ...carried,
        [revisionKey]: String(revision),
        "deployment.kubernetes.io/desired-replicas": String(wanted(deployment)),
      },
      ownerReferences: controlledBy(api, "deployments.apps", deployment),
    },
    spec: {
      replicas: 0,
      selector: {
        ...selector,
        matchLabels: { ...mapAt(selector, "matchLabels"), "pod-template-hash": hash },
      },
      template,
    },
  });
}

/** The next sizes: never more than surge allows, never fewer available than unavailability allows. */
export function rollout(
  deployment: KubeObject,
  current: KubeObject,
  old: readonly KubeObject[],
): [KubeObject, number][] {
  const desired = wanted(deployment);
  const strategy = mapAt(deployment.spec, "strategy");
  const oldTotal = old.reduce((sum, s) => sum + wanted(s), 0);
  if (strategy["type"] === "Recreate") {
    const left = old.reduce((sum, s) => sum + (numberAt(s.status, "replicas") ?? 0), 0);
    return [
      ...old.map((s): [KubeObject, number] => [s, 0]),
      [current, oldTotal + left > 0 ? wanted(current) : desired],
    ];
  }
  const rolling = mapAt(strategy, "rollingUpdate");
  const surge = share(rolling["maxSurge"], desired, Math.ceil);
  const unavailable = share(rolling["maxUnavailable"], desired, Math.floor) || (surge === 0 ? 1 : 0);
  const next = Math.min(desired, Math.max(wanted(current), desired + surge - oldTotal));
  const available =
    (numberAt(current.status, "availableReplicas") ?? 0) +
    old.reduce((sum, s) => sum + (numberAt(s.status, "availableReplicas") ?? 0), 0);
  let spare = Math.max(0, available - (desired - unavailable));
  const out: [KubeObject, number][] = [[current, wanted(current) > desired ? desired : next]];
  for (const set of old) {
    const broken = wanted(set) - Math.min(wanted(set), numberAt(set.status, "availableReplicas") ?? 0);
    const less = Math.min(wanted(set), broken + spare);
    spare -= Math.max(0, less - broken);
    out.push([set, wanted(set) - less]);
  }
  return out;
}

function share(value: unknown, of: number, round: (n: number) => number): number {
  if (typeof value === "number") return value;
  const percent = typeof value === "string" ? Number.parseFloat(value) : 25;
  return round((of * percent) / 100);
}

function resize(api: Api, deployment: KubeObject, set: KubeObject, replicas: number): void {
  const before = wanted(set);
  if (before === replicas) return;
  api.modify(api.resource("replicasets.apps"), set.metadata.namespace ?? "", set.metadata.name, (s) => {
    s.spec = { ...s.spec, replicas };
  });
  const way = replicas > before ? "up" : "down";
  const message = `Scaled ${way} replica set ${set.metadata.name} from ${before} to ${replicas}`;
  noteOn(api, deployment, "ScalingReplicaSet", message);
}

function note(api: Api, deployment: KubeObject, current: KubeObject): void {
  const revision = current.metadata.annotations?.[revisionKey] ?? "1";
  if (deployment.metadata.annotations?.[revisionKey] === revision) return;
  api.modify(
    api.resource("deployments.apps"),
    deployment.metadata.namespace ?? "",
    deployment.metadata.name,
    (d) => {
      d.metadata.annotations = { ...d.metadata.annotations, [revisionKey]: revision };
    },
  );
}

function report(api: Api, namespace: string, name: string, hash: string): void {
  const deployment = api.read("deployments.apps", namespace, name);
  if (!deployment) return;
  const sets = owned(api, "replicasets.apps", deployment);
  const sum = (field: string, of = sets): number =>
    of.reduce((n, s) => n + (numberAt(s.status, field) ?? 0), 0);
  const current = sets.filter((s) => s.metadata.labels?.["pod-template-hash"] === hash);
  const [replicas, ready, available, updated] = [
    sum("replicas"),
    sum("readyReplicas"),
    sum("availableReplicas"),
    sum("replicas", current),
  ];
  const desired = wanted(deployment);
  const missing = Math.max(0, desired - available);
  const rolling = mapAt(mapAt(deployment.spec, "strategy"), "rollingUpdate");
  const enough = available >= desired - share(rolling["maxUnavailable"], desired, Math.floor);
  const done = updated === desired && replicas === desired && available === desired;
  const set = current[0]?.metadata.name ?? "";
  const now = stamp(api.now());
  setStatus(api, "deployments.apps", deployment, {
    observedGeneration: deployment.metadata.generation,
    ...(replicas > 0 && { replicas }),
    ...(updated > 0 && { updatedReplicas: updated }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    ...(missing > 0 && { unavailableReplicas: missing }),
    conditions: [
      condition(
        deployment,
        "Available",
        enough,
        enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
        `Deployment ${enough ? "has" : "does not have"} minimum availability.`,
        now,
      ),
      condition(
        deployment,
        "Progressing",
        true,
        done ? "NewReplicaSetAvailable" : "ReplicaSetUpdated",
        `ReplicaSet "${set}" ${done ? "has successfully progressed" : "is progressing"}.`,
        now,
      ),
    ],
  });
}

/** A condition that keeps its time while it says the same. */
function condition(
  o: KubeObject,
  type: string,
  value: boolean,
  reason: string,
  message: string,
  now: string,
): JsonMap {
  const status = value ? "True" : "False";
  const before = listAt(o.status, "conditions").find((c) => textAt(c, "type") === type);
  const turned = textAt(before, "status") === status ? (textAt(before, "lastTransitionTime") ?? now) : now;
  const said =
    textAt(before, "reason") === reason && turned !== now ? (textAt(before, "lastUpdateTime") ?? now) : now;
  return { type, status, lastUpdateTime: said, lastTransitionTime: turned, reason, message };
}
