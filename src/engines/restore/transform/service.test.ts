import { expect, test } from "vitest";
import type { Item } from "../archive/item-json.ts";
import { freeService } from "./service.ts";

function service(spec: object, meta: object = {}): Item {
  return { apiVersion: "v1", kind: "Service", metadata: { name: "s", namespace: "shop", ...meta }, spec };
}
const ports = [
  { name: "http", port: 80, protocol: "TCP", nodePort: 30080 },
  { name: "dns", port: 53, protocol: "UDP", nodePort: 30053 },
];
const free = ports.map(({ nodePort: _port, ...rest }) => rest);
const applied = (spec: object) => ({
  annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ spec }) },
});
const owned = (fields: object) => ({ managedFields: [{ fieldsV1: { "f:spec": fields } }] });

test.each([
  [
    "an address is chosen anew",
    service({ clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"], type: "ClusterIP" }),
    false,
    { type: "ClusterIP" },
  ],
  [
    "a headless service stays headless",
    service({ clusterIP: "None", clusterIPs: ["None"] }),
    false,
    { clusterIP: "None", clusterIPs: ["None"] },
  ],
  [
    "node ports are chosen anew",
    service({ type: "NodePort", ports, healthCheckNodePort: 31000 }),
    false,
    { type: "NodePort", ports: free },
  ],
  [
    "node ports are kept when asked",
    service({ type: "NodePort", ports, healthCheckNodePort: 31000 }),
    true,
    { type: "NodePort", ports, healthCheckNodePort: 31000 },
  ],
  [
    "an applied port is kept, by name",
    service({ ports }, applied({ ports: [{ name: "http", nodePort: 30080 }] })),
    false,
    { ports: [ports[0], free[1]] },
  ],
  [
    "an applied port is kept, by number",
    service({ ports }, applied({ ports: [{ nodePort: 30053 }] })),
    false,
    { ports: [free[0], ports[1]] },
  ],
  ["an applied file without ports keeps none", service({ ports }, applied({})), false, { ports: free }],
  [
    "an applied health check port is kept",
    service({ healthCheckNodePort: 31000 }, applied({ healthCheckNodePort: 31000 })),
    false,
    { healthCheckNodePort: 31000 },
  ],
  [
    "an owned port is kept",
    service({ ports }, owned({ "f:ports": { 'k:{"port":53,"protocol":"UDP"}': { "f:nodePort": {} } } })),
    false,
    { ports: [free[0], ports[1]] },
  ],
  [
    "a port owned without its node port is not",
    service({ ports }, owned({ "f:ports": { 'k:{"port":80,"protocol":"TCP"}': {} } })),
    false,
    { ports: free },
  ],
  [
    "an owned health check port is kept",
    service({ healthCheckNodePort: 31000 }, owned({ "f:healthCheckNodePort": {} })),
    false,
    { healthCheckNodePort: 31000 },
  ],
  [
    "an annotation that is no JSON says nothing",
    service({ ports }, { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{" } }),
    false,
    { ports: free },
  ],
  [
    "an external name is left alone",
    service({ type: "ExternalName", externalName: "x", ports }),
    false,
    { type: "ExternalName", externalName: "x", ports },
  ],
] as [string, Item, boolean, object][])("freeService(): %s", (_title, given, preserve, want) => {
  expect(freeService(given, preserve)["spec"]).toEqual(want);
});
