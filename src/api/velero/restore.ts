import { labelSelector, onError, typedLocalReference } from "../core.ts";
import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import {
  anyObject,
  bool,
  choice,
  duration,
  int,
  listOf,
  nullable,
  obj,
  open,
  str,
  stringMap,
  strings,
  stringsOrNull,
  timeOrNull,
} from "../schema.ts";
import { filters, hookStatus, selectors } from "./filters.ts";
import { v1 } from "./group.ts";

const hook = obj("One hook: exec or init", {
  exec: obj(
    "A command run in a container of the restored pod",
    {
      container: str("The container; the first one when absent"),
      command: strings("The command and its arguments", { minItems: 1 }),
      onError: onError(),
      execTimeout: duration("How long the command may take; 30s when absent"),
      waitTimeout: duration("How long to wait for the container; for ever when absent"),
      waitForReady: nullable(bool("Whether to wait for a ready container, not just a running one")),
    },
    ["command"],
  ),
  init: obj("Containers put in front of the pod's own", {
    initContainers: open(listOf("The containers", anyObject("A container of a pod"))),
    timeout: duration("How long they may take"),
  }),
});

const spec = obj("What to restore, and from where", {
  backupName: str("The Backup to restore from; this or scheduleName"),
  scheduleName: str("The Schedule whose newest good backup is restored"),
  ...filters,
  namespaceMapping: stringMap("Source namespace to target namespace"),
  ...selectors,
  restorePVs: nullable(bool("Whether volumes are restored from snapshots; absent means yes")),
  restoreStatus: nullable(
    obj("Objects whose status is restored too", {
      includedResources: stringsOrNull("Resource types to include; empty means all"),
      excludedResources: stringsOrNull("Resource types to leave out"),
    }),
  ),
  preserveNodePorts: nullable(bool("Whether Services keep their node ports")),
  includeClusterResources: nullable(
    bool("Whether cluster-scoped objects are included; absent: as the namespaced ones need"),
  ),
  hooks: obj("Commands run in restored pods", {
    resources: listOf(
      "Hooks by the pods they apply to",
      obj(
        "Hooks for some pods",
        {
          name: str("The hook's name"),
          ...filters,
          labelSelector: nullable(labelSelector("Labels a pod must have")),
          postHooks: listOf("Hooks run during and after the restore of the pod", hook),
        },
        ["name"],
      ),
    ),
  }),
  existingResourcePolicy: nullable(str("What happens to objects that exist already: none or update")),
  itemOperationTimeout: duration("How long asynchronous item operations may take; 4h when absent"),
  resourcePolicy: nullable(typedLocalReference("ConfigMap with the rules for the items to restore")),
  resourceModifier: nullable(typedLocalReference("ConfigMap with the patches applied to objects")),
  cancel: bool("Whether the work is to be canceled"),
  uploaderConfig: nullable(
    obj("How the downloader works", {
      writeSparseFiles: nullable(bool("Whether holes in files are kept")),
      parallelFilesDownload: int("Files downloaded at the same time"),
    }),
  ),
});

/** Phases of a Restore; a missing or empty phase means New. */
const restorePhases = [
  "New",
  "FailedValidation",
  "InProgress",
  "WaitingForPluginOperations",
  "WaitingForPluginOperationsPartiallyFailed",
  "Completed",
  "PartiallyFailed",
  "Failed",
  "Finalizing",
  "FinalizingPartiallyFailed",
] as const;

const status = obj("How the restore goes", {
  phase: choice("Where the restore stands", restorePhases),
  validationErrors: stringsOrNull("Why the spec was refused"),
  warnings: int("Warnings"),
  errors: int("Errors"),
  failureReason: str("Why the whole restore failed"),
  startTimestamp: timeOrNull("When the restore began"),
  completionTimestamp: timeOrNull("When the restore ended, well or not"),
  progress: nullable(
    obj("Items so far", {
      totalItems: int("Items in all; may grow"),
      itemsRestored: int("Items restored so far"),
    }),
  ),
  restoreItemOperationsAttempted: int("Asynchronous operations begun"),
  restoreItemOperationsCompleted: int("Asynchronous operations that ended well"),
  restoreItemOperationsFailed: int("Asynchronous operations that failed"),
  hookStatus,
});

/** The kind Restore. */
export const restore = defineKind({
  ...v1,
  kind: "Restore",
  plural: "restores",
  description: "A restore of objects and volumes from a backup",
  fields: { spec, status },
  columns: [
    column("Backup", ".spec.backupName"),
    column("Status", ".status.phase"),
    column("Errors", ".status.errors", "integer"),
    column("Warnings", ".status.warnings", "integer"),
    ageColumn,
  ],
});

/** A restore of objects and volumes from a backup. */
export type Restore = ObjectOf<typeof restore>;
