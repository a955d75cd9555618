import { AppError, type Code } from "../errors.ts";

/** What was being done, and with which words its settings are named. */
export interface Attempt {
  readonly verb: string;
  readonly key: string;
  readonly place: string;
  /** What holds the objects: a bucket, or a container. */
  readonly holder?: "bucket" | "container";
  /** The config key that says where the store is. */
  readonly addressKey?: string;
}

/** What a store, or the way to it, answered. */
export interface Refusal {
  readonly status?: number | undefined;
  /** The server's, the library's or the system's own name for it. */
  readonly name: string;
  readonly message: string;
}

/** What is wrong, in the words of whoever has to put it right. */
type Trouble =
  | "holder"
  | "object"
  | "keys"
  | "expired"
  | "right"
  | "locked"
  | "unsummed"
  | "no-keys"
  | "region"
  | "clock"
  | "host"
  | "nobody"
  | "trust"
  | "silence"
  | "setting"
  | "full"
  | "cut"
  | "failed";

const codes: Readonly<Record<Trouble, readonly [Code, retry: boolean]>> = {
  holder: ["STORE_MISSING", true],
  object: ["STORE_MISSING", true],
  keys: ["STORE_DENIED", true],
  expired: ["STORE_DENIED", true],
  right: ["STORE_DENIED", true],
  locked: ["STORE_DENIED", true],
  unsummed: ["STORE_CONFIG", false],
  "no-keys": ["STORE_DENIED", true],
  region: ["STORE_CONFIG", false],
  clock: ["STORE_DENIED", true],
  host: ["STORE_UNREACHABLE", true],
  nobody: ["STORE_UNREACHABLE", true],
  trust: ["STORE_UNREACHABLE", true],
  silence: ["STORE_UNREACHABLE", true],
  setting: ["STORE_CONFIG", false],
  full: ["STORE_FULL", true],
  cut: ["STORE_UNREACHABLE", true],
  failed: ["STORE_FAILED", true],
};

/** Names of S3, Azure, Google and their token servers; what they mean does not depend on who says it. */
const named: Readonly<Record<string, Trouble>> = {
  NoSuchBucket: "holder",
  ContainerNotFound: "holder",
  ContainerBeingDeleted: "holder",
  NoSuchKey: "object",
  NotFound: "object",
  BlobNotFound: "object",
  InvalidAccessKeyId: "keys",
  SignatureDoesNotMatch: "keys",
  InvalidToken: "keys",
  AuthenticationFailed: "keys",
  InvalidAuthenticationInfo: "keys",
  invalid_client: "keys",
  unauthorized_client: "keys",
  invalid_grant: "keys",
  authError: "keys",
  UNAUTHENTICATED: "keys",
  ExpiredToken: "expired",
  ExpiredTokenException: "expired",
  TokenRefreshRequired: "expired",
  TokenProviderError: "expired",
  AccessDenied: "right",
  AllAccessDisabled: "right",
  AuthorizationFailure: "right",
  AuthorizationPermissionMismatch: "right",
  InsufficientAccountPermissions: "right",
  AccountIsDisabled: "right",
  forbidden: "right",
  CredentialsProviderError: "no-keys",
  AuthorizationHeaderMalformed: "region",
  IllegalLocationConstraintException: "region",
  PermanentRedirect: "region",
  RequestTimeTooSkewed: "clock",
  InvalidBucketName: "setting",
  InvalidResourceName: "setting",
  KeyBasedAuthenticationNotPermitted: "setting",
  QuotaExceeded: "full",
  XMinioStorageFull: "full",
  ENOSPC: "full",
  EDQUOT: "full",
  ENOTFOUND: "host",
  EAI_AGAIN: "host",
  ECONNREFUSED: "nobody",
  ETIMEDOUT: "silence",
  TimeoutError: "silence",
};

/** Turns what a store answered into one sentence that a person can act on, without anything secret. */
export function explainRefusal(refusal: Refusal, attempt: Attempt, cause?: unknown): AppError {
  const message = plain(refusal.message);
  const trouble = troubleOf(refusal);
  const [code, retry] = codes[trouble];
  const target = attempt.key === "" ? attempt.place : `"${attempt.key}" in ${attempt.place}`;
  const detail = [refusal.status === undefined ? "" : `HTTP ${refusal.status}`, refusal.name, message]
    .filter((part) => part !== "")
    .join(", ");
  const advice = adviceOn(trouble, attempt, refusal);
  const why = advice === undefined ? detail : `${advice} (${detail})`;
  return new AppError(code, `cannot ${attempt.verb} ${target}: ${why}`, { cause, retry });
}

/** What an error of the network says. */
export function networkRefusal(error: unknown): Refusal {
  if (!(error instanceof Error)) return { name: "", message: String(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return { name: code === "" ? error.name : code, message: error.message };
}

function troubleOf({ name, status, message }: Refusal): Trouble {
  if (/expired/i.test(message) && (status === 401 || status === 403 || status === 400)) return "expired";
  if (/checksum|Content-MD5/i.test(message) && /object lock/i.test(message)) return "unsummed";
  if (name === "ObjectLocked" || /object lock|WORM[ -]protected|under retention|legal hold/i.test(message))
    return "locked";
  const known = Object.hasOwn(named, name) ? named[name] : undefined;
  if (known !== undefined) return known;
  if (status === 507) return "full";
  if (status === 401) return "keys";
  if (status === 403) return "right";
  if (status === 404) return "object";
  if (status !== undefined) return "failed";
  // No status: the request never got an answer.
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO)/.test(name)) return "trust";
  return /^E[A-Z]+$/.test(name) ? "cut" : "failed";
}

function adviceOn(trouble: Trouble, attempt: Attempt, { name }: Refusal): string | undefined {
  const { holder = "bucket", addressKey = "s3Url" } = attempt;
  switch (trouble) {
    case "holder":
      return `the ${holder} does not exist; create it or correct spec.objectStorage.bucket`;
    case "keys":
      return "the credentials are wrong; correct the Secret of the location";
    case "expired":
      return "the credentials have expired; put new ones into the Secret of the location";
    case "right":
      return "the credentials are not allowed to do this";
    case "locked":
      return `the ${holder} is locked: what was written stays until its retention ends`;
    case "unsummed":
      return `the ${holder} is locked, and takes only what has a checksum; remove the config key "checksumAlgorithm"`;
    case "no-keys":
      return "there are no credentials; name a Secret in spec.credential";
    case "region":
      return `the ${holder} is in another region; correct the config key "region"`;
    case "clock":
      return "the clocks of this machine and of the store differ";
    case "host":
      return `no host of this name is known; correct the config key "${addressKey}"`;
    case "nobody":
      return `nobody listens at this address; correct the config key "${addressKey}" or start the store`;
    case "trust":
      return "the certificate is not trusted; put its authority into spec.objectStorage.caCert";
    case "silence":
      return "no answer in time; check the address and the network";
    case "setting":
      return name === "KeyBasedAuthenticationNotPermitted"
        ? 'the storage account takes no account keys; set the config key "useAAD" to "true"'
        : `the name of the ${holder} is not allowed; correct spec.objectStorage.bucket`;
    case "object":
    case "full":
    case "cut":
    case "failed":
      return undefined;
  }
}

/** The text comes from a server and goes to a terminal and into statuses; its further lines are for programmers. */
function plain(message: string): string {
  const [first = ""] = message.split(/[\r\n]/);
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is looked for
  return first.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").slice(0, 300);
}
