import type { Api } from "../api.ts";
import { type JsonMap, type KubeObject, listAt, mapAt, numberAt, stamp, textAt } from "../object.ts";
import { type Controller, keyOf, ownerKeys } from "./controller.ts";
import { adopt, controlledBy, noteOn, owned, setStatus, templateHash, wanted } from "./pods.ts";

const revisionKey = "deployment.kubernetes.io/revision";
const historyKey = "deployment.kubernetes.io/revision-history";

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
    const old = sets.filter((s) => s.metadata.uid !== current?.metadata.uid);
    if (current) {
      const revision = renumber(api, current, old);
      for (const [set, replicas] of rollout(deployment, current, old)) resize(api, deployment, set, replicas);
      note(api, deployment, revision);
      forget(api, deployment, old);
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
  const revision = 1 + Math.max(0, ...sets.map(revisionOf));
  const { "kubectl.kubernetes.io/last-applied-configuration": _applied, ...carried } = annotations;
  const set: KubeObject = {
    kind: "ReplicaSet",
    apiVersion: "apps/v1",
    metadata: {
      name: `${name}-${hash}`,
      labels,
      annotations: { ...carried, ...sizes(deployment), [revisionKey]: String(revision) },
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
  };
  const replicas = rollout(deployment, set, sets)[0]?.[1] ?? 0;
  const made = api.create(api.resource("replicasets.apps"), namespace, {
    ...set,
    spec: { ...set.spec, replicas },
  });
  if (replicas > 0) scaled(api, deployment, made, 0, replicas);
  return made;
}

/** What a ReplicaSet notes of its Deployment's size. */
function sizes(deployment: KubeObject): Record<string, string> {
  const desired = wanted(deployment);
  const rolling = mapAt(mapAt(deployment.spec, "strategy"), "rollingUpdate");
  const surge =
    mapAt(deployment.spec, "strategy")["type"] === "Recreate"
      ? 0
      : share(rolling["maxSurge"], desired, Math.ceil);
  return {
    "deployment.kubernetes.io/desired-replicas": String(desired),
    "deployment.kubernetes.io/max-replicas": String(desired + surge),
  };
}

function scaled(api: Api, deployment: KubeObject, set: KubeObject, from: number, to: number): void {
  const message = `Scaled ${to > from ? "up" : "down"} replica set ${set.metadata.name} from ${from} to ${to}`;
  noteOn(api, deployment, "ScalingReplicaSet", message);
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
      [current, oldTotal + left > 0 ? wanted(current) : desired],
      ...old.map((s): [KubeObject, number] => [s, 0]),
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
  if (before === replicas && replicas === 0) return;
  api.modify(api.resource("replicasets.apps"), set.metadata.namespace ?? "", set.metadata.name, (s) => {
    s.spec = { ...s.spec, replicas };
    s.metadata.annotations = { ...s.metadata.annotations, ...sizes(deployment) };
  });
  if (before !== replicas) scaled(api, deployment, set, before, replicas);
}

const revisionOf = (set: KubeObject): number => Number(set.metadata.annotations?.[revisionKey] ?? 0);

/** The present set has the highest revision, also when it is an old one that was gone back to. */
function renumber(api: Api, current: KubeObject, old: readonly KubeObject[]): number {
  const highest = Math.max(0, ...old.map(revisionOf));
  const before = revisionOf(current);
  if (before > highest) return before;
  api.modify(
    api.resource("replicasets.apps"),
    current.metadata.namespace ?? "",
    current.metadata.name,
    (s) => {
      const past = s.metadata.annotations?.[historyKey];
      s.metadata.annotations = {
        ...s.metadata.annotations,
        [revisionKey]: String(highest + 1),
        ...(before > 0 && { [historyKey]: past === undefined ? String(before) : `${past},${before}` }),
      };
    },
  );
  return highest + 1;
}

function note(api: Api, deployment: KubeObject, revision: number): void {
  const { namespace = "", name, annotations } = deployment.metadata;
  if (annotations?.[revisionKey] === String(revision)) return;
  api.modify(api.resource("deployments.apps"), namespace, name, (d) => {
    d.metadata.annotations = { ...d.metadata.annotations, [revisionKey]: String(revision) };
  });
}

/** Old sets are kept to go back to, but not for ever. */
function forget(api: Api, deployment: KubeObject, old: readonly KubeObject[]): void {
  const limit = numberAt(deployment.spec, "revisionHistoryLimit") ?? 10;
  const empty = old.filter((s) => wanted(s) === 0 && (numberAt(s.status, "replicas") ?? 0) === 0);
  for (const set of empty.toSorted((a, b) => revisionOf(b) - revisionOf(a)).slice(limit))
    api.delete(api.resource("replicasets.apps"), set.metadata.namespace ?? "", set.metadata.name);
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
