import { randomBytes } from "node:crypto";
import { isMap, type Json, type JsonMap, type KubeObject, listAt, mapAt, textAt, words } from "./object.ts";

/** Fills in what the API server fills in for a built-in kind when it is written. */
export function applyDefaults(object: KubeObject, storage: string): void {
  perKind[storage]?.(object);
}

/** What is decided once, at creation, by admission and the kind's own rules. */
export function prepareCreate(object: KubeObject, storage: string): void {
  switch (storage) {
    case "pods":
      return preparePod(object);
    case "namespaces":
      object.spec = { finalizers: ["kubernetes"] };
      object.status = { phase: "Active" };
      return;
    case "persistentvolumeclaims":
      addFinalizer(object, "kubernetes.io/pvc-protection");
      object.status = { phase: "Pending" };
      return;
    case "persistentvolumes":
      addFinalizer(object, "kubernetes.io/pv-protection");
      object.status = { phase: "Pending", lastPhaseTransitionTime: object.metadata.creationTimestamp };
      return;
    case "jobs.batch":
      return prepareJob(object);
    case "statefulsets.apps":
      object.status = { replicas: 0, availableReplicas: 0 };
      return;
    case "daemonsets.apps":
      object.status = {
        currentNumberScheduled: 0,
        numberMisscheduled: 0,
        desiredNumberScheduled: 0,
        numberReady: 0,
      };
      return;
    case "deployments.apps":
    case "cronjobs.batch":
      object.status = {};
      return;
    case "replicasets.apps":
    case "replicationcontrollers":
      object.status = { replicas: 0 };
      return;
    case "services":
      object.status = { loadBalancer: {} };
      return;
    case "ingresses.networking.k8s.io":
      object.status = { loadBalancer: {} };
      return;
    default:
      return;
  }
}

