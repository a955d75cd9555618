import { createHash } from "node:crypto";
import { AppError } from "../../../../errors.ts";
import { type LocationSpec, openStore, type Store } from "../../../../store/index.ts";
import type { ProfileParams } from "../../params.ts";
import { valueOf } from "../../profile.ts";

/** Where a mover keeps its repository, in the words of both movers. Secrets are in `env` alone. */
export interface RepositoryPlace {
  readonly resticRepository: string;
  /** Arguments after `kopia repository connect`. */
  readonly kopia: readonly string[];
  readonly resticFlags: readonly string[];
  /** Variables with secrets; they reach the mover through a Secret or its standard input, never as arguments. */
  readonly env: Readonly<Record<string, string>>;
  /** How long it may take to answer. */
  readonly patienceMs?: number | undefined;
  /** The bucket and what lies inside it, as artifacts name it. */
  readonly artifact: string;
}

/** What upstream uses where a blueprint gives no key; repositories that were made so must be opened. */
const defaultKey = createHash("sha256").update("testpassword").digest("hex");

/** The repository of an artifact prefix, which may or may not begin with the bucket. */
export function repositoryAt(
  profile: ProfileParams | undefined,
  prefix: string,
  options: {
    readonly encryptionKey?: string;
    readonly insecureTls?: boolean;
    readonly patienceMs?: number | undefined;
  } = {},
): RepositoryPlace {
  if (!profile) throw bad("this function needs a profile, and the action has none");
  const { type, bucket } = profile.location;
  const path = insideBucket(bucket, prefix);
  const password = options.encryptionKey || defaultKey;
  const place = {
    artifact: [bucket, path].filter(Boolean).join("/"),
    resticFlags: options.insecureTls ? ["--insecure-tls"] : [],
    patienceMs: options.patienceMs,
  };
  const words = { RESTIC_PASSWORD: password, KOPIA_PASSWORD: password };
  switch (type) {
    case "s3Compliant":
      return { ...place, ...s3(profile, path, options.insecureTls ?? false, words) };
    case "gcs":
      return { ...place, ...gcs(profile, path, words) };
    case "azure":
      return { ...place, ...azure(profile, path, words) };
    case "filesystem": {
      const folder = [profile.location.endpoint.replace(/\/+$/, ""), bucket, path].filter(Boolean).join("/");
      return { ...place, resticRepository: folder, kopia: ["filesystem", `--path=${folder}`], env: words };
    }
    default:
      throw bad(
        `profile "${profile.name}" is of type "${type}", which holds no repositories of these functions`,
      );
  }
}

/** The store behind a profile, for what is done from the operator itself. */
export function profileStore(profile: ProfileParams | undefined): Promise<Store> {
  if (!profile) throw bad("this function needs a profile, and the action has none");
  const { type, bucket, endpoint, region } = profile.location;
  if (type === "filesystem") return openStore({ provider: "filesystem", bucket, config: { path: endpoint } });
  if (type !== "s3Compliant") {
    throw bad(
      `objects of profile "${profile.name}" cannot be deleted from here: stores of type "${type}" are only reached by movers in pods`,
    );
  }
  const { id, secret } = s3Keys(profile);
  const spec: LocationSpec = {
    provider: "aws",
    bucket,
    config: {
      ...(region && { region }),
      ...(endpoint && { s3Url: withScheme(endpoint), s3ForcePathStyle: "true" }),
      ...(profile.skipSslVerify && { insecureSkipTLSVerify: "true" }),
    },
    credentials: `[default]\naws_access_key_id=${id}\naws_secret_access_key=${secret}\n`,
  };
  return openStore(spec);
}

/** What lies inside the bucket, without slashes around it. */
export function insideBucket(bucket: string, prefix: string): string {
  const parts = prefix.split("/").filter((part) => part !== "");
  if (parts.some((part) => part === "." || part === "..")) throw bad(`"${prefix}" leaves its bucket`);
  return (parts[0] === bucket ? parts.slice(1) : parts).join("/");
}

