import type { Kind } from "../api/index.ts";

/** An endpoint of the API server: everything needed to build its paths and to name its objects. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Which part of a resource a path means. */
export interface Target {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The endpoint of a kind that is written down in `api`. */
export function resourceOf(kind: Pick<Kind, "group" | "version" | "plural" | "kind" | "scope">): Resource {
  const { group, version, plural } = kind;
  return { group, version, plural, kind: kind.kind, namespaced: kind.scope === "Namespaced" };
}

/** The value of an object's `apiVersion`. */
export function apiVersionOf(resource: Pick<Resource, "group" | "version">): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** The URL path of a collection, an object or a subresource; no namespace means all of them. */
export function pathOf(resource: Resource, target: Target = {}): string {
  const root = resource.group === "" ? "/api" : `/apis/${encodeURIComponent(resource.group)}`;
  const parts = [root, encodeURIComponent(resource.version)];
  if (resource.namespaced && target.namespace !== undefined && target.namespace !== "") {
    parts.push("namespaces", encodeURIComponent(target.namespace));
  }
  parts.push(encodeURIComponent(resource.plural));
  if (target.name !== undefined) parts.push(encodeURIComponent(target.name));
  if (target.subresource !== undefined) {
    parts.push(...target.subresource.split("/").map((part) => encodeURIComponent(part)));
  }
  return parts.join("/");
}

/** How messages name an endpoint or an object: `backups.velero.io "velero/nightly"`. */
export function titleOf(resource: Resource, target: Target = {}): string {
  const plural = resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
  const name = [target.namespace, target.name].filter((part) => part !== undefined && part !== "").join("/");
  const sub = target.subresource === undefined ? "" : `/${target.subresource}`;
  return name === "" ? `${plural}${sub}` : `${plural}${sub} "${name}"`;
}