const perKind: Readonly<Record<string, (object: KubeObject) => void>> = {
  pods: (o) => podSpec(spec(o)),
  podtemplates: (o) => podSpec(mapAt(o["template"], "spec")),
  "deployments.apps": (o) => {
    const s = spec(o);
    set(s, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: {} });
    rollout(s, "strategy", { maxUnavailable: "25%", maxSurge: "25%" });
    template(s);
  },
  "replicasets.apps": (o) => {
    set(spec(o), { replicas: 1 });
    template(spec(o));
  },
  "statefulsets.apps": (o) => {
    const s = spec(o);
    set(s, {
      replicas: 1,
      podManagementPolicy: "OrderedReady",
      revisionHistoryLimit: 10,
      updateStrategy: {},
    });
    set(s, { persistentVolumeClaimRetentionPolicy: {} });
    set(mapAt(s, "persistentVolumeClaimRetentionPolicy"), { whenDeleted: "Retain", whenScaled: "Retain" });
    rollout(s, "updateStrategy", { partition: 0 });
    template(s);
    for (const claim of maps(s, "volumeClaimTemplates")) {
      set(claim, { kind: "PersistentVolumeClaim", apiVersion: "v1", spec: {}, status: { phase: "Pending" } });
      set(mapAt(claim, "spec"), { volumeMode: "Filesystem" });
    }
  },
  "daemonsets.apps": (o) => {
    set(spec(o), { revisionHistoryLimit: 10, updateStrategy: {} });
    rollout(spec(o), "updateStrategy", { maxUnavailable: 1, maxSurge: 0 });
    template(spec(o));
    o.metadata.annotations ??= {};
    o.metadata.annotations["deprecated.daemonset.template.generation"] ??= "1";
  },
  "jobs.batch": (o) => jobSpec(spec(o)),
  "cronjobs.batch": (o) => {
    set(spec(o), {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    const jobTemplate = mapAt(spec(o), "jobTemplate");
    set(jobTemplate, { metadata: {} });
    template(mapAt(jobTemplate, "spec"));
  },
  services: service,
  secrets: (o) => {
    const plain = o["stringData"];
    if (isMap(plain)) {
      const data: JsonMap = isMap(o["data"]) ? o["data"] : {};
      for (const [key, value] of Object.entries(plain))
        data[key] = Buffer.from(words(value)).toString("base64");
      o["data"] = data;
      delete o["stringData"];
    }
    o["type"] ??= "Opaque";
  },
  persistentvolumeclaims: (o) => set(spec(o), { volumeMode: "Filesystem" }),
  persistentvolumes: (o) => {
    set(spec(o), { volumeMode: "Filesystem", persistentVolumeReclaimPolicy: "Retain" });
    if (isMap(spec(o)["hostPath"])) set(mapAt(spec(o), "hostPath"), { type: "" });
  },
  namespaces: (o) => {
    o.metadata.labels = { ...o.metadata.labels, "kubernetes.io/metadata.name": o.metadata.name };
  },
  "storageclasses.storage.k8s.io": (o) =>
    set(o as unknown as JsonMap, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
  "roles.rbac.authorization.k8s.io": (o) => set(o as unknown as JsonMap, { rules: null }),
  "clusterroles.rbac.authorization.k8s.io": (o) => set(o as unknown as JsonMap, { rules: null }),
  "rolebindings.rbac.authorization.k8s.io": binding,
  "clusterrolebindings.rbac.authorization.k8s.io": binding,
};

function spec(object: KubeObject): JsonMap {
  object.spec ??= {};
  return object.spec;
}

/** Sets what is absent. */
function set(target: JsonMap, values: JsonMap): void {
  for (const [key, value] of Object.entries(values)) if (target[key] === undefined) target[key] = value;
}

function maps(value: unknown, key: string): JsonMap[] {
  return listAt(value, key).filter(isMap);
}

function rollout(s: JsonMap, field: string, rolling: JsonMap): void {
  const strategy = mapAt(s, field);
  set(strategy, { type: "RollingUpdate" });
  if (strategy["type"] !== "RollingUpdate") return;
  set(strategy, { rollingUpdate: {} });
  set(mapAt(strategy, "rollingUpdate"), rolling);
}

function template(s: JsonMap): void {
  if (!isMap(s["template"])) return;
  set(s["template"], { metadata: {}, spec: {} });
  podSpec(mapAt(s["template"], "spec"));
}

function podSpec(s: JsonMap): void {
  set(s, {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  });
  if (textAt(s, "serviceAccountName")) s["serviceAccount"] = s["serviceAccountName"];
  else if (textAt(s, "serviceAccount")) s["serviceAccountName"] = s["serviceAccount"];
  for (const c of [...maps(s, "initContainers"), ...maps(s, "containers")]) container(c);
  for (const v of maps(s, "volumes")) volume(v);
}

function container(c: JsonMap): void {
  const image = textAt(c, "image") ?? "";
  const tag = /:([^/:@]+)$/.exec(image)?.[1];
  const latest = !image.includes("@") && (tag === undefined || tag === "latest");
  set(c, {
    resources: {},
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: latest ? "Always" : "IfNotPresent",
  });
  for (const port of maps(c, "ports")) set(port, { protocol: "TCP" });
  for (const env of maps(c, "env")) {
    const ref = mapAt(mapAt(env, "valueFrom"), "fieldRef");
    if (ref["fieldPath"] !== undefined) set(ref, { apiVersion: "v1" });
  }
  for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    if (!isMap(c[probe])) continue;
    set(c[probe], { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
    const http = mapAt(c[probe], "httpGet");
    if (http["port"] !== undefined) set(http, { path: "/", scheme: "HTTP" });
  }
  const resources = mapAt(c, "resources");
  for (const [key, value] of Object.entries(mapAt(resources, "limits"))) {
    resources["requests"] = { [key]: value, ...mapAt(resources, "requests") };
  }
}

const volumeSources = ["configMap", "secret", "projected", "downwardAPI"];

function volume(v: JsonMap): void {
  if (Object.keys(v).length === 1) v["emptyDir"] = {};
  for (const key of volumeSources) if (isMap(v[key])) set(v[key], { defaultMode: 420 });
  if (isMap(v["hostPath"])) set(v["hostPath"], { type: "" });
  for (const source of maps(mapAt(v, "projected"), "sources")) {
    const token = source["serviceAccountToken"];
    if (isMap(token)) set(token, { expirationSeconds: 3600 });
    for (const item of maps(mapAt(source, "downwardAPI"), "items")) {
      if (isMap(item["fieldRef"])) set(item["fieldRef"], { apiVersion: "v1" });
    }
  }
  for (const item of maps(mapAt(v, "downwardAPI"), "items")) {
    if (isMap(item["fieldRef"])) set(item["fieldRef"], { apiVersion: "v1" });
  }
}

function jobSpec(s: JsonMap): void {
  if (s["completions"] === undefined && s["parallelism"] === undefined)
    set(s, { completions: 1, parallelism: 1 });
  set(s, {
    parallelism: 1,
    backoffLimit: 6,
    completionMode: "NonIndexed",
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: "TerminatingOrFailed",
  });
  template(s);
}

function service(o: KubeObject): void {
  const s = spec(o);
  set(s, { type: "ClusterIP", sessionAffinity: "None" });
  for (const port of maps(s, "ports")) set(port, { protocol: "TCP", targetPort: port["port"] ?? null });
  if (s["type"] === "ExternalName") return;
  set(s, { internalTrafficPolicy: "Cluster", ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" });
  if (s["type"] !== "ClusterIP") set(s, { externalTrafficPolicy: "Cluster" });
}

function binding(o: KubeObject): void {
  set(mapAt(o, "roleRef"), { apiGroup: "rbac.authorization.k8s.io" });
  for (const subject of maps(o, "subjects")) {
    if (subject["kind"] !== "ServiceAccount") set(subject, { apiGroup: "rbac.authorization.k8s.io" });
  }
}

function addFinalizer(object: KubeObject, name: string): void {
  object.metadata.finalizers = [...new Set([...(object.metadata.finalizers ?? []), name])];
}

function preparePod(object: KubeObject): void {
  const s = spec(object);
  s["serviceAccountName"] = textAt(s, "serviceAccountName") ?? "default";
  s["serviceAccount"] = s["serviceAccountName"];
  set(s, { priority: 0, preemptionPolicy: "PreemptLowerPriority", enableServiceLinks: true });
  const tolerations = maps(s, "tolerations");
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    if (tolerations.some((t) => t["key"] === key)) continue;
    tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  }
  s["tolerations"] = tolerations;
  if (s["automountServiceAccountToken"] !== false) mountToken(s);
  object.status = { phase: "Pending", qosClass: qosClass(s) };
}

const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";

function mountToken(s: JsonMap): void {
  const containers = [...maps(s, "initContainers"), ...maps(s, "containers")];
  const bare = containers.filter((c) => !maps(c, "volumeMounts").some((m) => m["mountPath"] === tokenPath));
  if (bare.length === 0) return;
  const name = `kube-api-access-${suffix()}`;
  const sources: Json = [
    { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    {
      downwardAPI: {
        items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
      },
    },
  ];
  s["volumes"] = [...listAt(s, "volumes"), { name, projected: { sources, defaultMode: 420 } }];
  for (const c of bare) {
    c["volumeMounts"] = [...listAt(c, "volumeMounts"), { name, readOnly: true, mountPath: tokenPath }];
  }
}

const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Five letters that spell no word, as generateName appends them. */
export function suffix(): string {
  return Array.from(randomBytes(5), (byte) => alphabet[byte % alphabet.length]).join("");
}

function qosClass(s: JsonMap): string {
  const resources = [...maps(s, "initContainers"), ...maps(s, "containers")].map((c) =>
    mapAt(c, "resources"),
  );
  const empty = (r: JsonMap, key: string): boolean => Object.keys(mapAt(r, key)).length === 0;
  if (resources.every((r) => empty(r, "requests") && empty(r, "limits"))) return "BestEffort";
  const guaranteed = resources.every((r) =>
    ["cpu", "memory"].every((key) => {
      const limit = mapAt(r, "limits")[key];
      return limit !== undefined && mapAt(r, "requests")[key] === limit;
    }),
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}

function prepareJob(object: KubeObject): void {
  const s = spec(object);
  object.status = {};
  if (s["manualSelector"] === true) return;
  const uid = object.metadata.uid ?? "";
  const labels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": object.metadata.name,
    "controller-uid": uid,
    "job-name": object.metadata.name,
  };
  const meta = mapAt(mapAt(s, "template"), "metadata");
  meta["labels"] = { ...mapAt(meta, "labels"), ...labels };
  if (!object.metadata.labels)
    object.metadata.labels = { ...(mapAt(meta, "labels") as Record<string, string>) };
  s["selector"] = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
}
