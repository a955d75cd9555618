import { readFileSync } from "node:fs";
import type { Profile } from "../../api/index.ts";
import { type locationTypes, moverAnnotation } from "../../engines/actionset/index.ts";
import { AppError } from "../../errors.ts";
import { given, type Input, text } from "../command.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The objects of a new profile; a folder needs no Secret. */
export interface ProfileObjects {
  readonly profile: Profile;
  readonly secret?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace: string };
    readonly type: string;
    readonly stringData: Readonly<Record<string, string>>;
  };
}

const types: Readonly<
  Record<string, { readonly location: (typeof locationTypes)[number]; readonly short: string }>
> = {
  s3compliant: { location: "s3Compliant", short: "s3" },
  gcp: { location: "gcs", short: "gcp" },
  azure: { location: "azure", short: "azure" },
  filesystem: { location: "filesystem", short: "filesystem" },
};

/** Makes Profile and Secret from the flags, as `kanctl create profile` does. */
export function buildProfile(
  input: Input,
  namespace: string,
  env: Env,
  random: () => string,
): ProfileObjects {
  const [kind = "", given0] = input.args;
  const type = Object.hasOwn(types, kind) ? types[kind] : undefined;
  if (!type) throw wrong(`there is no profile of type "${kind}"; there are ${Object.keys(types).join(", ")}`);
  const name = given0 ?? `${type.short}-profile-${random()}`;
  const secretName = `${type.short}-secret-${random()}`;
  const pair = type.location === "filesystem" ? undefined : keysOf(kind, input, env);
  const mover = text(input, "mover");
  const profile: Profile = {
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "Profile",
    metadata: { name, namespace, ...(mover !== undefined && { annotations: { [moverAnnotation]: mover } }) },
    location: {
      type: type.location,
      bucket: text(input, "bucket") ?? "",
      endpoint: text(input, "endpoint") ?? "",
      prefix: text(input, "prefix") ?? "",
      region: text(input, "region") ?? "",
    },
    ...(pair && {
      credential: {
        type: "keyPair",
        keyPair: {
          idField: pair.idField,
          secretField: pair.secretField,
          secret: { name: secretName, namespace },
        },
      },
    }),
    skipSSLVerify: given(input, "skip-SSL-verification"),
  };
  if (!pair) return { profile };
  return {
    profile,
    secret: {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secretName, namespace },
      type: "Opaque",
      stringData: { [pair.idField]: pair.id, [pair.secretField]: pair.secret },
    },
  };
}

interface Pair {
  readonly idField: string;
  readonly secretField: string;
  readonly id: string;
  readonly secret: string;
}

function keysOf(kind: string, input: Input, env: Env): Pair {
  const need = (flag: string, variable: string) => {
    const value = text(input, flag) ?? env[variable];
    if (value) return value;
    throw wrong(`--${flag} is needed, or the variable ${variable}`);
  };
  switch (kind) {
    case "gcp": {
      const file = text(input, "service-key");
      if (file === undefined) throw wrong("--service-key is needed: a file with the service account's key");
      return {
        idField: "gcp_project_id",
        secretField: "gcp_service_key",
        id: need("project-id", "GOOGLE_PROJECT_ID"),
        secret: readKey(file),
      };
    }
    case "azure":
      return {
        idField: "azure_storage_account_id",
        secretField: "azure_storage_key",
        id: need("storage-account", "AZURE_STORAGE_ACCOUNT"),
        secret: need("storage-key", "AZURE_STORAGE_KEY"),
      };
    default:
      return {
        idField: "aws_access_key_id",
        secretField: "aws_secret_access_key",
        id: need("access-key", "AWS_ACCESS_KEY_ID"),
        secret: need("secret-key", "AWS_SECRET_ACCESS_KEY"),
      };
  }
}

function readKey(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new AppError("USAGE", `cannot read the key "${file}"`, { cause, retry: false });
  }
}

function wrong(message: string): AppError {
  return new AppError("USAGE", message, { retry: false });
}
