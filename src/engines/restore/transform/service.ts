import type { Item } from "../archive/item-json.ts";
import { isRecord, type Json, own, recordOf, recordsOf, textOf, update, without } from "../json.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** A service whose addresses and ports the cluster chooses anew, except those that somebody asked for. */
export function freeService(service: Item, preserveNodePorts: boolean): Item {
  const freed = update(service, ["spec"], (spec) => withoutClusterIp(recordOf(spec)));
  if (preserveNodePorts || recordOf(freed["spec"])["type"] === "ExternalName") return freed;
  const asked = askedPorts(service);
  return update(freed, ["spec"], (value) => {
    const spec = recordOf(value);
    const ports = own(spec, "ports");
    const kept = asked.healthCheck ? spec : without(spec, "healthCheckNodePort");
    if (!Array.isArray(ports)) return kept;
    return {
      ...kept,
      ports: ports.map((port) => (isRecord(port) && !asked.has(port) ? without(port, "nodePort") : port)),
    };
  });
}

/** Headless services keep their `None`. */
function withoutClusterIp(spec: Json): Json {
  return spec["clusterIP"] === "None" ? spec : without(spec, "clusterIP", "clusterIPs");
}

interface Asked {
  has(port: Json): boolean;
  readonly healthCheck: boolean;
}

/** Which node ports were set by somebody: told by kubectl's annotation or, failing that, by the record of fields. */
function askedPorts(service: Item): Asked {
  const text = service.metadata.annotations?.[lastApplied];
  const applied = text === undefined ? undefined : parse(text);
  if (applied !== undefined) {
    const spec = recordOf(applied["spec"]);
    const ports = recordsOf(spec["ports"]).filter((port) => Number(port["nodePort"] ?? 0) > 0);
    return {
      has: (port) =>
        ports.some((one) =>
          textOf(one["name"]) === "" ? one["nodePort"] === port["nodePort"] : one["name"] === port["name"],
        ),
      healthCheck: Number(spec["healthCheckNodePort"] ?? 0) > 0,
    };
  }
  const specs = recordsOf(service.metadata["managedFields"]).map((entry) =>
    recordOf(recordOf(entry["fieldsV1"])["f:spec"]),
  );
  return {
    has: (port) => specs.some((spec) => ownsNodePort(recordOf(spec["f:ports"]), port)),
    healthCheck: specs.some((spec) => Object.hasOwn(spec, "f:healthCheckNodePort")),
  };
}

function ownsNodePort(ports: Json, port: Json): boolean {
  return Object.entries(ports).some(([key, fields]) => {
    if (!key.startsWith("k:") || !Object.hasOwn(recordOf(fields), "f:nodePort")) return false;
    const id = parse(key.slice(2)) ?? {};
    return id["port"] === port["port"] && (id["protocol"] ?? "TCP") === (port["protocol"] ?? "TCP");
  });
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // an annotation that is no JSON says nothing about ports
  }
}
