import type { JsonMap } from "./object.ts";

/** One reason among several why an object was refused. */
export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

interface Details {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

/** A refusal that the client sees as a `Status` object. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: string;
  readonly details: Details | undefined;

  constructor(code: number, reason: string, message: string, details?: Details) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** The answer's body. */
  status(): JsonMap {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: this.message,
      ...(this.reason !== "" && { reason: this.reason }),
      ...(this.details && { details: JSON.parse(JSON.stringify(this.details)) as JsonMap }),
      code: this.code,
    };
  }
}

/** The names that a refusal mentions: resource as in the path, kind, API group. */
export interface Named {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

function qualified(of: Named): string {
  return of.group === "" ? of.plural : `${of.plural}.${of.group}`;
}

function detailsOf(of: Named, name: string): Details {
  return { ...(name !== "" && { name }), ...(of.group !== "" && { group: of.group }), kind: of.plural };
}

/** 404: no such object. */
export function notFound(of: Named, name: string): ApiError {
  return new ApiError(404, "NotFound", `${qualified(of)} "${name}" not found`, detailsOf(of, name));
}

/** 404: no such resource or path below a served group. */
export function noResource(): ApiError {
  return new ApiError(404, "NotFound", "the server could not find the requested resource", {});
}

/** 409: the name is taken, perhaps by an object on its way out. */
export function alreadyExists(of: Named, name: string, leaving = false): ApiError {
  const message = `${leaving ? "object is being deleted: " : ""}${qualified(of)} "${name}" already exists`;
  return new ApiError(409, "AlreadyExists", message, detailsOf(of, name));
}

/** 409: the write was based on something else than what is stored. */
export function conflict(of: Named, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(of)} "${name}": ${why}`;
  return new ApiError(409, "Conflict", message, detailsOf(of, name));
}

/** The usual reason of a conflict. */
export const modified =
  "the object has been modified; please apply your changes to the latest version and try again";

/** 403: understood and refused. */
export function forbidden(of: Named, name: string, why: string, causes?: readonly Cause[]): ApiError {
  const details = { ...detailsOf(of, name), ...(causes && { causes }) };
  return new ApiError(403, "Forbidden", `${qualified(of)} "${name}" is forbidden: ${why}`, details);
}

/** 400: the request makes no sense. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}

/** 422: the object breaks rules; all of them are named. */
export function invalid(of: Named, name: string, causes: readonly Cause[]): ApiError {
  const kind = of.group === "" ? of.kind : `${of.kind}.${of.group}`;
  const each = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const text = each.length === 1 ? each[0] : `[${each.join(", ")}]`;
  return new ApiError(422, "Invalid", `${kind} "${name}" is invalid: ${text}`, {
    ...(name !== "" && { name }),
    ...(of.group !== "" && { group: of.group }),
    kind: of.kind,
    causes,
  });
}

/** 410: the version asked for was compacted away. */
export function expired(message = "The resourceVersion for the provided watch is too old."): ApiError {
  return new ApiError(410, "Expired", message);
}

/** A field whose value is not acceptable. */
export function badValue(field: string, value: unknown, why: string): Cause {
  const shown = typeof value === "string" ? JSON.stringify(value) : JSON.stringify(value ?? null);
  return { reason: "FieldValueInvalid", message: `Invalid value: ${shown}: ${why}`, field };
}

/** A field that must be there. */
export function required(field: string, why = ""): Cause {
  const message = why === "" ? "Required value" : `Required value: ${why}`;
  return { reason: "FieldValueRequired", message, field };
}

/** A field whose value is not one of a closed set. */
export function unsupported(field: string, value: unknown, allowed: readonly string[]): Cause {
  const list = allowed.map((item) => JSON.stringify(item)).join(", ");
  return {
    reason: "FieldValueNotSupported",
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`,
    field,
  };
}