type Env = Readonly<Record<string, string>>;
type Place = Pick<RepositoryPlace, "resticRepository" | "kopia" | "env">;

function s3(profile: ProfileParams, path: string, insecureTls: boolean, words: Env): Place {
  const { bucket, endpoint, region } = profile.location;
  const { id, secret } = s3Keys(profile);
  const address = (endpoint || "s3.amazonaws.com").replace(/\/+$/, "");
  const url = new URL(withScheme(address));
  return {
    resticRepository: `s3:${address}/${[bucket, path].filter(Boolean).join("/")}`,
    kopia: [
      "s3",
      `--bucket=${bucket}`,
      ...(path === "" ? [] : [`--prefix=${path}/`]),
      `--endpoint=${url.host}`,
      ...(region === "" ? [] : [`--region=${region}`]),
      ...(url.protocol === "http:" ? ["--disable-tls"] : []),
      ...(insecureTls || profile.skipSslVerify ? ["--disable-tls-verification"] : []),
    ],
    env: {
      ...words,
      AWS_ACCESS_KEY_ID: id,
      AWS_SECRET_ACCESS_KEY: secret,
      ...(region && { AWS_DEFAULT_REGION: region }),
    },
  };
}

function s3Keys(profile: ProfileParams): { readonly id: string; readonly secret: string } {
  const { keyPair, secret } = profile.credential;
  if (keyPair) return keyPair;
  if (secret?.type !== "secrets.kanister.io/aws") throw bad(`profile "${profile.name}" has no keys for S3`);
  const where = `profile "${profile.name}"`;
  if (secret.data?.["role"]) throw bad(`${where} asks for an AWS role, which these functions cannot take on`);
  return {
    id: valueOf(secret, "aws_access_key_id", where),
    secret: valueOf(secret, "aws_secret_access_key", where),
  };
}

function gcs(profile: ProfileParams, path: string, words: Env): Place {
  const { bucket } = profile.location;
  const { keyPair, secret } = profile.credential;
  const where = `profile "${profile.name}"`;
  const project = keyPair?.id ?? (secret ? valueOf(secret, "gcp_project_id", where) : "");
  const key = keyPair?.secret ?? (secret ? valueOf(secret, "service-account.json", where) : "");
  return {
    resticRepository: `gs:${bucket}:/${path === "" ? "" : `${path}/`}`,
    kopia: ["gcs", `--bucket=${bucket}`, ...(path === "" ? [] : [`--prefix=${path}/`])],
    // One line, since that is what the reader of variables takes.
    env: { ...words, GOOGLE_PROJECT_ID: project, HEADWAY_GCS_KEY: key.replaceAll("\n", "") },
  };
}

function azure(profile: ProfileParams, path: string, words: Env): Place {
  const { bucket } = profile.location;
  const { keyPair, secret } = profile.credential;
  const where = `profile "${profile.name}"`;
  const account = keyPair?.id ?? (secret ? valueOf(secret, "azure_storage_account_id", where) : "");
  const key = keyPair?.secret ?? (secret ? valueOf(secret, "azure_storage_key", where) : "");
  return {
    resticRepository: `azure:${bucket}:/${path === "" ? "" : `${path}/`}`,
    kopia: ["azure", `--container=${bucket}`, ...(path === "" ? [] : [`--prefix=${path}/`])],
    env: {
      ...words,
      AZURE_ACCOUNT_NAME: account,
      AZURE_ACCOUNT_KEY: key,
      AZURE_STORAGE_ACCOUNT: account,
      AZURE_STORAGE_KEY: key,
    },
  };
}

function withScheme(endpoint: string): string {
  return /^https?:\/\//.test(endpoint) ? endpoint : `https://${endpoint}`;
}

function bad(message: string): AppError {
  return new AppError("ACTION_PROFILE", message, { retry: false });
}
