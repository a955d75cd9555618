import type { BackupStorageLocation } from "../api/index.ts";
import { AppError } from "../errors.ts";
import type { Client } from "../kube/index.ts";
import { type LocationSpec, openStore, type Store } from "../store/index.ts";

const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };

/** Opens stores of locations: reads the Secrets they name and keeps the newest store of each, with its connections. */
export function storeOpener(client: Pick<Client, "get">) {
  // One entry a location; a changed spec or Secret replaces it.
  const opened = new Map<string, { readonly spec: string; readonly store: Promise<Store> }>();
  return async (location: BackupStorageLocation, signal: AbortSignal): Promise<Store> => {
    const spec = await locationSpec(client, location, signal);
    const key = `${location.metadata.namespace}/${location.metadata.name}`;
    const text = JSON.stringify(spec);
    const known = opened.get(key);
    if (known?.spec === text) return known.store;
    const store = openStore(spec);
    opened.set(key, { spec: text, store });
    // A location that could not be opened is tried anew the next time.
    store.catch(() => opened.delete(key));
    return store;
  };
}

async function locationSpec(
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

async function secretText(
  client: Pick<Client, "get">,
  where: { readonly namespace: string; readonly name: string; readonly key: string },
  signal: AbortSignal,
): Promise<string> {
  const { namespace, name, key } = where;
  const secret = (await client.get(secrets, name, { namespace }, signal)) as {
    data?: Record<string, string>;
  }; // a Secret's data is base64 text
  const value = secret.data?.[key];
  if (value !== undefined) return Buffer.from(value, "base64").toString("latin1");
  throw new AppError("STORE_CONFIG", `secret "${namespace}/${name}" has no key "${key}"`);
}
