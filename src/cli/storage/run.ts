import { AppError } from "../../errors.ts";
import { given, type Input, text } from "../command.ts";
import { givenFile } from "../given-file.ts";
import type { Io } from "../io.ts";
import { createObjects, getObjects, headOf, readiness, whyNot } from "../migration/objects.ts";

/** Makes a store known that migrations go through, with its credentials in a Secret. */
export async function createStorage(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  const namespace = text(input, "namespace") ?? io.env["VELERO_NAMESPACE"] ?? "velero";
  const provider = text(input, "provider") ?? "";
  const file = text(input, "credentials-file");
  if (provider !== "filesystem" && file === undefined) {
    throw new AppError("USAGE", `provider "${provider}" needs --credentials-file`, { retry: false });
  }
  const ca = text(input, "ca-file");
  const bucket = text(input, "bucket");
  const bucketField = { aws: "awsBucketName", gcp: "gcpBucket", azure: "azureStorageContainer" }[provider];
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `migstorage-${name}`, namespace },
    data: { cloud: file === undefined ? "" : (await givenFile("credentials-file", file)).toString("base64") },
  };
  const storage = {
    ...headOf("MigStorage", name, namespace),
    spec: {
      backupStorageProvider: provider,
      backupStorageConfig: {
        ...(bucket && bucketField && { [bucketField]: bucket }),
        ...(text(input, "region") && { awsRegion: text(input, "region") }),
        ...(text(input, "s3-url") && { awsS3Url: text(input, "s3-url"), awsS3ForcePathStyle: true }),
        ...(text(input, "path") && { filesystemPath: text(input, "path") }),
        ...(text(input, "azure-account") && { azureStorageAccount: text(input, "azure-account") }),
        ...(text(input, "azure-group") && { azureResourceGroup: text(input, "azure-group") }),
        ...(given(input, "insecure") && { insecure: true }),
        ...(ca && { s3CustomCABundle: (await givenFile("ca-file", ca)).toString("base64") }),
        ...(file !== undefined && { credsSecretRef: { name: secret.metadata.name, namespace } }),
      },
    },
  };
  const objects = file === undefined ? [storage] : [secret, storage];
  if (await createObjects(objects, { input, io }, signal)) io.err(`storage "${name}" was created\n`);
}

/** Lists storages. */
export function getStorages(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  return getObjects(
    "MigStorage",
    {
      headings: ["NAME", "STATUS", "PROVIDER", "PLACE", "WHY"],
      rowOf: ({ metadata, spec, status }) => {
        const config = spec?.backupStorageConfig;
        const place =
          config?.awsBucketName ??
          config?.gcpBucket ??
          config?.azureStorageContainer ??
          config?.filesystemPath;
        return [
          metadata.name,
          readiness(status?.conditions),
          spec?.backupStorageProvider ?? "",
          place ?? "",
          whyNot(status?.conditions),
        ];
      },
    },
    { input, io },
    signal,
  );
}
