import type { ChecksumAlgorithm, S3ClientConfig, ServerSideEncryption } from "@aws-sdk/client-s3";
import { AppError } from "../errors.ts";
import { type Credentials, parseCredentials } from "./credentials.ts";

/** What describes an S3 location: the parts of a BackupStorageLocation, its secrets already read. */
export interface S3Spec {
  readonly bucket: string;
  readonly config: Readonly<Record<string, string>>;
  /** PEM text, trusted besides the usual roots. */
  readonly caCert?: string;
  /** Content of an AWS shared credentials file; without it the usual chain (environment, web identity, instance) is asked. */
  readonly credentials?: string;
  /** The 32 bytes of a customer's own encryption key. */
  readonly customerKey?: Uint8Array;
}

/** The spec in the words of the S3 client, checked. */
export interface S3Settings {
  readonly bucket: string;
  readonly endpoint?: string;
  readonly publicEndpoint?: string;
  readonly region: string;
  readonly pathStyle: boolean;
  readonly credentials?: Credentials;
  readonly profile?: string;
  readonly skipVerify: boolean;
  readonly caCert?: string;
  readonly checksum?: ChecksumAlgorithm;
  /** Parameters of every write. */
  readonly writing: {
    readonly ServerSideEncryption?: ServerSideEncryption;
    readonly SSEKMSKeyId?: string;
    readonly Tagging?: string;
  };
  /** Parameters of every request for an object, when the customer brings the key. */
  readonly keyed: { readonly SSECustomerAlgorithm?: string; readonly SSECustomerKey?: string };
}

/** The keys of upstream's aws plugin; others are refused there too. */
const known = [
  "bucket",
  "caCert",
  "checksumAlgorithm",
  "credentialsFile",
  "customerKeyEncryptionFile",
  "customerKeyEncryptionSecret",
  "enableSharedConfig",
  "insecureSkipTLSVerify",
  "kmsKeyId",
  "prefix",
  "profile",
  "publicUrl",
  "region",
  "s3ForcePathStyle",
  "s3Url",
  "serverSideEncryption",
  "signatureVersion",
  "tagging",
] as const;
type Key = (typeof known)[number];

const checksums: readonly string[] = ["CRC32", "CRC32C", "SHA1", "SHA256", "CRC64NVME"];

/** Checks a spec and turns it into settings; every refusal names the key and the value. */
export function s3Settings(spec: S3Spec): S3Settings {
  const { bucket, config } = spec;
  for (const key of Object.keys(config)) {
    if (!(known as readonly string[]).includes(key)) throw bad(`unknown config key "${key}" of provider aws`);
  }
  const get = (key: Key) => config[key] || undefined;
  if (bucket === "") throw bad("the bucket has no name");
  if (bucket.includes("/") && !bucket.startsWith("arn:aws:s3:")) {
    throw bad(`the bucket "${bucket}" has a "/"; the folder goes into spec.objectStorage.prefix`);
  }
  const version = get("signatureVersion") ?? "4";
  if (version !== "4") throw bad(`signatureVersion "${version}" is not supported, only "4"`);
  const endpoint = url("s3Url", get("s3Url"));
  const publicEndpoint = url("publicUrl", get("publicUrl"));
  const profile = get("profile");
  const checksum = checksumOf(config["checksumAlgorithm"]);
  return {
    bucket,
    // A client must name some region; the real one of an AWS bucket is learnt from the redirect.
    region: get("region") ?? "us-east-1",
    pathStyle: flag(config, "s3ForcePathStyle"),
    skipVerify: flag(config, "insecureSkipTLSVerify"),
    ...(endpoint !== undefined && { endpoint }),
    ...(publicEndpoint !== undefined && { publicEndpoint }),
    ...(spec.credentials !== undefined && { credentials: parseCredentials(spec.credentials, profile) }),
    ...(profile !== undefined && { profile }),
    ...(spec.caCert !== undefined && { caCert: spec.caCert }),
    ...(checksum !== undefined && { checksum }),
    writing: writing(get),
    keyed: keyed(spec.customerKey, get),
  };
}

/** Options of an S3 client for these settings, for the public address when asked. */
export async function clientConfig(settings: S3Settings, forPublic: boolean): Promise<S3ClientConfig> {
  const { Agent } = await import("node:https");
  const { rootCertificates } = await import("node:tls");
  const endpoint = (forPublic ? settings.publicEndpoint : undefined) ?? settings.endpoint;
  return {
    region: settings.region,
    forcePathStyle: settings.pathStyle,
    followRegionRedirects: true,
    maxAttempts: 4,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...(endpoint !== undefined && { endpoint }),
    ...(settings.credentials && { credentials: settings.credentials }),
    ...(settings.profile !== undefined && { profile: settings.profile }),
    requestHandler: {
      connectionTimeout: 10_000,
      // Silence on a connection; a slow but moving transfer is never cut.
      socketTimeout: 60_000,
      httpsAgent: new Agent({
        keepAlive: true,
        maxSockets: 50,
        rejectUnauthorized: !settings.skipVerify,
        ...(settings.caCert !== undefined && { ca: [...rootCertificates, settings.caCert] }),
      }),
    },
  };
}

function writing(get: (key: Key) => string | undefined): S3Settings["writing"] {
  const kms = get("kmsKeyId");
  const sse = get("serverSideEncryption") ?? (kms === undefined ? undefined : "aws:kms");
  const tagging = get("tagging");
  return {
    ...(sse !== undefined && { ServerSideEncryption: sse as ServerSideEncryption }), // an open set upstream
    ...(kms !== undefined && { SSEKMSKeyId: kms }),
    ...(tagging !== undefined && { Tagging: tagging }),
  };
}

function keyed(key: Uint8Array | undefined, get: (key: Key) => string | undefined): S3Settings["keyed"] {
  const named = get("customerKeyEncryptionFile") ?? get("customerKeyEncryptionSecret");
  if (key === undefined) {
    if (named !== undefined) throw bad(`the customer's encryption key "${named}" was not read`);
    return {};
  }
  if (get("kmsKeyId") !== undefined) throw bad("kmsKeyId and a customer's encryption key exclude each other");
  if (key.length !== 32) throw bad(`the customer's encryption key has ${key.length} bytes instead of 32`);
  return { SSECustomerAlgorithm: "AES256", SSECustomerKey: Buffer.from(key).toString("base64") };
}

function checksumOf(value: string | undefined): ChecksumAlgorithm | undefined {
  if (value === undefined) return "CRC32";
  if (value === "") return undefined;
  if (!checksums.includes(value))
    throw bad(`checksumAlgorithm "${value}" is none of ${checksums.join(", ")}`);
  return value as ChecksumAlgorithm; // just checked
}

function flag(config: Readonly<Record<string, string>>, key: Key): boolean {
  const value = config[key] ?? "";
  if (["true", "1", "t", "T", "TRUE", "True"].includes(value)) return true;
  if (["", "false", "0", "f", "F", "FALSE", "False"].includes(value)) return false;
  throw bad(`config key "${key}" must be true or false, not "${value}"`);
}

function url(key: Key, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw bad(`config key "${key}" must be an http or https address, not "${value}"`);
  }
  if (parsed.username !== "" || parsed.password !== "")
    throw bad(`config key "${key}" must not hold credentials`);
  return value.replace(/\/+$/, "");
}

function bad(message: string): AppError {
  return new AppError("STORE_CONFIG", message, { retry: false });
}
