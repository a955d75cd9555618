import { createHash } from "node:crypto";
import { AppError } from "../../../../errors.ts";
import {
  definitionOf,
  moverKinds,
  type Repository,
  type ShellPlace,
  type ShellSecrets,
  withScheme,
} from "../../../../movers/index.ts";
import { type LocationSpec, openStore, type Store } from "../../../../store/index.ts";
import type { ProfileParams } from "../../params.ts";
import { valueOf } from "../../profile.ts";

/** Where the data of a function lie. Secrets are in `env` alone. */
export interface RepositoryPlace {
  readonly at: ShellPlace;
  /** For messages. */
  readonly text: string;
  /** The same for the program of ours, secrets included; absent where it knows no such place. */
  readonly repository?: Repository | undefined;
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
  const insecureTls = (options.insecureTls ?? false) || profile.skipSslVerify;
  const place = {
    artifact: [bucket, path].filter(Boolean).join("/"),
    patienceMs: options.patienceMs,
  };
  switch (type) {
    case "s3Compliant":
      return { ...place, ...s3(profile, path, insecureTls, password) };
    case "gcs":
      return { ...place, ...gcs(profile, path, insecureTls, password) };
    case "azure":
      return { ...place, ...azure(profile, path, insecureTls, password) };
    case "filesystem": {
      const folder = [profile.location.endpoint.replace(/\/+$/, ""), bucket, path].filter(Boolean).join("/");
      const at: ShellPlace = { kind: "filesystem", path: folder, insecureTls };
      const repository = { place: { kind: "filesystem", path: folder } as const, password };
      return { ...place, at, text: folder, env: variables({ password }), repository };
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

type Place = Pick<RepositoryPlace, "at" | "text" | "env" | "repository">;

/** What every mover wants to have in its environment: which one runs is found out where it runs. */
function variables(secrets: ShellSecrets): Record<string, string> {
  return Object.assign({}, ...moverKinds.map((kind) => definitionOf(kind).shell.variables(secrets)));
}

function s3(profile: ProfileParams, path: string, insecureTls: boolean, password: string): Place {
  const { bucket, endpoint, region } = profile.location;
  const { id, secret } = s3Keys(profile);
  const address = (endpoint || "s3.amazonaws.com").replace(/\/+$/, "");
  return {
    at: { kind: "s3", bucket, path, address, region, insecureTls },
    text: `s3:${address}/${[bucket, path].filter(Boolean).join("/")}`,
    env: {
      ...variables({ password }),
      AWS_ACCESS_KEY_ID: id,
      AWS_SECRET_ACCESS_KEY: secret,
      ...(region && { AWS_DEFAULT_REGION: region }),
    },
    repository: {
      password,
      place: {
        kind: "s3",
        bucket,
        prefix: path,
        keys: { accessKeyId: id, secretAccessKey: secret },
        ...(region && { region }),
        endpoint: withScheme(address),
        ...(insecureTls && { skipVerify: true }),
      },
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

function gcs(profile: ProfileParams, path: string, insecureTls: boolean, password: string): Place {
  const { bucket } = profile.location;
  const { keyPair, secret } = profile.credential;
  const where = `profile "${profile.name}"`;
  const project = keyPair?.id ?? (secret ? valueOf(secret, "gcp_project_id", where) : "");
  const key = keyPair?.secret ?? (secret ? valueOf(secret, "service-account.json", where) : "");
  return {
    at: { kind: "gcs", bucket, path, insecureTls },
    text: `gs:${bucket}:/${path}`,
    // One line, since that is what the reader of variables takes.
    env: {
      ...variables({ password }),
      GOOGLE_PROJECT_ID: project,
      HEADWAY_GCS_KEY: key.replaceAll("\n", ""),
    },
    // Only the script can leave certificates unchecked here.
    repository: insecureTls
      ? undefined
      : { password, place: { kind: "gcs", bucket, prefix: path, credentials: key } },
  };
}

function azure(profile: ProfileParams, path: string, insecureTls: boolean, password: string): Place {
  const { bucket } = profile.location;
  const { keyPair, secret } = profile.credential;
  const where = `profile "${profile.name}"`;
  const account = keyPair?.id ?? (secret ? valueOf(secret, "azure_storage_account_id", where) : "");
  const key = keyPair?.secret ?? (secret ? valueOf(secret, "azure_storage_key", where) : "");
  return {
    at: { kind: "azure", bucket, path, insecureTls },
    text: `azure:${bucket}:/${path}`,
    env: variables({ password, azure: { account, key } }),
    repository: insecureTls
      ? undefined
      : {
          password,
          place: {
            kind: "azure",
            container: bucket,
            prefix: path,
            account,
            domain: "blob.core.windows.net",
            access: { by: "key", key },
          },
        },
  };
}

function bad(message: string): AppError {
  return new AppError("ACTION_PROFILE", message, { retry: false });
}
