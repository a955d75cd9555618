import { selects } from "../apimachinery/index.ts";
import {
  isMap,
  type Json,
  type JsonMap,
  type KubeObject,
  listAt,
  mapAt,
  same,
  textAt,
  words,
} from "./object.ts";
import type { Resource } from "./resources.ts";
import { badValue, type Cause, required, unsupported } from "./status.ts";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = new RegExp(`^${label}(\\.${label})*$`);
const subdomainWords = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${label}(\\.${label})*')`;
const labelWords = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`;
const serviceWords =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const qualifiedWords =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueWords =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const keyWords =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Why an object of any kind may not be stored; `old` is what is stored now, when it is an update. */
export function faults(object: KubeObject, resource: Resource, old?: KubeObject): Cause[] {
  const causes = [...metaFaults(object, resource), ...(kindFaults[resource.storage]?.(object) ?? [])];
  if (old) causes.push(...(updateFaults[resource.storage]?.(object, old) ?? []));
  return causes;
}

function metaFaults(object: KubeObject, resource: Resource): Cause[] {
  const { name, labels, annotations, finalizers, ownerReferences } = object.metadata;
  const causes: Cause[] = [];
  if (name === "" || name === undefined) {
    return [required("metadata.name", "name or generateName is required")];
  }
  const why = nameFault(name, resource);
  if (why) causes.push(badValue("metadata.name", name, why));
  for (const [key, value] of Object.entries(labels ?? {})) {
    if (!isQualified(key)) causes.push(badValue("metadata.labels", key, qualifiedWords));
    if (!/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value)) {
      causes.push(badValue("metadata.labels", value, labelValueWords));
    } else if (value.length > 63) {
      causes.push(badValue("metadata.labels", value, "must be no more than 63 bytes"));
    }
  }
  for (const key of Object.keys(annotations ?? {})) {
    if (!isQualified(key.toLowerCase())) causes.push(badValue("metadata.annotations", key, qualifiedWords));
  }
  for (const reference of ownerReferences ?? []) causes.push(...ownerFaults(reference as unknown as JsonMap));
  (finalizers ?? []).forEach((finalizer, i) => {
    if (isQualified(finalizer) && (finalizer.includes("/") || standardFinalizers.has(finalizer))) return;
    const words = isQualified(finalizer)
      ? "name is neither a standard finalizer name nor is it fully qualified"
      : qualifiedWords;
    causes.push(
      badValue(resource.custom ? "metadata.finalizers" : `metadata.finalizers[${i}]`, finalizer, words),
    );
  });
  return causes;
}

const standardFinalizers = new Set([
  "orphan",
  "foregroundDeletion",
  "kubernetes",
  "customresourcecleanup.apiextensions.k8s.io",
]);

function ownerFaults(reference: JsonMap): Cause[] {
  const causes: Cause[] = [];
  const field = "metadata.ownerReferences";
  if (!textAt(reference, "apiVersion"))
    causes.push(badValue(`${field}.apiVersion`, "", "version must not be empty"));
  if (!textAt(reference, "kind")) causes.push(badValue(`${field}.kind`, "", "must not be empty"));
  if (!textAt(reference, "name")) causes.push(badValue(`${field}.name`, "", "must not be empty"));
  if (!textAt(reference, "uid")) causes.push(badValue(`${field}.uid`, "", "must not be empty"));
  return causes;
}

function nameFault(name: string, resource: Resource): string | undefined {
  if (resource.group === "rbac.authorization.k8s.io") {
    if (name === "." || name === "..") return `may not be '${name}'`;
    return name.includes("/")
      ? "may not contain '/'"
      : name.includes("%")
        ? "may not contain '%'"
        : undefined;
  }
  if (resource.plural === "namespaces" && resource.group === "") {
    if (name.includes(".")) return "must not contain dots";
    if (!new RegExp(`^${label}$`).test(name)) return labelWords;
    return name.length > 63 ? "must be no more than 63 bytes" : undefined;
  }
  if (resource.storage === "services") {
    if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) return serviceWords;
    return name.length > 63 ? "must be no more than 63 bytes" : undefined;
  }
  if (!subdomain.test(name)) return subdomainWords;
  return name.length > 253 ? "must be no more than 253 bytes" : undefined;
}

function isQualified(key: string): boolean {
  const parts = key.split("/");
  const [name, prefix] = parts.length === 2 ? [parts[1] ?? "", parts[0] ?? ""] : [key, undefined];
  if (parts.length > 2 || name.length > 63 || !/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name))
    return false;
  return prefix === undefined || (prefix.length <= 253 && subdomain.test(prefix));
}

const kindFaults: Readonly<Record<string, (object: KubeObject) => Cause[]>> = {
  configmaps: keyFaults,
  secrets: keyFaults,
  pods: (o) => podFaults(o.spec ?? {}, "spec"),
  "deployments.apps": workloadFaults,
  "replicasets.apps": workloadFaults,
  "statefulsets.apps": workloadFaults,
  "daemonsets.apps": workloadFaults,
  "jobs.batch": (o) => [
    ...podFaults(mapAt(mapAt(o.spec, "template"), "spec"), "spec.template.spec"),
    ...jobFaults(o),
  ],
  services: serviceFaults,
  persistentvolumeclaims: (o) => {
    const causes: Cause[] = [];
    if (listAt(o.spec, "accessModes").length === 0) {
      causes.push(required("spec.accessModes", "at least 1 access mode is required"));
    }
    if (mapAt(mapAt(o.spec, "resources"), "requests")["storage"] === undefined) {
      causes.push(required("spec.resources[storage]"));
    }
    return causes;
  },
  "storageclasses.storage.k8s.io": (o) => (o["provisioner"] ? [] : [required("provisioner")]),
};

const updateFaults: Readonly<Record<string, (object: KubeObject, old: KubeObject) => Cause[]>> = {
  configmaps: immutableFaults,
  secrets: (o, old) => {
    const type = o["type"] === old["type"] ? [] : [badValue("type", o["type"], "field is immutable")];
    return [...type, ...immutableFaults(o, old)];
  },
  "deployments.apps": selectorFixed,
  "replicasets.apps": selectorFixed,
  "jobs.batch": selectorFixed,
  services: (o, old) => {
    const before = textAt(old.spec, "clusterIP");
    const now = textAt(o.spec, "clusterIP");
    const kept = before === undefined || now === before || textAt(o.spec, "type") === "ExternalName";
    return kept
      ? []
      : [badValue("spec.clusterIPs[0]", listAt(o.spec, "clusterIPs"), "may not change once set")];
  },
};

function keyFaults(object: KubeObject): Cause[] {
  const causes: Cause[] = [];
  for (const field of ["data", "binaryData"]) {
    for (const key of Object.keys(mapAt(object, field))) {
      if (!/^[-._a-zA-Z0-9]+$/.test(key)) causes.push(badValue(`${field}[${key}]`, key, keyWords));
    }
  }
  return causes;
}

function immutableFaults(object: KubeObject, old: KubeObject): Cause[] {
  if (old["immutable"] !== true) return [];
  const causes: Cause[] = [];
  const forbid = (field: string): void =>
    void causes.push({
      reason: "FieldValueForbidden",
      message: "Forbidden: field is immutable when `immutable` is set",
      field,
    });
  if (object["immutable"] !== true) forbid("immutable");
  if (!same(object["data"], old["data"])) forbid("data");
  if (!same(object["binaryData"], old["binaryData"])) forbid("binaryData");
  return causes;
}

function selectorFixed(object: KubeObject, old: KubeObject): Cause[] {
  const [now, before] = [object.spec?.["selector"], old.spec?.["selector"]];
  return same(now, before) ? [] : [badValue("spec.selector", now, "field is immutable")];
}

function podFaults(spec: JsonMap, path: string): Cause[] {
  const causes: Cause[] = [];
  const containers = listAt(spec, "containers").filter(isMap);
  if (containers.length === 0) return [required(`${path}.containers`)];
  const volumes = new Set(listAt(spec, "volumes").map((v) => textAt(v, "name")));
  const seen = new Set<string>();
  const lists = [
    ["initContainers", listAt(spec, "initContainers").filter(isMap)],
    ["containers", containers],
  ] as const;
  for (const [field, list] of lists) {
    list.forEach((c, i) => causes.push(...containerFaults(c, `${path}.${field}[${i}]`, volumes, seen)));
  }
  const policy = spec["restartPolicy"] ?? "Always";
  if (!["Always", "OnFailure", "Never"].includes(words(policy))) {
    causes.push(unsupported(`${path}.restartPolicy`, policy, ["Always", "OnFailure", "Never"]));
  }
  return causes;
}

function containerFaults(
  c: JsonMap,
  path: string,
  volumes: Set<string | undefined>,
  seen: Set<string>,
): Cause[] {
  const causes: Cause[] = [];
  const name = textAt(c, "name") ?? "";
  if (name === "") causes.push(required(`${path}.name`));
  else if (!new RegExp(`^${label}$`).test(name)) causes.push(badValue(`${path}.name`, name, labelWords));
  else if (seen.has(name)) {
    causes.push({
      reason: "FieldValueDuplicate",
      message: `Duplicate value: ${JSON.stringify(name)}`,
      field: `${path}.name`,
    });
  }
  seen.add(name);
  if (!textAt(c, "image")) causes.push(required(`${path}.image`));
  listAt(c, "volumeMounts").forEach((mount: Json, i) => {
    const volume = textAt(mount, "name");
    if (volumes.has(volume)) return;
    const message = `Not found: ${JSON.stringify(volume ?? "")}`;
    causes.push({ reason: "FieldValueNotFound", message, field: `${path}.volumeMounts[${i}].name` });
  });
  return causes;
}

function workloadFaults(object: KubeObject): Cause[] {
  const spec = object.spec ?? {};
  const causes: Cause[] = [];
  const { selector } = spec;
  const chosen = mapAt(spec, "selector");
  const empty =
    Object.keys(mapAt(chosen, "matchLabels")).length === 0 && listAt(chosen, "matchExpressions").length === 0;
  if (!isMap(selector)) causes.push(required("spec.selector"));
  else if (empty) {
    // The real server takes a ReplicaSet for a Deployment here.
    const what = object.kind === "ReplicaSet" ? "deployment" : object.kind.toLowerCase();
    causes.push(badValue("spec.selector", selector, `empty selector is invalid for ${what}`));
  }
  const labels = mapAt(mapAt(spec, "template"), "metadata")["labels"];
  const fits = !empty && selects(chosen, labels as Record<string, string> | undefined);
  if (!isMap(selector) || (!empty && !fits)) {
    const why = "`selector` does not match template `labels`";
    causes.push(badValue("spec.template.metadata.labels", labels ?? null, why));
  }
  causes.push(...podFaults(mapAt(mapAt(spec, "template"), "spec"), "spec.template.spec"));
  const replicas = spec["replicas"];
  if (typeof replicas === "number" && replicas < 0) {
    causes.push(badValue("spec.replicas", replicas, "must be greater than or equal to 0"));
  }
  return causes;
}

function jobFaults(object: KubeObject): Cause[] {
  const policy = textAt(mapAt(mapAt(object.spec, "template"), "spec"), "restartPolicy");
  if (policy === "Never" || policy === "OnFailure") return [];
  const field = "spec.template.spec.restartPolicy";
  return [required(field, 'valid values: "OnFailure", "Never"')];
}

function serviceFaults(object: KubeObject): Cause[] {
  const causes: Cause[] = [];
  const ports = listAt(object.spec, "ports").filter(isMap);
  const type = textAt(object.spec, "type");
  if (ports.length === 0 && type !== "ExternalName" && textAt(object.spec, "clusterIP") !== "None") {
    causes.push(required("spec.ports"));
  }
  ports.forEach((port, i) => {
    if (ports.length > 1 && !textAt(port, "name")) causes.push(required(`spec.ports[${i}].name`));
    for (const field of ["port", "targetPort"]) {
      const value = port[field];
      if (typeof value === "number" && (value < 1 || value > 65535)) {
        causes.push(badValue(`spec.ports[${i}].${field}`, value, "must be between 1 and 65535, inclusive"));
      }
    }
  });
  return causes;
}
