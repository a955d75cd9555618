import { objectReference } from "../core.ts";
import { column, defineKind, type ObjectOf } from "../kind.ts";
import { bool, choice, int64, nullable, obj, str, stringMap } from "../schema.ts";
import { dataPathColumns, dataPathStatus, incrementalColumn } from "./datapath.ts";
import { v1 } from "./group.ts";

/** Tools that copy volumes. Empty means restic to Velero up to 1.18 and kopia later, so write it always. */
export const uploaders = ["kopia", "restic", ""] as const;

/** The kind PodVolumeBackup. */
export const podVolumeBackup = defineKind({
  ...v1,
  kind: "PodVolumeBackup",
  plural: "podvolumebackups",
  description: "The backup of one volume of a pod, file by file",
  fields: {
    spec: obj(
      "Which volume, and where to",
      {
        node: str("The pod's node; only its agent may take the work"),
        pod: objectReference("The pod"),
        volume: str("The volume's name in the pod"),
        backupStorageLocation: str("The BackupStorageLocation of the repository"),
        repoIdentifier: str("The restic repository's address; empty for kopia"),
        uploaderType: choice("The tool that copies", uploaders),
        tags: stringMap("Tags put on the snapshot in the repository"),
        uploaderSettings: nullable(stringMap("Settings of the tool, such as ParallelFilesUpload")),
        cancel: bool("Whether the work is to be canceled"),
      },
      ["backupStorageLocation", "node", "pod", "repoIdentifier", "volume"],
    ),
    status: obj("How the copy goes", {
      ...dataPathStatus,
      path: str("The folder that is copied"),
      snapshotID: str("The snapshot in the repository"),
      incrementalBytes: int64("Bytes this run added to the repository"),
      node: str("Node that does the work (Headway; upstream has the column but not the field)"),
    }),
  },
  columns: [...dataPathColumns([incrementalColumn]), column("Uploader", ".spec.uploaderType")],
});

/** The backup of one volume of a pod, file by file. */
export type PodVolumeBackup = ObjectOf<typeof podVolumeBackup>;
