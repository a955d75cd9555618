import { objectReference } from "../core.ts";
import { column, defineKind, type ObjectOf } from "../kind.ts";
import { bool, choice, int64, nullable, obj, str, stringMap } from "../schema.ts";
import { dataPathColumns, dataPathStatus } from "./datapath.ts";
import { v1 } from "./group.ts";
import { uploaders } from "./podvolumebackup.ts";

/** The kind PodVolumeRestore. */
export const podVolumeRestore = defineKind({
  ...v1,
  kind: "PodVolumeRestore",
  plural: "podvolumerestores",
  description: "The restore of one volume of a pod, file by file",
  fields: {
    spec: obj(
      "Which volume, and from where",
      {
        pod: objectReference("The pod"),
        volume: str("The volume's name in the pod"),
        backupStorageLocation: str("The BackupStorageLocation of the repository"),
        repoIdentifier: str("The restic repository's address; empty for kopia"),
        snapshotID: str("The snapshot in the repository"),
        sourceNamespace: str("The namespace the volume was backed up from"),
        uploaderType: choice("The tool that copies", uploaders),
        uploaderSettings: nullable(
          stringMap("Settings of the tool, such as WriteSparseFiles and ParallelFilesDownload"),
        ),
        cancel: bool("Whether the work is to be canceled"),
        snapshotSize: int64("Bytes in the snapshot"),
      },
      ["backupStorageLocation", "pod", "repoIdentifier", "snapshotID", "sourceNamespace", "volume"],
    ),
    status: obj("How the copy goes", { ...dataPathStatus, node: str("Node that does the work") }),
  },
  columns: [...dataPathColumns(), column("Uploader Type", ".spec.uploaderType")],
});

/** The restore of one volume of a pod, file by file. */
export type PodVolumeRestore = ObjectOf<typeof podVolumeRestore>;
