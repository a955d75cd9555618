import { age, duration } from "./age.ts";
import {
  at,
  isMap,
  type Json,
  type JsonMap,
  type KubeObject,
  listAt,
  mapAt,
  numberAt,
  textAt,
  words,
} from "./object.ts";
import { podColumns } from "./pod-columns.ts";
import type { PrinterColumn, Resource } from "./resources.ts";

/** One column of a table and how its cells are made. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  cell(object: KubeObject, nowMs: number): Json | undefined;
}

/** The columns of a resource, as `kubectl get` shows them. */
export function columnsOf(resource: Resource): readonly Column[] {
  const name = column("Name", (o) => o.metadata.name, { format: "name" });
  if (resource.custom) return [name, ...customColumns(resource.custom.columns)];
  if (resource.storage === "events") return [...(builtin["events"] ?? []), { ...name, priority: 1 }];
  return [name, ...(builtin[resource.storage] ?? [ageColumn])];
}

type More = Partial<Pick<Column, "format" | "type" | "priority" | "description">>;

/** A column from a function. */
function column(
  name: string,
  cell: (object: KubeObject, nowMs: number) => Json | undefined,
  more: More = {},
): Column {
  return { name, type: "string", cell, ...more };
}

function wide(name: string, cell: (object: KubeObject, nowMs: number) => Json | undefined): Column {
  return column(name, cell, { priority: 1 });
}

function count(name: string, path: string): Column {
  return column(name, (o) => (at(o, path) as number | undefined) ?? 0, { type: "integer" });
}

const ageColumn = column("Age", (o, now) => age(o.metadata.creationTimestamp, now));

function customColumns(columns: readonly PrinterColumn[]): Column[] {
  if (columns.length === 0) return [{ ...ageColumn, type: "date" }];
  return columns.map(({ name, type, format, description, priority, jsonPath }) => ({
    name,
    type,
    ...(format !== undefined && { format }),
    ...(description !== undefined && { description }),
    ...(priority !== undefined && { priority }),
    cell: (object, now) => customCell(first(object, jsonPath), type, now),
  }));
}

function customCell(value: unknown, type: string, nowMs: number): Json | undefined {
  if (value === undefined || value === null) return undefined;
  if (type === "date") return age(words(value), nowMs);
  if (type === "string") return typeof value === "string" ? value : JSON.stringify(value);
  return value as Json;
}

