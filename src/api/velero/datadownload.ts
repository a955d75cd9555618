import { defineKind, type ObjectOf } from "../kind.ts";
import { bool, duration, int64, obj, str, stringMap } from "../schema.ts";
import { dataPathColumns, dataPathStatus } from "./datapath.ts";
import { nodeOs } from "./dataupload.ts";
import { v2alpha1 } from "./group.ts";

/** The kind DataDownload. */
export const dataDownload = defineKind({
  ...v2alpha1,
  kind: "DataDownload",
  plural: "datadownloads",
  description: "The download of a volume snapshot's data",
  fields: {
    spec: obj(
      "Which snapshot, and where to",
      {
        targetVolume: obj(
          "The volume that is filled",
          {
            pvc: str("The claim's name"),
            pv: str("The volume's name"),
            namespace: str("The claim's namespace"),
          },
          ["namespace", "pv", "pvc"],
        ),
        backupStorageLocation: str("The BackupStorageLocation of the repository"),
        datamover: str("The data mover; empty or velero is the built-in one"),
        snapshotID: str("The snapshot in the repository"),
        sourceNamespace: str("The namespace the volume was backed up from"),
        dataMoverConfig: stringMap("Settings of the data mover"),
        cancel: bool("Whether the work is to be canceled"),
        operationTimeout: duration("How long internal steps may take"),
        nodeOS: nodeOs,
        snapshotSize: int64("Bytes in the snapshot"),
      },
      ["backupStorageLocation", "operationTimeout", "snapshotID", "sourceNamespace", "targetVolume"],
    ),
    status: obj("How the download goes", {
      ...dataPathStatus,
      node: str("Node that does the work"),
      acceptedByNode: str("Node that prepared the work"),
    }),
  },
  columns: dataPathColumns(),
});

/** The download of a volume snapshot's data. */
export type DataDownload = ObjectOf<typeof dataDownload>;
