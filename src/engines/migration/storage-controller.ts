import type { KubeObject, MigStorage } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { type Client, Mask, type Outcome } from "../../kube/index.ts";
import { lacksBucket, openStore, ownProvider, validateLocation } from "../../store/index.ts";
import { critical, isBlocked, required, type Wanted } from "./conditions.ts";
import {
  credentialKey,
  credentialText,
  locationOf,
  secretName,
  storageFaults,
  storageLabels,
} from "./location.ts";
import type { Cluster } from "./run.ts";
import { resources } from "./shapes.ts";
import { change, find } from "./tolerate.ts";

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/** What holds about a storage, and when to look again. */
export async function lookAtStorage(
  client: Client,
  storage: MigStorage,
  signal: AbortSignal,
): Promise<{ readonly wanted: readonly Wanted[]; readonly again: Outcome }> {
  const faults = storageFaults(storage).map(({ type, reason, message }) => critical(type, reason, message));
  const wanted = faults.length > 0 ? faults : await tryStore(client, storage, signal);
  if (isBlocked(wanted)) return { wanted, again: { againAfterMs: 10_000 } };
  return { wanted: [required("Ready", undefined, "The storage is ready.")], again: { againAfterMs: 60_000 } };
}

async function tryStore(
  client: Client,
  storage: MigStorage,
  signal: AbortSignal,
): Promise<readonly Wanted[]> {
  const credentials = await readCredentials(client, storage, signal);
  if (typeof credentials === "object") return [credentials];
  const provider = storage.spec?.backupStorageProvider ?? "";
  // Other stores are left to the backup servers.
  if (ownProvider(provider) === undefined) return [];
  const { spec } = locationOf(storage, "", undefined);
  const caCert = spec?.objectStorage.caCert;
  try {
    const location = {
      provider,
      bucket: spec?.objectStorage.bucket ?? "",
      config: spec?.config ?? {},
      ...(credentials !== undefined && { credentials }),
      ...(caCert && { caCert: Buffer.from(caCert, "base64").toString("utf8") }),
    };
    // The bucket is made with the location of the first run, which also tells an empty store from a lost one.
    if (!(await lacksBucket(location))) await validateLocation(await openStore(location), signal);
    return [];
  } catch (error) {
    signal.throwIfAborted();
    const mask = new Mask();
    mask.learn(credentials);
    const words = mask.text(messageOf(error));
    return [critical("BackupStorageProviderTestFailed", "TestFailed", words)];
  }
}

/** The credentials of a storage as text; none for one that needs none, a fault when they are missing. */
export async function readCredentials(
  client: Client,
  storage: MigStorage,
  signal: AbortSignal,
): Promise<string | undefined | Wanted> {
  const { backupStorageProvider: provider = "", backupStorageConfig } = storage.spec ?? {};
  if (provider === "filesystem") return undefined;
  const type = "InvalidBackupStorageCredsSecretRef";
  const ref = backupStorageConfig?.credsSecretRef;
  if (!ref?.name) return critical(type, "NotSet", "credsSecretRef names no Secret");
  const namespace = ref.namespace ?? storage.metadata.namespace ?? "";
  const secret = await find<Secret>(client, resources.secrets, ref.name, namespace, signal);
  if (!secret) return critical(type, "NotFound", `Secret ${namespace}/${ref.name} does not exist`);
  const text = credentialText(provider, secret.data ?? {});
  return (
    text ?? critical(type, "NotSet", `Secret ${namespace}/${ref.name} has no credentials for ${provider}`)
  );
}

/** Makes the location of a storage, and the Secret beside it, what they should be on a cluster. */
export async function ensureLocation(
  storage: MigStorage,
  credentials: string | undefined,
  { client, namespace }: Cluster,
  signal: AbortSignal,
): Promise<void> {
  const secret = credentials === undefined ? undefined : secretName(storage);
  if (secret !== undefined && credentials !== undefined) {
    const data = { [credentialKey]: Buffer.from(credentials).toString("base64") };
    const wanted = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secret, namespace, labels: storageLabels(storage) },
      data,
    };
    const there = await find<Secret>(client, resources.secrets, secret, namespace, signal);
    if (!there) await client.create(resources.secrets, wanted, {}, signal);
    else if (there.data?.[credentialKey] !== data[credentialKey]) {
      await change(client, resources.secrets, there, { data }, signal);
    }
  }
  const wanted = locationOf(storage, namespace, secret);
  const there = await find<typeof wanted>(client, locations, wanted.metadata.name, namespace, signal);
  if (!there) {
    await client.create(locations, wanted, {}, signal);
    return;
  }
  const same = (key: "provider" | "config" | "credential" | "objectStorage") =>
    JSON.stringify(there.spec?.[key] ?? null) === JSON.stringify(wanted.spec?.[key] ?? null);
  if (same("provider") && same("config") && same("credential") && same("objectStorage")) return;
  await change(client, locations, there, { spec: wanted.spec }, signal);
}

const locations = {
  group: "velero.io",
  version: "v1",
  plural: "backupstoragelocations",
  kind: "BackupStorageLocation",
  namespaced: true,
};
