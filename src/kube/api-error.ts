import { isRecord } from "../api/index.ts";
import { AppError } from "../errors.ts";

/** The parts of a Kubernetes `Status` that decide what to do next. */
export interface StatusBody {
  readonly code: number;
  /** One word such as `NotFound`, `AlreadyExists`, `Conflict`, `Expired`; empty when the server gave none. */
  readonly reason: string;
  readonly message: string;
  /** What it is about, where the server says so: the resource in the plural, and the name. */
  readonly about?: { readonly resource: string; readonly name: string };
  /** Fresh continue token of an expired list. */
  readonly continue?: string;
  readonly causes?: readonly {
    readonly field?: string;
    readonly message?: string;
    readonly reason?: string;
  }[];
}

/** The API server answered, and the answer was no. */
export class ApiError extends AppError {
  readonly status: StatusBody;
  /** What the server asked us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(attempt: string, status: StatusBody, retryAfterMs?: number) {
    const reason = status.reason === "" ? `HTTP ${status.code}` : `${status.reason} (${status.code})`;
    super("KUBE_API", `${attempt}: ${unknownType(status)}${reason}: ${status.message}`, {
      retry: !hopeless.has(status.code),
    });
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What was sent can never be accepted: trying again changes nothing until somebody changes the spec. */
const hopeless: ReadonlySet<number> = new Set([400, 405, 406, 413, 415, 422]);

/** An object that is missing is told with a Status; a bare 404 is the answer to a path that the server does not have. */
function unknownType({ code, reason }: StatusBody): string {
  return code === 404 && reason === ""
    ? "the server does not know this type, is its definition installed? "
    : "";
}

/** There is no such object, or no such kind. */
export const isNotFound = (error: unknown): boolean => hasCode(error, 404);
/** Somebody else changed the object first. */
export const isConflict = (error: unknown): boolean =>
  hasCode(error, 409) && !hasReason(error, "AlreadyExists");
/** A create of a name that is taken. */
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, "AlreadyExists");
/** A resource version or continue token is too old: list again. */
export const isGone = (error: unknown): boolean =>
  hasCode(error, 410) || hasReason(error, "Expired") || hasReason(error, "Gone");
/** RBAC or admission says no. */
export const isForbidden = (error: unknown): boolean => hasCode(error, 403);
/** The credentials are missing, wrong or too old. */
export const isUnauthorized = (error: unknown): boolean => hasCode(error, 401);
/** The object breaks its schema or a validation rule. */
export const isInvalid = (error: unknown): boolean => hasCode(error, 422);

/** The server is away, overloaded, or busy with somebody else's write: the same work may succeed in a while. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof AppError && error.code === "KUBE_UNREACHABLE";
  return isConflict(error) || error.status.code === 429 || error.status.code >= 500;
}

/** Reads the body of a refusal; anything that is no Status becomes its text, shortened. */
export function readStatus(code: number, body: string): StatusBody {
  const parsed = parseObject(body);
  if (parsed?.["kind"] !== "Status") {
    const text = body.trim().slice(0, 500);
    return { code, reason: "", message: text === "" ? "the answer was empty" : text };
  }
  return statusOf(parsed, code);
}

/** Reads a Status object, as answers and watch errors carry it. */
export function statusOf(status: Readonly<Record<string, unknown>>, fallbackCode = 0): StatusBody {
  const { code, reason, message, metadata, details } = status;
  const next = isRecord(metadata) ? metadata["continue"] : undefined;
  const about = isRecord(details) ? details : {};
  const causes = isRecord(details) && Array.isArray(details["causes"]) ? details["causes"] : [];
  return {
    code: typeof code === "number" ? code : fallbackCode,
    reason: typeof reason === "string" ? reason : "",
    message: typeof message === "string" ? message : "",
    ...(typeof next === "string" && next !== "" && { continue: next }),
    ...(typeof about["kind"] === "string" &&
      typeof about["name"] === "string" && {
        about: { resource: about["kind"], name: about["name"] },
      }),
    ...(causes.length > 0 && { causes: causes.filter(isRecord) }),
  };
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof ApiError && error.status.code === code;
}

function hasReason(error: unknown, reason: string): boolean {
  return error instanceof ApiError && error.status.reason === reason;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // a proxy's HTML page, or a cut answer: the text itself is shown
  }
}
