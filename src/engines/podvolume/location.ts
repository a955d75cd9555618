import type { BackupStorageLocation, KubeObject } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, Mask } from "../../kube/index.ts";
import type { Place } from "../../movers/index.ts";
import { type LocationSpec, locationFolder, parseCredentials } from "../../store/index.ts";
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
  return {
    provider,
    bucket: objectStorage.bucket,
    config,
    ...(objectStorage.prefix && { prefix: objectStorage.prefix }),
    ...(caCert && { caCert }),
    ...(credential?.name && { credentials: await read(credential) }),
    ...(customer && {
      customerKey: Buffer.from(await read({ name: customerName, key: customerKey }), "latin1"),
    }),
  };
}

/** Knows the secrets of a location, to keep them out of messages. */
export function locationMask({ credentials, customerKey }: LocationSpec): Mask {
  const mask = new Mask();
  mask.learn(credentials);
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
export function placeOf(spec: LocationSpec): Place {
  const provider = spec.provider.replace(/^(velero\.io|headway\.dev)\//, "");
  const prefix = (spec.prefix ?? "").replace(/^\/+|\/+$/g, "");
  if (provider === "filesystem") {
    const folder = locationFolder(spec);
    return { kind: "filesystem", path: prefix === "" ? folder : `${folder}/${prefix}` };
  }
  if (provider !== "aws") {
    const known = 'neither "aws" nor "filesystem"';
    throw new AppError("STORE_CONFIG", `provider "${spec.provider}" is ${known}`, { retry: false });
  }
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
