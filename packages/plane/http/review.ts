import { mapAt, textAt } from "../object.ts";
import { apiVersionOf, type Resource } from "../resources.ts";
import { ApiError } from "../status.ts";
import { type Exchange, objectBody, send } from "./exchange.ts";
import type { ResourcePath } from "./path.ts";

/** Questions about rights and identity: every valid token may do everything, so the answers are short. */
export async function review(x: Exchange, resource: Resource, path: ResourcePath): Promise<void> {
  if (x.request.method !== "POST" || path.name !== undefined) {
    throw new ApiError(
      405,
      "MethodNotAllowed",
      "the server does not allow this method on the requested resource",
      {},
    );
  }
  const body = await objectBody(x, resource.kind);
  const answer = {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: {},
    ...(body["spec"] !== undefined && { spec: body["spec"] }),
    status: statusOf(x, resource.kind, textAt(mapAt(body, "spec"), "token")),
  };
  await send(x, 201, answer);
}

function statusOf(x: Exchange, kind: string, token: string | undefined): object {
  switch (kind) {
    case "SelfSubjectReview":
      return { userInfo: userInfo(x.user) };
    case "TokenReview": {
      const user = token === undefined ? undefined : x.authenticate(token);
      return user === undefined
        ? { user: {}, error: "invalid bearer token" }
        : { authenticated: true, user: userInfo(user) };
    }
    case "SelfSubjectRulesReview":
      return {
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
        nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
        incomplete: false,
      };
    default:
      return { allowed: true, reason: "every valid token may do everything here" };
  }
}

function userInfo(user: string): object {
  const account = user.startsWith("system:serviceaccount:");
  const groups = account
    ? ["system:serviceaccounts", "system:authenticated"]
    : ["system:masters", "system:authenticated"];
  return { username: user, groups };
}
