import { AppError, type Code } from "../errors.ts";

/** What was being done when the S3 client threw. */
export interface Attempt {
  readonly verb: string;
  readonly key: string;
  readonly place: string;
}

/** Turns what the S3 client throws into an error that a person can act on, without anything secret. */
export function explainS3(error: unknown, attempt: Attempt): AppError {
  if (error instanceof AppError) return error;
  const facts = factsOf(error);
  const [code, retry] = classify(facts);
  const target = attempt.key === "" ? attempt.place : `"${attempt.key}" in ${attempt.place}`;
  const detail = [facts.status === undefined ? undefined : `HTTP ${facts.status}`, facts.name, facts.message]
    .filter((part) => part !== undefined && part !== "")
    .join(", ");
  // The client's own error object carries the request with its signature; only its words go on.
  const cause = new Error(facts.message);
  cause.name = facts.name;
  return new AppError(code, `cannot ${attempt.verb} ${target}: ${detail}`, { cause, retry });
}

/** Whether the error says that the object (not the bucket) is not there. */
export function isMissingObject(error: unknown): boolean {
  const { name, status } = factsOf(error);
  return name === "NoSuchKey" || name === "NotFound" || (status === 404 && name !== "NoSuchBucket");
}

interface Facts {
  readonly name: string;
  readonly code: string;
  readonly status?: number;
  readonly message: string;
}

const byName: Readonly<Record<string, readonly [Code, boolean]>> = {
  NoSuchBucket: ["STORE_MISSING", true],
  NoSuchKey: ["STORE_MISSING", true],
  NotFound: ["STORE_MISSING", true],
  CredentialsProviderError: ["STORE_DENIED", true],
  ExpiredToken: ["STORE_DENIED", true],
  InvalidToken: ["STORE_DENIED", true],
  TokenProviderError: ["STORE_DENIED", true],
  AuthorizationHeaderMalformed: ["STORE_CONFIG", false],
  InvalidBucketName: ["STORE_CONFIG", false],
  PermanentRedirect: ["STORE_CONFIG", false],
  QuotaExceeded: ["STORE_FULL", true],
  XMinioStorageFull: ["STORE_FULL", true],
  TimeoutError: ["STORE_UNREACHABLE", true],
};

function classify({ name, code, status }: Facts): readonly [Code, boolean] {
  const named = byName[name] ?? byName[code];
  if (named !== undefined) return named;
  if (/^(ENOSPC|EDQUOT)$/.test(code) || status === 507) return ["STORE_FULL", true];
  if (status === 401 || status === 403) return ["STORE_DENIED", true];
  if (status === 404) return ["STORE_MISSING", true];
  // No status: the request never got an answer (refused, reset, unknown host, certificate).
  if (status === undefined && /^(E[A-Z]+|ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO)/.test(code)) {
    return ["STORE_UNREACHABLE", true];
  }
  return ["STORE_FAILED", true];
}

function factsOf(error: unknown): Facts {
  if (!(error instanceof Error)) return { name: "", code: "", message: String(error) };
  const { name, message } = error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const meta: unknown = "$metadata" in error ? error.$metadata : undefined;
  const status =
    typeof meta === "object" && meta !== null && "httpStatusCode" in meta ? meta.httpStatusCode : undefined;
  return {
    name: name === "Error" ? code : name,
    code,
    // oxlint-disable-next-line no-control-regex -- the text comes from a server and goes to a terminal
    message: message.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").slice(0, 300),
    ...(typeof status === "number" && status > 0 && { status }),
  };
}
