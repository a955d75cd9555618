import { objectReference } from "../core.ts";
import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import { base64, bool, obj, str } from "../schema.ts";
import { conditions, observedDigest, readyColumn, v1alpha1 } from "./group.ts";

/** The kind MigStorage. */
export const migStorage = defineKind({
  ...v1alpha1,
  kind: "MigStorage",
  plural: "migstorages",
  description: "The store that a migration goes through",
  fields: {
    spec: obj(
      "Which store, and how to reach it",
      {
        backupStorageProvider: str("aws, azure, gcp or filesystem"),
        backupStorageConfig: obj("Where backups are kept", {
          credsSecretRef: objectReference("Secret with the credentials"),
          awsBucketName: str("Bucket"),
          awsRegion: str("Region"),
          awsS3ForcePathStyle: bool("Whether the bucket is part of the path"),
          awsS3Url: str("Address of the store"),
          awsPublicUrl: str("Address for download links"),
          awsKmsKeyId: str("Key for encryption"),
          awsSignatureVersion: str("Version of the signature"),
          s3CustomCABundle: base64("Certificates to trust"),
          azureStorageAccount: str("Storage account"),
          azureStorageContainer: str("Container"),
          azureResourceGroup: str("Resource group"),
          gcpBucket: str("Bucket"),
          insecure: bool("Whether the store's certificate is not checked"),
          filesystemPath: str(
            "Folder that every node and every server sees at the same place, for provider filesystem (Headway)",
          ),
        }),
        volumeSnapshotProvider: str("aws, azure or gcp"),
        volumeSnapshotConfig: obj("How snapshots are taken", {
          credsSecretRef: objectReference("Secret with the credentials"),
          snapshotCreationTimeout: str("How long a snapshot may take"),
          awsRegion: str("Region"),
          azureApiTimeout: str("How long a call may take"),
          azureResourceGroup: str("Resource group"),
        }),
        refresh: bool("Whether the store is to be checked anew"),
      },
      ["backupStorageConfig", "backupStorageProvider"],
    ),
    status: obj("How the store is", { conditions, observedDigest }),
  },
  columns: [
    readyColumn,
    column("BackupStorageProvider", ".spec.backupStorageProvider"),
    column("VolumeSnapshotProvider", ".spec.volumeSnapshotProvider"),
    ageColumn,
  ],
});

/** The store that a migration goes through. */
export type MigStorage = ObjectOf<typeof migStorage>;
