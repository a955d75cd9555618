import type { BackupStorageLocation, KubeObject } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, Mask } from "../../kube/index.ts";
import type { Place } from "../../movers/index.ts";
import {
  type AzureIdentity,
  type AzureSettings,
  accountKey,
  azureSettings,
  credentialSecrets,
  gcsSettings,
  type LocationSpec,
  locationFolder,
  mountedCredentials,
  openPem,
  parseCredentials,
  providerOf,
} from "../../store/index.ts";
import { resources } from "./resources.ts";

/** A storage location with the Secrets that it names read. */
export async function readLocation(
  client: Pick<Client, "get">,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<LocationSpec> {
  const { name, namespace = "" } = location.metadata;
  const { spec } = location;
  if (!spec) throw new AppError("STORE_CONFIG", `storage location "${name}" has no spec`, { retry: false });
  const { provider, objectStorage, credential } = spec;
  if (objectStorage.caCert && objectStorage.caCertRef) {
    throw new AppError("STORE_CONFIG", `storage location "${name}" has both caCert and caCertRef`, {
      retry: false,
    });
  }
  const read = (key: { readonly name?: string; readonly key: string }) =>
    secretText(client, { namespace, name: key.name ?? "", key: key.key }, signal);
  const config = { ...spec.config };
  const { customerKeyEncryptionSecret: customer } = config;
  const [customerName = "", customerKey = ""] = customer?.split("/", 2) ?? [];
  const caCert = objectStorage.caCert
    ? Buffer.from(objectStorage.caCert, "base64").toString("utf8")
    : objectStorage.caCertRef && (await read(objectStorage.caCertRef));
  const credentials = credential?.name ? await read(credential) : await mountedCredentials(provider);
  return {
    provider,
    bucket: objectStorage.bucket,
    config,
    ...(objectStorage.prefix && { prefix: objectStorage.prefix }),
    ...(caCert && { caCert }),
    ...(credentials !== undefined && { credentials }),
    ...(customer && {
      customerKey: Buffer.from(await read({ name: customerName, key: customerKey }), "latin1"),
    }),
  };
}

/** Knows the secrets of a location, to keep them out of messages. */
export function locationMask({ provider, credentials, customerKey }: LocationSpec): Mask {
  const mask = new Mask();
  for (const secret of credentialSecrets(provider, credentials)) mask.learn(secret);
  if (customerKey) mask.learn(Buffer.from(customerKey).toString("latin1"));
  return mask;
}

/** One key of a Secret, byte for byte. */
export async function secretText(
  client: Pick<Client, "get">,
  where: { readonly namespace: string; readonly name: string; readonly key: string },
  signal: AbortSignal,
): Promise<string> {
  const { namespace, name, key } = where;
  const secret = await client.get<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
    resources.secrets,
    name,
    { namespace },
    signal,
  );
  const value = secret.data?.[key];
  if (value !== undefined) return Buffer.from(value, "base64").toString("latin1");
  throw new AppError("STORE_CONFIG", `secret "${namespace}/${name}" has no key "${key}"`);
}

/** A location in the words of the movers. */
export async function placeOf(spec: LocationSpec, signal?: AbortSignal): Promise<Place> {
  const provider = providerOf(spec);
  const prefix = (spec.prefix ?? "").replace(/^\/+|\/+$/g, "");
  switch (provider) {
    case "filesystem": {
      const folder = locationFolder(spec);
      return { kind: "filesystem", path: prefix === "" ? folder : `${folder}/${prefix}` };
    }
    case "aws":
      return s3Place(spec, prefix);
    case "azure":
      return azurePlace(azureSettings(spec), prefix, signal);
    case "gcp":
      return gcsPlace(spec, prefix);
  }
}

function s3Place(spec: LocationSpec, prefix: string): Place {
  const { region, s3Url, profile, insecureSkipTLSVerify } = spec.config;
  return {
    kind: "s3",
    bucket: spec.bucket,
    prefix,
    ...(region && { region }),
    ...(s3Url && { endpoint: s3Url.replace(/\/+$/, "") }),
    ...(spec.credentials !== undefined && { keys: parseCredentials(spec.credentials, profile || undefined) }),
    ...(spec.caCert !== undefined && { caCert: spec.caCert }),
    ...(insecureSkipTLSVerify === "true" && { skipVerify: true }),
  };
}

async function azurePlace(settings: AzureSettings, prefix: string, signal?: AbortSignal): Promise<Place> {
  const { account, container, domain, endpoint, login, caCert, access } = settings;
  if (endpoint !== `https://${account}.${domain}`) {
    const what = `data movers reach blobs only at https://${account}.<domain>, not at "${endpoint}" of storageAccountURI`;
    throw new AppError("STORE_CONFIG", what, { retry: false });
  }
  const key = await accountKey(settings, signal);
  return {
    kind: "azure",
    container,
    prefix,
    account,
    domain,
    access:
      key === undefined && access.by !== "key" ? keysOf(access.identity) : { by: "key", key: key ?? "" },
    login: login.href,
    ...(caCert !== undefined && { caCert }),
  };
}

type AzureKeys = Extract<Place, { readonly kind: "azure" }>["access"];

function keysOf(identity: AzureIdentity): AzureKeys {
  switch (identity.kind) {
    case "secret":
      return { by: "secret", tenant: identity.tenant, client: identity.client, secret: identity.secret };
    case "certificate":
      return { by: "certificate", tenant: identity.tenant, client: identity.client, pem: openPem(identity) };
    case "federated":
      return { by: "federated", tenant: identity.tenant, client: identity.client, file: identity.file };
    case "managed":
      return { by: "managed", ...(identity.client !== undefined && { client: identity.client }) };
  }
}

function gcsPlace(spec: LocationSpec, prefix: string): Place {
  const { bucket, universe, api } = gcsSettings(spec);
  const { credentials, caCert } = spec;
  // An address of Google's own leads to the same bucket as the usual one; another does not, and movers know no other.
  if (!api.hostname.endsWith(`.${universe}`) && spec.config["storeEndpoint"]) {
    const what = `data movers reach only ${universe}, not "${spec.config["storeEndpoint"]}" of storeEndpoint`;
    throw new AppError("STORE_CONFIG", what, { retry: false });
  }
  return {
    kind: "gcs",
    bucket,
    prefix,
    ...(credentials !== undefined && { credentials }),
    ...(universe !== "googleapis.com" && { universe }),
    ...(caCert !== undefined && { caCert }),
  };
}
