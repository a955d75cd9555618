import { type JsonMap } from "./object.ts";
import type { Registry } from "./registry.ts";
import { apiVersionOf, type Resource } from "./resources.ts";

/** The kind and verbs of each subresource. */
const subresourceKinds: Readonly<
  Record<string, { kind?: string; group?: string; version?: string; verbs: readonly string[] }>
> = {
  status: { verbs: ["get", "patch", "update"] },
  scale: { kind: "Scale", group: "autoscaling", version: "v1", verbs: ["get", "patch", "update"] },
  finalize: { verbs: ["update"] },
  attach: { kind: "PodAttachOptions", verbs: ["create", "get"] },
  binding: { kind: "Binding", verbs: ["create"] },
  ephemeralcontainers: { verbs: ["get", "patch", "update"] },
  eviction: { kind: "Eviction", group: "policy", version: "v1", verbs: ["create"] },
  exec: { kind: "PodExecOptions", verbs: ["create", "get"] },
  log: { verbs: ["get"] },
  portforward: { kind: "PodPortForwardOptions", verbs: ["create", "get"] },
  token: { kind: "TokenRequest", group: "authentication.k8s.io", version: "v1", verbs: ["create"] },
};

/** `/api`. */
export function apiVersions(address: string): JsonMap {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** `/apis`. */
export function groupList(registry: Registry): JsonMap {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groupNames(registry).map((name) => groupBody(registry, name)),
  };
}

/** `/apis/GROUP`. */
export function group(registry: Registry, name: string): JsonMap {
  return { kind: "APIGroup", apiVersion: "v1", ...groupBody(registry, name) };
}

/** `/api/v1` and `/apis/GROUP/VERSION`. */
export function resourceList(registry: Registry, groupName: string, version: string): JsonMap {
  const resources = inVersion(registry, groupName, version).flatMap((r) => [
    oldEntry(r),
    ...r.subresources.map((sub) => oldSubresource(r, sub)),
  ]);
  const groupVersion = groupName === "" ? version : `${groupName}/${version}`;
  return { kind: "APIResourceList", ...(groupName !== "" && { apiVersion: "v1" }), groupVersion, resources };
}

/** The aggregated form of `/api` (the core group) and `/apis` (the others). */
export function aggregated(registry: Registry, core: boolean, apiVersion: string): JsonMap {
  const names = core ? [""] : groupNames(registry);
  const items = names.map((name) => ({
    metadata: name === "" ? {} : { name },
    versions: versionsOf(registry, name).map((version) => ({
      version,
      resources: inVersion(registry, name, version).map(newEntry),
      freshness: "Current",
    })),
  }));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${apiVersion}`,
    metadata: {},
    items,
  };
}

function groupNames(registry: Registry): string[] {
  return [...new Set(registry.all().map((r) => r.group))].filter((name) => name !== "");
}

function versionsOf(registry: Registry, name: string): string[] {
  return [
    ...new Set(
      registry
        .all()
        .filter((r) => r.group === name)
        .map((r) => r.version),
    ),
  ];
}

function inVersion(registry: Registry, name: string, version: string): Resource[] {
  const found = registry.all().filter((r) => r.group === name && r.version === version);
  return found.toSorted((a, b) => (a.plural < b.plural ? -1 : 1));
}

function groupBody(registry: Registry, name: string): JsonMap {
  const versions = versionsOf(registry, name).map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions, preferredVersion: versions[0] };
}

function verbsOf(r: Resource): string[] {
  const without = r.storage === "namespaces" ? ["deletecollection"] : [];
  return r.verbs.filter((verb) => !without.includes(verb));
}

function oldEntry(r: Resource): JsonMap {
  return {
    name: r.plural,
    singularName: r.singular,
    namespaced: r.namespaced,
    kind: r.kind,
    verbs: verbsOf(r),
    ...(r.shortNames.length > 0 && { shortNames: r.shortNames }),
    ...(r.categories.length > 0 && { categories: r.categories }),
  };
}

function oldSubresource(r: Resource, sub: string): JsonMap {
  const { kind, group: of, version, verbs } = subresourceKinds[sub] ?? { verbs: ["get"] };
  return {
    name: `${r.plural}/${sub}`,
    singularName: "",
    namespaced: r.namespaced,
    ...(of !== undefined && { group: of, version }),
    kind: kind ?? r.kind,
    verbs,
  };
}

function newEntry(r: Resource): JsonMap {
  const gvk = (kind: string, of = r.group, version = r.version): JsonMap => ({ group: of, version, kind });
  return {
    resource: r.plural,
    responseKind: gvk(r.kind),
    scope: r.namespaced ? "Namespaced" : "Cluster",
    singularResource: r.singular,
    verbs: verbsOf(r),
    ...(r.shortNames.length > 0 && { shortNames: r.shortNames }),
    ...(r.categories.length > 0 && { categories: r.categories }),
    ...(r.subresources.length > 0 && {
      subresources: r.subresources.map((sub) => {
        const { kind, group: of, version, verbs } = subresourceKinds[sub] ?? { verbs: ["get"] };
        return { subresource: sub, responseKind: gvk(kind ?? r.kind, of, version), verbs };
      }),
    }),
  };
}

/** Every `group/version` that is served, the core one as `api/v1`. */
export function servedPaths(registry: Registry): string[] {
  const paths = registry.all().map((r) => (r.group === "" ? `api/${r.version}` : `apis/${apiVersionOf(r)}`));
  return [...new Set(paths)];
}
