import type { Api } from "../api.ts";
import { at, isMap, type JsonMap, type KubeObject, mapAt, numberAt, words } from "../object.ts";
import { jsonPatch, mergePatch } from "../patch/patch.ts";
import type { Resource } from "../resources.ts";
import { badRequest, conflict, modified } from "../status.ts";
import { bodyOf, contentType, type Exchange, isDryRun, objectBody, send } from "./exchange.ts";
import type { ResourcePath } from "./path.ts";

/** The scale subresource: how many there are and how many there shall be. */
export async function scale(api: Api, x: Exchange, resource: Resource, path: ResourcePath): Promise<void> {
  const { namespace = "", name = "" } = path;
  const object = api.convert(resource, api.get(resource, namespace, name));
  const current = scaleOf(resource, object);
  if (x.request.method === "GET") return send(x, 200, current);
  const wanted = x.request.method === "PATCH" ? await patched(x, current) : await objectBody(x, "Scale");
  const version = mapAt(wanted, "metadata")["resourceVersion"];
  if (typeof version === "string" && version !== "" && version !== object.metadata.resourceVersion) {
    throw conflict(resource, name, modified);
  }
  const replicas = numberAt(mapAt(wanted, "spec"), "replicas") ?? 0;
  if (replicas < 0)
    throw badRequest(`spec.replicas: Invalid value: ${replicas}: must be greater than or equal to 0`);
  setPath(object as unknown as JsonMap, paths(resource).spec, replicas);
  const updated = api.update(resource, namespace, object, { dryRun: isDryRun(x) });
  return send(x, 200, scaleOf(resource, updated));
}

async function patched(x: Exchange, current: JsonMap): Promise<JsonMap> {
  const body: unknown = JSON.parse(await bodyOf(x.request));
  const result =
    contentType(x) === "application/json-patch+json"
      ? jsonPatch(current, body as JsonMap)
      : mergePatch(current, body as JsonMap);
  return isMap(result) ? result : current;
}

function paths(resource: Resource): { spec: string; status: string; selector: string } {
  const custom = resource.custom?.scale;
  if (!custom) return { spec: "spec.replicas", status: "status.replicas", selector: "" };
  const bare = (path: string): string => path.replace(/^\./, "");
  return {
    spec: bare(custom.specReplicasPath),
    status: bare(custom.statusReplicasPath),
    selector: bare(custom.labelSelectorPath ?? ""),
  };
}

function scaleOf(resource: Resource, object: KubeObject): JsonMap {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { spec, status, selector } = paths(resource);
  const chosen = selector === "" ? labelText(object) : at(object, selector);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: Number(at(object, spec) ?? 0) },
    status: {
      replicas: Number(at(object, status) ?? 0),
      ...(typeof chosen === "string" && chosen !== "" && { selector: chosen }),
    },
  };
}

function labelText(object: KubeObject): string {
  const labels = mapAt(mapAt(object.spec, "selector"), "matchLabels");
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${words(value)}`)
    .toSorted()
    .join(",");
}

function setPath(object: JsonMap, path: string, value: number): void {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let here = object;
  for (const key of keys) {
    if (!isMap(here[key])) here[key] = {};
    here = here[key] as JsonMap;
  }
  here[last] = value;
}
