import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import { choice, obj, str, timeOrNull } from "../schema.ts";
import { v1 } from "./group.ts";

/** Files of a backup or a restore that can be asked for. */
const downloadTargets = [
  "BackupLog",
  "BackupContents",
  "BackupVolumeSnapshots",
  "BackupItemOperations",
  "BackupResourceList",
  "BackupResults",
  "RestoreLog",
  "RestoreResults",
  "RestoreResourceList",
  "RestoreItemOperations",
  "CSIBackupVolumeSnapshots",
  "CSIBackupVolumeSnapshotContents",
  "BackupVolumeInfos",
  "RestoreVolumeInfo",
] as const;

/** The kind DownloadRequest. */
export const downloadRequest = defineKind({
  ...v1,
  kind: "DownloadRequest",
  plural: "downloadrequests",
  description: "A request for a link to a stored file",
  fields: {
    spec: obj(
      "Which file",
      {
        target: obj(
          "The file",
          {
            kind: choice("The kind of file", downloadTargets),
            name: str("Name of the Backup or Restore"),
          },
          ["kind", "name"],
        ),
      },
      ["target"],
    ),
    status: obj("The answer", {
      phase: choice("Whether there is an answer", ["New", "Processed"]),
      downloadURL: str("The signed link"),
      expiration: timeOrNull("When the request may be deleted"),
    }),
  },
  columns: [
    column("Target Kind", ".spec.target.kind"),
    column("Target Name", ".spec.target.name"),
    column("Status", ".status.phase"),
    ageColumn,
  ],
});

/** A request for a link to a stored file. */
export type DownloadRequest = ObjectOf<typeof downloadRequest>;