/** The first value at a JSONPath of dots, quoted keys, indices and `[?(@.type=="x")]` filters: what definitions use. */
function first(object: unknown, path: string): unknown {
  let here: unknown = object;
  const step =
    /\.([\w-]+(?:\\\.[\w-]+)*)|\[(\d+)\]|\['([^']+)'\]|\[\?\(@\.([\w.]+)\s*==\s*["']([^"']*)["']\)\]|\[\*\]/g;
  for (const [, key, index, quoted, field, wanted] of path.matchAll(step)) {
    if (key !== undefined) here = isMap(here) ? here[key.replaceAll("\\.", ".")] : undefined;
    else if (quoted !== undefined) here = isMap(here) ? here[quoted] : undefined;
    else if (!Array.isArray(here)) return undefined;
    else if (field !== undefined) here = here.find((item) => at(item, field) === wanted);
    else here = here[Number(index ?? 0)];
  }
  return here;
}

function pairs(map: JsonMap): string {
  const list = Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return list.length === 0 ? "<none>" : list.map(([key, value]) => `${key}=${words(value)}`).join(",");
}

function selectorText(o: KubeObject): string {
  const labels = mapAt(mapAt(o.spec, "selector"), "matchLabels");
  return pairs(labels);
}

function templateContainers(o: KubeObject): readonly Json[] {
  return listAt(mapAt(mapAt(o.spec, "template"), "spec"), "containers");
}

const containers = wide("Containers", (o) =>
  templateContainers(o)
    .map((c) => textAt(c, "name"))
    .join(","),
);
const images = wide("Images", (o) =>
  templateContainers(o)
    .map((c) => textAt(c, "image"))
    .join(","),
);
const selector = wide("Selector", selectorText);
const accessModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function modes(list: readonly Json[]): string {
  return list.map((mode) => accessModes[words(mode)] ?? words(mode)).join(",");
}

function dataCount(o: KubeObject): number {
  return Object.keys(mapAt(o, "data")).length + Object.keys(mapAt(o, "binaryData")).length;
}

function phaseOf(o: KubeObject): string {
  return o.metadata.deletionTimestamp === undefined ? (textAt(o.status, "phase") ?? "") : "Terminating";
}

function servicePorts(o: KubeObject): string {
  const ports = listAt(o.spec, "ports").map((p) => {
    const nodePort = numberAt(p, "nodePort");
    return `${String(at(p, "port"))}${nodePort === undefined ? "" : `:${nodePort}`}/${textAt(p, "protocol") ?? "TCP"}`;
  });
  return ports.join(",") || "<none>";
}

function jobStatus(o: KubeObject): string {
  const conditions = listAt(o.status, "conditions").filter((c) => textAt(c, "status") === "True");
  const has = (type: string): boolean => conditions.some((c) => textAt(c, "type") === type);
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (o.metadata.deletionTimestamp !== undefined) return "Terminating";
  if (has("Suspended")) return "Suspended";
  if (has("FailureTarget")) return "FailureTarget";
  return has("SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
}

function jobDuration(o: KubeObject, nowMs: number): string {
  const start = textAt(o.status, "startTime");
  if (start === undefined) return "";
  const end = textAt(o.status, "completionTime");
  return duration((end === undefined ? nowMs : Date.parse(end)) - Date.parse(start));
}

function eventObject(o: KubeObject): string {
  const ref = mapAt(o, "involvedObject");
  return `${(textAt(ref, "kind") ?? "").toLowerCase()}/${textAt(ref, "name") ?? ""}`;
}

function roleOf(o: KubeObject): string {
  return `${textAt(mapAt(o, "roleRef"), "kind")}/${textAt(mapAt(o, "roleRef"), "name")}`;
}

function nodeStatus(o: KubeObject): string {
  const ready = listAt(o.status, "conditions").find((c) => textAt(c, "type") === "Ready");
  const state = textAt(ready, "status") === "True" ? "Ready" : "NotReady";
  return o.spec?.["unschedulable"] === true ? `${state},SchedulingDisabled` : state;
}

const builtin: Readonly<Record<string, readonly Column[]>> = {
  pods: podColumns,
  namespaces: [column("Status", (o) => textAt(o.status, "phase")), ageColumn],
  configmaps: [column("Data", dataCount, { type: "integer" }), ageColumn],
  secrets: [
    column("Type", (o) => o["type"] as string),
    column("Data", dataCount, { type: "integer" }),
    ageColumn,
  ],
  serviceaccounts: [column("Secrets", (o) => listAt(o, "secrets").length, { type: "string" }), ageColumn],
  services: [
    column("Type", (o) => textAt(o.spec, "type")),
    column("Cluster-IP", (o) => textAt(o.spec, "clusterIP") ?? "<none>"),
    column("External-IP", (o) => textAt(o.spec, "externalName") ?? "<none>"),
    column("Port(s)", servicePorts),
    ageColumn,
    wide("Selector", (o) => pairs(mapAt(o.spec, "selector"))),
  ],
  nodes: [
    column("Status", nodeStatus),
    column("Roles", () => "<none>"),
    ageColumn,
    column("Version", (o) => textAt(mapAt(o.status, "nodeInfo"), "kubeletVersion")),
  ],
  persistentvolumeclaims: [
    column("Status", phaseOf),
    column("Volume", (o) => textAt(o.spec, "volumeName") ?? ""),
    column("Capacity", (o) => (mapAt(o.status, "capacity")["storage"] as string | undefined) ?? ""),
    column("Access Modes", (o) => modes(listAt(o.status, "accessModes"))),
    column("StorageClass", (o) => textAt(o.spec, "storageClassName") ?? ""),
    column("VolumeAttributesClass", () => "<unset>"),
    ageColumn,
    wide("VolumeMode", (o) => textAt(o.spec, "volumeMode") ?? ""),
  ],
  persistentvolumes: [
    column("Capacity", (o) => mapAt(o.spec, "capacity")["storage"] as string),
    column("Access Modes", (o) => modes(listAt(o.spec, "accessModes"))),
    column("Reclaim Policy", (o) => textAt(o.spec, "persistentVolumeReclaimPolicy")),
    column("Status", phaseOf),
    column("Claim", (o) => {
      const ref = mapAt(o.spec, "claimRef");
      return ref["name"] === undefined ? "" : `${textAt(ref, "namespace")}/${textAt(ref, "name")}`;
    }),
    column("StorageClass", (o) => textAt(o.spec, "storageClassName") ?? ""),
    column("VolumeAttributesClass", () => "<unset>"),
    column("Reason", (o) => textAt(o.status, "reason") ?? ""),
    ageColumn,
    wide("VolumeMode", (o) => textAt(o.spec, "volumeMode") ?? ""),
  ],
  events: [
    column("Last Seen", (o, now) => age(textAt(o, "lastTimestamp") ?? textAt(o, "eventTime"), now)),
    column("Type", (o) => o["type"] as string | undefined),
    column("Reason", (o) => o["reason"] as string | undefined),
    column("Object", eventObject),
    column("Message", (o) => textAt(o, "message")?.trim()),
  ],
  "deployments.apps": [
    column(
      "Ready",
      (o) => `${numberAt(o.status, "readyReplicas") ?? 0}/${numberAt(o.spec, "replicas") ?? 0}`,
    ),
    count("Up-to-date", "status.updatedReplicas"),
    count("Available", "status.availableReplicas"),
    ageColumn,
    containers,
    images,
    selector,
  ],
  "replicasets.apps": [
    count("Desired", "spec.replicas"),
    count("Current", "status.replicas"),
    count("Ready", "status.readyReplicas"),
    ageColumn,
    containers,
    images,
    selector,
  ],
  "statefulsets.apps": [
    column(
      "Ready",
      (o) => `${numberAt(o.status, "readyReplicas") ?? 0}/${numberAt(o.spec, "replicas") ?? 0}`,
    ),
    ageColumn,
    containers,
    images,
  ],
  "daemonsets.apps": [
    count("Desired", "status.desiredNumberScheduled"),
    count("Current", "status.currentNumberScheduled"),
    count("Ready", "status.numberReady"),
    count("Up-to-date", "status.updatedNumberScheduled"),
    count("Available", "status.numberAvailable"),
    column("Node Selector", (o) => pairs(mapAt(mapAt(mapAt(o.spec, "template"), "spec"), "nodeSelector"))),
    ageColumn,
    containers,
    images,
    selector,
  ],
  "jobs.batch": [
    column("Status", jobStatus),
    column(
      "Completions",
      (o) => `${numberAt(o.status, "succeeded") ?? 0}/${numberAt(o.spec, "completions") ?? 1}`,
    ),
    column("Duration", jobDuration),
    ageColumn,
    containers,
    images,
    selector,
  ],
  "cronjobs.batch": [
    column("Schedule", (o) => textAt(o.spec, "schedule")),
    column("Timezone", (o) => textAt(o.spec, "timeZone") ?? "<none>"),
    column("Suspend", (o) => String(o.spec?.["suspend"] === true ? "True" : "False")),
    column("Active", (o) => listAt(o.status, "active").length, { type: "integer" }),
    column("Last Schedule", (o, now) =>
      age(textAt(o.status, "lastScheduleTime"), now).replace("<unknown>", "<none>"),
    ),
    ageColumn,
  ],
  "leases.coordination.k8s.io": [column("Holder", (o) => textAt(o.spec, "holderIdentity") ?? ""), ageColumn],
  "storageclasses.storage.k8s.io": [
    column("Provisioner", (o) => textAt(o, "provisioner")),
    column("ReclaimPolicy", (o) => textAt(o, "reclaimPolicy")),
    column("VolumeBindingMode", (o) => textAt(o, "volumeBindingMode")),
    column("AllowVolumeExpansion", (o) => o["allowVolumeExpansion"] === true, { type: "string" }),
    ageColumn,
  ],
  "roles.rbac.authorization.k8s.io": [column("Created At", (o) => o.metadata.creationTimestamp)],
  "clusterroles.rbac.authorization.k8s.io": [column("Created At", (o) => o.metadata.creationTimestamp)],
  "rolebindings.rbac.authorization.k8s.io": [column("Role", roleOf), ageColumn],
  "clusterrolebindings.rbac.authorization.k8s.io": [column("Role", roleOf), ageColumn],
  "customresourcedefinitions.apiextensions.k8s.io": [
    column("Created At", (o) => o.metadata.creationTimestamp, { type: "date" }),
  ],
};
