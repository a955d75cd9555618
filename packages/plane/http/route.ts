import type { Api } from "../api.ts";
import { aggregated, apiVersions, group, groupList, resourceList } from "../discovery.ts";
import { openapiDocument, openapiIndex } from "../openapi.ts";
import type { Resource } from "../resources.ts";
import { ApiError, noResource } from "../status.ts";
import { type Exchange, isOn, send } from "./exchange.ts";
import { parsePath, type ResourcePath } from "./path.ts";
import { get, list } from "./read.ts";
import { review } from "./review.ts";
import { scale } from "./scale.ts";
import { watch } from "./watch.ts";
import { create, patch, remove, removeAll, update } from "./write.ts";

/** Answers for subresources that need more than the store: logs, tokens, eviction. */
export type Subresources = (x: Exchange, resource: Resource, path: ResourcePath) => Promise<boolean>;

/** Sends a request to what answers it. */
export async function route(api: Api, x: Exchange, subresources: Subresources): Promise<void> {
  const path = parsePath(x.url.pathname);
  if (!path) return general(api, x);
  const resource = api.registry.find(path.group, path.version, path.plural);
  if (!resource) {
    if (!api.registry.has(path.group, path.version)) return missing(x);
    throw noResource();
  }
  if (resource.verbs.length === 1) return review(x, resource, path);
  if (path.namespace !== undefined && !resource.namespaced) throw noResource();
  if (path.subresource !== undefined) return subresource(api, x, resource, path, subresources);
  return path.name === undefined ? collection(api, x, resource, path) : item(api, x, resource, path);
}

function collection(api: Api, x: Exchange, resource: Resource, path: ResourcePath): Promise<void> {
  switch (x.request.method) {
    case "GET":
      return isOn(x, "watch") ? watch(api, x, resource, path) : list(api, x, resource, path);
    case "POST":
      if (resource.namespaced && path.namespace === undefined) throw notAllowed();
      return create(api, x, resource, path);
    case "DELETE":
      if (resource.storage === "namespaces" || (resource.namespaced && path.namespace === undefined))
        throw notAllowed();
      return removeAll(api, x, resource, path);
    default:
      throw notAllowed();
  }
}

function item(api: Api, x: Exchange, resource: Resource, path: ResourcePath): Promise<void> {
  if (resource.namespaced && path.namespace === undefined) throw noResource();
  switch (x.request.method) {
    case "GET":
      return isOn(x, "watch") ? watch(api, x, resource, path) : get(api, x, resource, path);
    case "PUT":
      return update(api, x, resource, path);
    case "PATCH":
      return patch(api, x, resource, path);
    case "DELETE":
      return remove(api, x, resource, path);
    default:
      throw notAllowed();
  }
}

async function subresource(
  api: Api,
  x: Exchange,
  resource: Resource,
  path: ResourcePath,
  subresources: Subresources,
): Promise<void> {
  const name = path.subresource ?? "";
  if (!resource.subresources.includes(name)) throw noResource();
  if (name === "scale") return scale(api, x, resource, path);
  if (name === "status" || name === "ephemeralcontainers" || name === "finalize") {
    switch (x.request.method) {
      case "GET":
        return get(api, x, resource, path);
      case "PUT":
        return update(api, x, resource, path);
      case "PATCH":
        return patch(api, x, resource, path);
      default:
        throw notAllowed();
    }
  }
  if (!(await subresources(x, resource, path))) throw notAllowed();
}

function notAllowed(): ApiError {
  return new ApiError(
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    {},
  );
}

/** What lies outside the resources: discovery, OpenAPI, version, health. */
async function general(api: Api, x: Exchange): Promise<void> {
  const { registry } = api;
  const parts = x.url.pathname.split("/").filter((part) => part !== "");
  const [first, second, third] = parts;
  const wantsAggregated = x.accepted.as === "APIGroupDiscoveryList";
  if (first === "api" && parts.length === 1) {
    return sendDiscovery(
      x,
      wantsAggregated
        ? aggregated(registry, true, x.accepted.version ?? "v2")
        : apiVersions(x.request.headers.host ?? ""),
    );
  }
  if (first === "api" && second === "v1" && parts.length === 2)
    return send(x, 200, resourceList(registry, "", "v1"));
  if (first === "apis" && parts.length === 1) {
    return sendDiscovery(
      x,
      wantsAggregated ? aggregated(registry, false, x.accepted.version ?? "v2") : groupList(registry),
    );
  }
  if (first === "apis" && second !== undefined && parts.length === 2 && registry.has(second)) {
    return send(x, 200, group(registry, second));
  }
  if (first === "apis" && second !== undefined && third !== undefined && registry.has(second, third)) {
    return send(x, 200, resourceList(registry, second, third));
  }
  if (first === "openapi") return openapi(api, x, parts.slice(1));
  if (first === "version") return send(x, 200, version);
  if (first === "healthz" || first === "livez" || first === "readyz") return plain(x, 200, "ok");
  return missing(x);
}

const version = {
  major: "1",
  minor: "34",
  gitVersion: "v1.34.0+headway",
  gitCommit: "",
  gitTreeState: "",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "node",
  platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
};

async function sendDiscovery(x: Exchange, body: object): Promise<void> {
  if (x.accepted.as !== "APIGroupDiscoveryList") return send(x, 200, body);
  const text = JSON.stringify(body);
  x.response.writeHead(200, {
    "content-type": `application/json;g=apidiscovery.k8s.io;v=${x.accepted.version ?? "v2"};as=APIGroupDiscoveryList`,
    vary: "Accept",
    "content-length": Buffer.byteLength(text),
  });
  x.response.end(text);
}

async function openapi(api: Api, x: Exchange, parts: readonly string[]): Promise<void> {
  const [which, ...path] = parts;
  if (which === "v2") return oldOpenapi(x);
  if (which !== "v3") return missing(x);
  if (path.length === 0) return send(x, 200, openapiIndex(api.registry, api.store.rev));
  const document = openapiDocument(api.registry, path.join("/"));
  return document ? send(x, 200, document) : missing(x);
}

/** kubectl asks for the old document when it does not find a kind in the new ones: it is told that there is nothing else. */
async function oldOpenapi(x: Exchange): Promise<void> {
  const media = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  if (x.request.headers.accept?.includes(media) !== true) {
    return send(x, 200, { swagger: "2.0", info: { title: "Kubernetes", version: "v1.34.0" }, paths: {} });
  }
  // Field 1 is the version of the format: 0x0a, its length, its text.
  // "@" may stand in what a client accepts, not in a content type.
  x.response.writeHead(200, { "content-type": media.replace("@", "."), "content-length": 5 });
  x.response.end(Buffer.from([0x0a, 3, ...Buffer.from("2.0")]));
}

async function missing(x: Exchange): Promise<void> {
  plain(x, 404, "404 page not found\n");
}

function plain(x: Exchange, code: number, text: string): void {
  x.response.writeHead(code, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  x.response.end(text);
}
