import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import { choice, duration, listOf, nullable, obj, str, stringMap, timeOrNull } from "../schema.ts";
import { v1 } from "./group.ts";
import { uploaders } from "./podvolumebackup.ts";

/** The kind BackupRepository. */
export const backupRepository = defineKind({
  ...v1,
  kind: "BackupRepository",
  plural: "backuprepositories",
  description: "A repository with the volume data of one namespace",
  fields: {
    spec: obj(
      "Which repository",
      {
        volumeNamespace: str("The namespace whose volumes it holds"),
        backupStorageLocation: str("The BackupStorageLocation it lies in"),
        maintenanceFrequency: duration("How often it is maintained"),
        repositoryType: choice("The tool it belongs to", uploaders),
        resticIdentifier: str("Its address, for restic"),
        repositoryConfig: nullable(
          stringMap("Settings of the repository, such as cacheLimitMB and fullMaintenanceInterval"),
        ),
      },
      ["backupStorageLocation", "maintenanceFrequency", "volumeNamespace"],
    ),
    status: obj("How the repository is", {
      phase: choice("Whether it can be used", ["New", "Ready", "NotReady"]),
      message: str("Why it cannot be used"),
      lastMaintenanceTime: timeOrNull("When it was last maintained well"),
      recentMaintenance: listOf(
        "The last 25 maintenance runs",
        obj("A maintenance run", {
          result: choice("How it ended", ["Succeeded", "Failed"]),
          startTimestamp: timeOrNull("When it began"),
          completeTimestamp: timeOrNull("When it ended"),
          message: str("What went wrong"),
        }),
      ),
    }),
  },
  columns: [ageColumn, column("Repository Type", ".spec.repositoryType")],
});

/** A repository with the volume data of one namespace. */
export type BackupRepository = ObjectOf<typeof backupRepository>;
