import { labelSelector, onError, typedLocalReference } from "../core.ts";
import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import {
  bool,
  choice,
  described,
  duration,
  int,
  listOf,
  nullable,
  obj,
  str,
  stringMap,
  strings,
  stringsOrNull,
  timeOrNull,
} from "../schema.ts";
import { filters, hookStatus, selectors } from "./filters.ts";
import { v1 } from "./group.ts";

const hook = obj(
  "One hook",
  {
    exec: obj(
      "A command run in a container of the pod",
      {
        container: str("The container; the first one when absent"),
        command: strings("The command and its arguments", { minItems: 1 }),
        onError: onError(),
        timeout: duration("How long the command may take; 30s when absent"),
      },
      ["command"],
    ),
  },
  ["exec"],
);

/** The spec of a Backup, also the template of a Schedule. */
export const backupSpec = obj("What to back up, and where to", {
  metadata: obj("Metadata for the backups a Schedule makes", { labels: stringMap("Labels") }),
  ...filters,
  includedClusterScopedResources: stringsOrNull("Cluster-scoped resource types to include"),
  excludedClusterScopedResources: stringsOrNull("Cluster-scoped resource types to leave out"),
  includedNamespaceScopedResources: stringsOrNull("Namespaced resource types to include"),
  excludedNamespaceScopedResources: stringsOrNull("Namespaced resource types to leave out"),
  includeClusterResources: nullable(
    bool("Whether cluster-scoped objects are included; absent: as the namespaced ones need"),
  ),
  ...selectors,
  snapshotVolumes: nullable(bool("Whether volumes are snapshotted; absent: where a location allows it")),
  ttl: duration("How long the backup is kept"),
  volumeGroupSnapshotLabelKey: str("Label of claims that are snapshotted together"),
  hooks: obj("Commands run in pods around their backup", {
    resources: nullable(
      listOf(
        "Hooks by the pods they apply to",
        obj(
          "Hooks for some pods",
          {
            name: str("The hook's name"),
            ...filters,
            labelSelector: nullable(labelSelector("Labels a pod must have")),
            pre: listOf("Hooks run before the pod is stored", hook),
            post: listOf("Hooks run after the pod is stored", hook),
          },
          ["name"],
        ),
      ),
    ),
  }),
  storageLocation: str("The BackupStorageLocation to store in"),
  volumeSnapshotLocations: strings("VolumeSnapshotLocations to use, at most one for each provider"),
  defaultVolumesToRestic: nullable(bool("Old name of defaultVolumesToFsBackup")),
  defaultVolumesToFsBackup: nullable(bool("Whether all pod volumes are copied file by file unless excluded")),
  orderedResources: nullable(
    stringMap("Order inside a resource type: plural name to a comma list of names or namespace/names"),
  ),
  csiSnapshotTimeout: duration("How long a CSI snapshot may take to become ready; 10m when absent"),
  itemOperationTimeout: duration("How long asynchronous item operations may take; 4h when absent"),
  resourcePolicy: typedLocalReference("ConfigMap with the rules for volumes and resources"),
  snapshotMoveData: nullable(bool("Whether snapshot data is moved to the storage location")),
  datamover: str("The data mover; empty or velero is the built-in one"),
  uploaderConfig: nullable(
    obj("How the uploader works", { parallelFilesUpload: int("Files uploaded at the same time") }),
  ),
});

/** Phases of a Backup; a missing or empty phase means New. */
export const backupPhases = [
  "New",
  "Queued",
  "ReadyToStart",
  "FailedValidation",
  "InProgress",
  "WaitingForPluginOperations",
  "WaitingForPluginOperationsPartiallyFailed",
  "Finalizing",
  "FinalizingPartiallyFailed",
  "Completed",
  "PartiallyFailed",
  "Failed",
  "Deleting",
] as const;

const status = obj("How the backup goes", {
  version: int("Major format version, 1"),
  formatVersion: str("Format version of the stored backup"),
  expiration: timeOrNull("When the backup may be collected"),
  phase: choice("Where the backup stands", backupPhases),
  queuePosition: int("Place in the queue, from 1, while Queued"),
  validationErrors: stringsOrNull("Why the spec was refused"),
  startTimestamp: timeOrNull("When the backup began"),
  completionTimestamp: timeOrNull("When the backup ended, well or not"),
  volumeSnapshotsAttempted: int("Native volume snapshots begun"),
  volumeSnapshotsCompleted: int("Native volume snapshots that ended well"),
  failureReason: str("Why the whole backup failed"),
  warnings: int("Warnings in the log"),
  errors: int("Errors in the log"),
  progress: nullable(
    obj("Items so far", {
      totalItems: int("Items in all; may grow"),
      itemsBackedUp: int("Items stored so far"),
    }),
  ),
  csiVolumeSnapshotsAttempted: int("CSI snapshots begun"),
  csiVolumeSnapshotsCompleted: int("CSI snapshots that ended well"),
  backupItemOperationsAttempted: int("Asynchronous operations begun"),
  backupItemOperationsCompleted: int("Asynchronous operations that ended well"),
  backupItemOperationsFailed: int("Asynchronous operations that failed"),
  hookStatus: described("Hooks so far", hookStatus),
});

/** The kind Backup. */
export const backup = defineKind({
  ...v1,
  kind: "Backup",
  plural: "backups",
  description: "A backup of objects and volumes of this cluster",
  fields: {
    // Not in a Schedule's template: all of its backups would be canceled.
    spec: obj("What to back up, and where to", {
      ...backupSpec.properties,
      cancel: bool("Whether the work is to be canceled"),
    }),
    status,
  },
  columns: [
    column("Status", ".status.phase"),
    column("Errors", ".status.errors", "integer"),
    column("Warnings", ".status.warnings", "integer"),
    column("Started", ".status.startTimestamp", "date"),
    ageColumn,
  ],
});

/** A backup of objects and volumes of this cluster. */
export type Backup = ObjectOf<typeof backup>;
