import type { BackupStorageLocation, MigStorage } from "../../api/index.ts";
import { labelValue } from "../../kube/index.ts";
import { labels, partOf } from "./names.ts";

/** The key of the credentials inside the Secret that a location names. */
export const credentialKey = "cloud";

/** The name of the location that a storage becomes, the same on every cluster. */
export function locationName({ metadata }: MigStorage): string {
  return `${metadata.name.slice(0, 54)}-${(metadata.uid ?? "").slice(0, 8)}`;
}

/** The name of the Secret with the credentials beside that location. */
export function secretName(storage: MigStorage): string {
  return `${locationName(storage)}-creds`;
}

/** The labels of what a storage becomes. */
export function storageLabels({ metadata }: MigStorage): Readonly<Record<string, string>> {
  return { [labels.partOf]: partOf, [labels.storage]: labelValue(metadata.uid ?? "") };
}

/** The location that a storage becomes in a namespace of a cluster; its credentials are in a Secret beside it. */
export function locationOf(
  storage: MigStorage,
  namespace: string,
  secret: string | undefined,
): BackupStorageLocation {
  const given = storage.spec?.backupStorageConfig;
  const provider = storage.spec?.backupStorageProvider ?? "";
  const bucket =
    { aws: given?.awsBucketName, azure: given?.azureStorageContainer, gcp: given?.gcpBucket }[provider] ??
    "migration";
  return {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: locationName(storage), namespace, labels: storageLabels(storage) },
    spec: {
      provider,
      objectStorage: { bucket, ...(given?.s3CustomCABundle && { caCert: given.s3CustomCABundle }) },
      config: configOf(storage),
      ...(secret !== undefined && { credential: { name: secret, key: credentialKey } }),
    },
  };
}

/** What is wrong with a storage's own words: type, reason and what to do about it. */
export function storageFaults(
  storage: MigStorage,
): readonly { readonly type: string; readonly reason: string; readonly message: string }[] {
  const { backupStorageProvider: provider = "", backupStorageConfig: given } = storage.spec ?? {};
  const fault = (type: string, reason: string, message: string) => [{ type, reason, message }];
  if (provider === "") {
    return fault("InvalidBackupStorageProvider", "NotSet", "backupStorageProvider is not set");
  }
  const needs: Readonly<Record<string, readonly (keyof NonNullable<typeof given>)[]>> = {
    aws: ["awsBucketName"],
    azure: ["azureStorageAccount", "azureStorageContainer", "azureResourceGroup"],
    gcp: ["gcpBucket"],
    filesystem: ["filesystemPath"],
  };
  const wanted = needs[provider];
  if (!wanted) {
    const known = Object.keys(needs).join(", ");
    const words = `backupStorageProvider "${provider}" is none of ${known}`;
    return fault("InvalidBackupStorageProvider", "NotSupported", words);
  }
  const missing = wanted.filter((field) => !given?.[field]);
  if (missing.length > 0) {
    const words = `backupStorageConfig lacks ${missing.join(", ")}`;
    return fault("InvalidBackupStorageSettings", "NotSet", words);
  }
  return [];
}

function configOf(storage: MigStorage): Readonly<Record<string, string>> {
  const given = storage.spec?.backupStorageConfig ?? {};
  switch (storage.spec?.backupStorageProvider) {
    case "aws":
      return {
        ...(given.awsRegion && { region: given.awsRegion }),
        ...(given.awsS3Url && { s3Url: given.awsS3Url }),
        ...(given.awsPublicUrl && { publicUrl: given.awsPublicUrl }),
        ...((given.awsS3ForcePathStyle || given.awsS3Url) && { s3ForcePathStyle: "true" }),
        ...(given.awsKmsKeyId && { kmsKeyId: given.awsKmsKeyId }),
        ...(given.insecure && { insecureSkipTLSVerify: "true" }),
      };
    case "azure":
      return {
        ...(given.azureResourceGroup && { resourceGroup: given.azureResourceGroup }),
        ...(given.azureStorageAccount && { storageAccount: given.azureStorageAccount }),
      };
    case "filesystem":
      return { path: given.filesystemPath ?? "" };
    default:
      return {};
  }
}

/** Credentials as the file that backup servers read, from the keys that a storage's Secret has. */
export function credentialText(provider: string, data: Readonly<Record<string, string>>): string | undefined {
  const plain = (key: string) => {
    const value = data[key];
    return value === undefined ? undefined : Buffer.from(value, "base64").toString("utf8");
  };
  const whole = plain(credentialKey);
  if (whole !== undefined) return whole;
  if (provider === "azure") return plain("azure-credentials");
  if (provider === "gcp") return plain("gcp-credentials");
  const [id, secret] = [plain("aws-access-key-id"), plain("aws-secret-access-key")];
  if (id === undefined || secret === undefined) return undefined;
  return `[default]\naws_access_key_id=${id}\naws_secret_access_key=${secret}\n`;
}
