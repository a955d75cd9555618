import { secretKey } from "../core.ts";
import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import { base64, bool, choice, duration, nullable, obj, str, stringMap, timeOrNull } from "../schema.ts";
import { v1 } from "./group.ts";

const modes = ["ReadOnly", "ReadWrite"] as const;

/** The kind BackupStorageLocation. */
export const backupStorageLocation = defineKind({
  ...v1,
  kind: "BackupStorageLocation",
  plural: "backupstoragelocations",
  shortNames: ["bsl"],
  description: "A bucket that holds backups",
  fields: {
    spec: obj(
      "Which bucket, and how to reach it",
      {
        provider: str("The object store plugin, such as aws"),
        config: stringMap("Settings of the provider"),
        credential: secretKey("Credentials for this location"),
        objectStorage: obj(
          "The bucket",
          {
            bucket: str("The bucket's name"),
            prefix: str("The folder inside the bucket"),
            caCert: base64("Certificates to trust; not together with caCertRef"),
            caCertRef: secretKey("Where to find certificates to trust"),
          },
          ["bucket"],
        ),
        default: bool("Whether backups go here when they name no location"),
        accessMode: choice("Whether new backups may be written; empty means ReadWrite", modes),
        backupSyncPeriod: nullable(duration("How often backups found in the bucket are synced; 0 never")),
        validationFrequency: nullable(duration("How often the location is checked; 0 never")),
      },
      ["objectStorage", "provider"],
    ),
    status: obj("How the location is", {
      phase: choice("Whether the location can be used", ["Available", "Unavailable"]),
      lastSyncedTime: timeOrNull("When backups were last synced"),
      lastValidationTime: timeOrNull("When the location was last checked"),
      message: str("Why the location is unavailable"),
      lastSyncedRevision: str("No longer used"),
      accessMode: choice("No longer used", modes),
    }),
  },
  columns: [
    column("Phase", ".status.phase", "string", { description: "Whether the location can be used" }),
    column("Last Validated", ".status.lastValidationTime", "date", { description: "Time of the last check" }),
    ageColumn,
    column("Default", ".spec.default", "boolean", { description: "Whether it is the default location" }),
  ],
});

/** A bucket that holds backups. */
export type BackupStorageLocation = ObjectOf<typeof backupStorageLocation>;
