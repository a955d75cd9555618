import { readFileSync } from "node:fs";
import type { Rule } from "../../src/cli/install/permissions.ts";

/** A request as the API server's audit log tells it; only what is looked at here. */
export interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  /** Whom it acted as: then that one's rights counted, not its own. */
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
}

/** One thing that a role allows. */
export interface Grant {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}

/** What was asked of the server since the log began with the rights of one user. A last line that is still being written is left out. */
export function readAudit(file: string, username: string): AuditEvent[] {
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ user, impersonatedUser }) => (impersonatedUser ?? user).username === username);
}

/** Requests that were refused for lack of rights. */
export function refused(events: readonly AuditEvent[]): string[] {
  return events
    .filter(({ responseStatus }) => responseStatus?.code === 403)
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}

/** Each single thing that rules allow. */
export function grantsOf(rules: readonly Rule[]): Grant[] {
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
    ),
  );
}

/**
 * What rules allow and nobody asked for. With `namespace` they are those of a Role, which only requests inside of it need.
 * `bind` and `escalate` are no requests: the server asks for them when a role is written.
 */
export function unused(rules: readonly Rule[], events: readonly AuditEvent[], namespace?: string): string[] {
  return grantsOf(rules)
    .filter((grant) => !events.some((event) => needs(event, grant, namespace)))
    .map(({ group, resource, verb }) => `${verb} ${resource}${group === "" ? "" : `.${group}`}`);
}

function needs(event: AuditEvent, { group, resource, verb }: Grant, namespace: string | undefined): boolean {
  const { objectRef } = event;
  if (objectRef?.resource === undefined) return false;
  if (namespace !== undefined && objectRef.namespace !== namespace) return false;
  if (verb === "bind" || verb === "escalate") {
    return event.verb === "create" && objectRef.resource === resource;
  }
  const asked = [objectRef.resource, objectRef.subresource].filter(Boolean).join("/");
  const covers = (pattern: string, value: string) => pattern === "*" || pattern === value;
  return event.verb === verb && covers(group, objectRef.apiGroup ?? "") && covers(resource, asked);
}
