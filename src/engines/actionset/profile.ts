import { kinds, type Profile } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, resourceOf } from "../../kube/index.ts";
import { moverKind } from "../../movers/index.ts";
import { recordOf } from "./args.ts";
import { resources, type SecretObject } from "./core-objects.ts";
import type { KopiaServerParams, ProfileParams } from "./params.ts";
import { read } from "./read-object.ts";
import type { Reference } from "./status.ts";

type Reader = Pick<Client, "get" | "list">;

/** Kinds of places that a Profile may name. `filesystem` is a folder that every pod sees, for embedded clusters and shared mounts. */
export const locationTypes = ["s3Compliant", "gcs", "azure", "kopia", "filesystem"] as const;
/** An annotation of a Profile that chooses the mover; without it an existing repository decides, and kopia makes new ones. */
export const moverAnnotation = "headway.dev/data-mover";

/** Keys that Secrets of a known type may hold, and those they must. */
const secretTypes: Readonly<
  Record<string, { readonly needs: readonly string[]; readonly may: readonly string[] }>
> = {
  "secrets.kanister.io/aws": { needs: ["aws_access_key_id", "aws_secret_access_key"], may: ["role"] },
  "secrets.kanister.io/azure": {
    needs: ["azure_storage_account_id"],
    may: ["azure_storage_key", "azure_storage_environment", "azure_federated_identity"],
  },
  "secrets.kanister.io/gcp": { needs: ["gcp_project_id", "service-account.json"], may: [] },
};

/** What is wrong with a Profile by itself. */
export function profileFaults({ location, credential }: Pick<Profile, "location" | "credential">): string[] {
  // Nobody has checked it against its schema where it is reviewed.
  const [type, bucket, endpoint, region] = [
    location?.type,
    location?.bucket,
    location?.endpoint,
    location?.region,
  ].map(textOf) as [string, string, string, string]; // as many as were given
  const faults: string[] = [];
  if (!(locationTypes as readonly string[]).includes(type)) {
    return [`the location's type "${type}" is none of ${locationTypes.join(", ")}`];
  }
  if (type !== "kopia" && bucket === "") faults.push("the location has no bucket");
  if (type === "s3Compliant" && region === "") faults.push("a location of type s3Compliant needs a region");
  if (type === "filesystem") {
    if (!endpoint.startsWith("/"))
      faults.push(`the endpoint "${endpoint}" of a file system is no absolute path`);
    return faults;
  }
  return [...faults, ...credentialFaults(credential)];
}

function credentialFaults(credential: Profile["credential"]): string[] {
  switch (credential?.type) {
    case "keyPair": {
      const { idField, secretField, secret } = credential.keyPair ?? {};
      const missing = Object.entries({ idField, secretField, "secret.name": secret?.name }).filter(
        ([, value]) => !value,
      );
      return missing.map(([key]) => `the key pair has no ${key}`);
    }
    case "secret":
      return credential.secret?.name && credential.secret.namespace
        ? []
        : ["the credential's secret needs name and namespace"];
    case "kopia":
      return credential.kopiaServerSecret ? [] : ["the credential has no kopiaServerSecret"];
    default:
      return [`the credential's type "${textOf(credential?.type)}" is none of keyPair, secret, kopia`];
  }
}

/** What is no text says nothing. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A Profile with its Secrets. */
export async function resolveProfile(
  client: Reader,
  reference: Reference,
  signal: AbortSignal,
): Promise<ProfileParams> {
  const { name = "", namespace = "" } = reference;
  return readProfile(
    client,
    await read<Profile>(client, resourceOf(kinds.Profile), { name, namespace }, signal),
    signal,
  );
}

/** The same for a Profile that need not be stored yet. */
export async function readProfile(
  client: Reader,
  profile: Profile,
  signal: AbortSignal,
): Promise<ProfileParams> {
  const { name, namespace = "" } = profile.metadata;
  const where = `profile "${namespace}/${name}"`;
  const [fault] = profileFaults(profile);
  if (fault !== undefined) throw bad(`${where}: ${fault}`);
  const { type = "", bucket = "", endpoint = "", prefix = "", region = "" } = profile.location ?? {};
  const mover = profile.metadata.annotations?.[moverAnnotation];
  return {
    name,
    location: { type, bucket, endpoint, prefix, region },
    credential: await resolveCredential(client, profile, where, signal),
    skipSslVerify: profile.skipSSLVerify ?? false,
    mover: moverKind(mover),
  };
}

async function resolveCredential(
  client: Reader,
  { credential, metadata }: Profile,
  where: string,
  signal: AbortSignal,
): Promise<ProfileParams["credential"]> {
  const secretAt = (reference: Reference | undefined) => {
    const place = {
      name: reference?.name ?? "",
      namespace: reference?.namespace || metadata.namespace || "",
    };
    return read<SecretObject>(client, resources.secrets, place, signal);
  };
  const type = credential?.type ?? "";
  if (type === "keyPair") {
    const { idField = "", secretField = "", secret: reference } = credential?.keyPair ?? {};
    const secret = await secretAt(reference);
    return {
      type,
      keyPair: { id: valueOf(secret, idField, where), secret: valueOf(secret, secretField, where) },
    };
  }
  if (type === "secret") {
    const secret = await secretAt(credential?.secret);
    checkType(secret, where);
    return { type, secret };
  }
  if (type === "kopia") return { type, kopiaServer: await kopiaServer(credential, secretAt, where) };
  return { type };
}

async function kopiaServer(
  credential: Profile["credential"],
  secretAt: (reference: Reference | undefined) => Promise<SecretObject>,
  where: string,
): Promise<KopiaServerParams> {
  const {
    username = "",
    hostname = "",
    userPassphrase,
    tlsCert,
    connectOptions,
  } = credential?.kopiaServerSecret ?? {};
  const [passphrase, cert] = await Promise.all([secretAt(userPassphrase?.secret), secretAt(tlsCert?.secret)]);
  return {
    username,
    hostname,
    password: valueOf(passphrase, userPassphrase?.key ?? "", where),
    cert: valueOf(cert, tlsCert?.key ?? "", where),
    connectOptions: recordOf(connectOptions) as Record<string, number>, // the schema says integers
  };
}

/** One key of a Secret as text. */
export function valueOf(secret: SecretObject, key: string, where: string): string {
  const value = secret.data?.[key];
  if (value !== undefined) return Buffer.from(value, "base64").toString("utf8");
  throw bad(`${where}: secret "${secret.metadata.namespace}/${secret.metadata.name}" has no key "${key}"`);
}

function checkType(secret: SecretObject, where: string): void {
  const keys = Object.hasOwn(secretTypes, secret.type ?? "") ? secretTypes[secret.type ?? ""] : undefined;
  const of = `${where}: secret "${secret.metadata.namespace}/${secret.metadata.name}"`;
  if (!keys) throw bad(`${of} is of type "${secret.type}", none of ${Object.keys(secretTypes).join(", ")}`);
  const given = Object.keys(secret.data ?? {});
  const missing = keys.needs.find((key) => !given.includes(key));
  if (missing !== undefined) throw bad(`${of} has no key "${missing}"`);
}

function bad(message: string): AppError {
  return new AppError("ACTION_PROFILE", message, { retry: false });
}
