import { ApiError } from "./api-error.ts";

/** A right that the API server said is missing. */
export interface MissingRight {
  readonly user: string;
  readonly verb: string;
  /** With its subresource, such as `pods/exec`. */
  readonly resource: string;
  readonly group: string;
  /** Absent: for the whole cluster. */
  readonly namespace?: string;
}

/** Every authorizer of the API server writes its refusals with these words. */
const words =
  /User "([^"]+)" cannot (\S+) resource "([^"]+)" in API group "([^"]*)" (?:in the namespace "([^"]+)"|at the cluster scope)/;

/** The right that is missing; undefined when something else was refused, such as an object by a policy. */
export function missingRight(error: unknown): MissingRight | undefined {
  if (!(error instanceof ApiError) || error.status.code !== 403) return undefined;
  const [, user, verb, resource, group, namespace] = words.exec(error.status.message) ?? [];
  if (user === undefined || verb === undefined || resource === undefined) return undefined;
  return { user, verb, resource, group: group ?? "", ...(namespace !== undefined && { namespace }) };
}

/** The same error, with what to do where a right is missing. */
export function explainRefusal(error: unknown, advice: (right: MissingRight) => string): unknown {
  const right = missingRight(error);
  if (right === undefined || !(error instanceof ApiError)) return error;
  const said = advice(right);
  if (!error.message.endsWith(said)) error.message = `${error.message}; ${said}`;
  return error;
}
