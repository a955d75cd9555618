import type { Api } from "./api.ts";
import { bodyOf, type Exchange, objectBody, send } from "./http/exchange.ts";
import type { ResourcePath } from "./http/path.ts";
import type { Subresources } from "./http/route.ts";
import { sendLog } from "./node/log-request.ts";
import type { LocalNode } from "./node/node.ts";
import { mapAt, numberAt, stamp, textAt } from "./object.ts";
import type { Resource } from "./resources.ts";
import { badRequest } from "./status.ts";
import type { Tokens } from "./tokens.ts";

/** Subresources that do something: tokens of accounts, binding and eviction of pods. */
export function subresourcesOf(api: Api, tokens: Tokens, node: () => LocalNode | undefined): Subresources {
  return async (x, resource, path) => {
    if (path.subresource === "log" && x.request.method === "GET") {
      await sendLog(api, x, resource, path, node());
      return true;
    }
    if (path.subresource === "exec") {
      throw badRequest("exec is spoken over WebSocket only (kubectl 1.31 and newer), not over SPDY");
    }
    if (x.request.method !== "POST") return false;
    switch (path.subresource) {
      case "token":
        await token(api, tokens, x, resource, path);
        return true;
      case "binding":
        await bind(api, x, resource, path);
        return true;
      case "eviction":
        await bodyOf(x.request);
        api.delete(resource, path.namespace ?? "", path.name ?? "");
        await success(x);
        return true;
      default:
        return false;
    }
  };
}

async function success(x: Exchange): Promise<void> {
  await send(x, 201, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 });
}

async function token(
  api: Api,
  tokens: Tokens,
  x: Exchange,
  resource: Resource,
  path: ResourcePath,
): Promise<void> {
  const { namespace = "", name = "" } = path;
  const { uid = "" } = api.get(resource, namespace, name).metadata;
  const body = await objectBody(x, "TokenRequest");
  const seconds = numberAt(mapAt(body, "spec"), "expirationSeconds") ?? 3600;
  const issued = tokens.issue({ namespace, name, uid }, seconds, api.now());
  await send(x, 201, {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name, namespace, creationTimestamp: stamp(api.now()) },
    spec: { audiences: ["https://kubernetes.default.svc"], expirationSeconds: seconds },
    status: { token: issued.token, expirationTimestamp: stamp(issued.expiresMs) },
  });
}

async function bind(api: Api, x: Exchange, resource: Resource, path: ResourcePath): Promise<void> {
  const node = textAt(mapAt(await objectBody(x, "Binding"), "target"), "name");
  api.modify(
    resource,
    path.namespace ?? "",
    path.name ?? "",
    (pod) => {
      if (node !== undefined) pod.spec = { ...pod.spec, nodeName: node };
    },
    { subresource: "binding" },
  );
  await success(x);
}
