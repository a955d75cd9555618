import { column, defineKind, type ObjectOf } from "../kind.ts";
import { choice, obj, str, stringsOrNull } from "../schema.ts";
import { v1 } from "./group.ts";

/** The kind DeleteBackupRequest. */
export const deleteBackupRequest = defineKind({
  ...v1,
  kind: "DeleteBackupRequest",
  plural: "deletebackuprequests",
  description: "A request to delete a backup and all it stored",
  fields: {
    spec: obj("Which backup", { backupName: str("Name of the Backup") }, ["backupName"]),
    status: obj("How the deletion goes", {
      phase: choice("Where the deletion stands", ["New", "InProgress", "Processed"]),
      errors: stringsOrNull("What could not be deleted, and why"),
    }),
  },
  columns: [column("BackupName", ".spec.backupName"), column("Status", ".status.phase")],
});

/** A request to delete a backup and all it stored. */
export type DeleteBackupRequest = ObjectOf<typeof deleteBackupRequest>;
