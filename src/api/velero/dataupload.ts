import { defineKind, type ObjectOf } from "../kind.ts";
import { bool, choice, duration, int64, nullable, obj, str, stringMap } from "../schema.ts";
import { dataPathColumns, dataPathStatus, incrementalColumn } from "./datapath.ts";
import { v2alpha1 } from "./group.ts";

/** The operating system of the node that a volume needs. */
export const nodeOs = choice("Operating system of the node", ["auto", "linux", "windows"]);

/** The kind DataUpload. */
export const dataUpload = defineKind({
  ...v2alpha1,
  kind: "DataUpload",
  plural: "datauploads",
  description: "The upload of a volume snapshot's data",
  fields: {
    spec: obj(
      "Which snapshot, and where to",
      {
        snapshotType: str("The kind of snapshot: CSI"),
        csiSnapshot: nullable(
          obj(
            "The CSI snapshot",
            {
              volumeSnapshot: str("Name of the VolumeSnapshot"),
              storageClass: str("StorageClass of the claim"),
              snapshotClass: str("VolumeSnapshotClass of the snapshot"),
              driver: str("The CSI driver"),
            },
            ["storageClass", "volumeSnapshot"],
          ),
        ),
        sourcePVC: str("The claim the snapshot was taken of"),
        datamover: str("The data mover; empty or velero is the built-in one"),
        backupStorageLocation: str("The BackupStorageLocation of the repository"),
        sourceNamespace: str("The claim's namespace"),
        dataMoverConfig: nullable(stringMap("Settings of the data mover")),
        cancel: bool("Whether the work is to be canceled"),
        operationTimeout: duration("How long internal steps may take"),
      },
      ["backupStorageLocation", "operationTimeout", "snapshotType", "sourceNamespace", "sourcePVC"],
    ),
    status: obj("How the upload goes", {
      ...dataPathStatus,
      path: str("The folder that is copied"),
      snapshotID: str("The snapshot in the repository"),
      dataMoverResult: nullable(stringMap("What the data mover has to say for a later restore")),
      incrementalBytes: int64("Bytes this run added to the repository"),
      node: str("Node that does the work"),
      nodeOS: nodeOs,
      acceptedByNode: str("Node that prepared the work"),
    }),
  },
  columns: dataPathColumns([incrementalColumn]),
});

/** The upload of a volume snapshot's data. */
export type DataUpload = ObjectOf<typeof dataUpload>;
