// What the cluster stores: types, schemas, CRDs and the conventions that everyone who reads or writes it shares.
// Talking to an API server and deciding what to do do not live here.

export {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  isRawNumber,
  isRecord,
  type JsonOperation,
  type JsonRecord,
  type LabelExpression,
  type LabelSelector,
  own,
  PatchError,
  parseSelector,
  sameJson,
  selectorFault,
  selectorQuery,
  selects,
  without,
} from "../../packages/apimachinery/index.ts";
export { findCondition, isTrue, removeCondition } from "./conditions.ts";
export {
  type ArchiveEntry,
  archiveEntryName,
  formatEntry,
  formatVersion,
  groupResource,
  parseArchiveEntry,
} from "./conventions/archive-entry.ts";
export { isGlob, isLegalGlob, matchesGlob } from "./conventions/glob.ts";
export { formatGoDuration, parseGoDurationMs } from "./conventions/go-duration.ts";
export { type Grammar, grammar } from "./conventions/grammar.ts";
export {
  type IncludeExclude,
  includeExclude,
  includeExcludeFaults,
  passes,
  passesEverything,
} from "./conventions/include-exclude.ts";
export {
  type ItemRule,
  type ItemRules,
  itemFits,
  itemRuleSections,
  nameFits,
  Rulebook,
  readItemRules,
} from "./conventions/item-rules.ts";
export { type Period, readPeriod } from "./conventions/period.ts";
export { parseQuantity } from "./conventions/quantity.ts";
export { formatTime, parseTimeMs } from "./conventions/time.ts";
export {
  accountAnnotation,
  busyAnnotation,
  cancelAnnotation,
  carriedAnnotation,
  expectedBytesAnnotation,
  originalVolumeAnnotation,
  pluginVolumeAnnotation,
  rebindAnnotation,
  snapshotPlaceAnnotation,
  sourceContentAnnotation,
  stallAnnotation,
  stepAnnotation,
  stepsAnnotation,
  veleroNames,
} from "./conventions/velero-names.ts";
export { claimedVolumeFacts, sourceFacts, type VolumeFacts } from "./conventions/volume-facts.ts";
export type { ObjectReference } from "./core.ts";
export { crdOf } from "./crd.ts";
export { type Drill, drillPhases, drillSteps } from "./headway/drill.ts";
export {
  followAnnotation,
  type LiveLines,
  type LogPosition,
  liveLogAnnotation,
  readLiveLines,
  readPosition,
} from "./headway/live-log.ts";
export {
  type OperationObject,
  type OperationStatus,
  readOperation,
  writeOperation,
} from "./headway/operation.ts";
export { conditionsOf } from "./headway/operation-conditions.ts";
export type { ActionSet } from "./kanister/actionset.ts";
export type { Blueprint } from "./kanister/blueprint.ts";
export type { Profile } from "./kanister/profile.ts";
export { type ActionState, readActionProgress, readActionState, readPercent } from "./kanister/read.ts";
export type { Kind } from "./kind.ts";
export { allKinds, apiVersionOf, findKind, type KindName, kinds, type ObjectByKind } from "./kinds.ts";
export type { KubeObject, NewObject } from "./meta.ts";
export type { MigCondition } from "./migration/group.ts";
export type { MigCluster } from "./migration/migcluster.ts";
export type { MigHook } from "./migration/mighook.ts";
export type { MigMigration, MigStep } from "./migration/migmigration.ts";
export type { MigPlan, MigVolume } from "./migration/migplan.ts";
export type { MigStorage } from "./migration/migstorage.ts";
export { itineraryOf, migPhaseOf, setMigCondition, stepCount } from "./migration/read.ts";
export type { Fields, Schema } from "./schema.ts";
export { readStoredBackup, type StoredBackup } from "./stored/backup.ts";
export { StoredFields } from "./stored/fields.ts";
export {
  readStoredOperations,
  type StoredBackupOperation,
  type StoredItemId,
  type StoredOperationStatus,
  type StoredRestoreOperation,
} from "./stored/item-operation.ts";
export { isEndedCopy, readStoredPodVolumeBackups } from "./stored/pod-volume-backup.ts";
export { readStoredSnapshotRecords } from "./stored/volume-plugin-backup.ts";
export { type Backup, backupPhases } from "./velero/backup.ts";
export type { BackupRepository } from "./velero/backuprepository.ts";
export type { BackupStorageLocation } from "./velero/backupstoragelocation.ts";
export type { DataDownload } from "./velero/datadownload.ts";
export { dataPathPhases } from "./velero/datapath.ts";
export type { DataUpload } from "./velero/dataupload.ts";
export type { DeleteBackupRequest } from "./velero/deletebackuprequest.ts";
export { type DownloadRequest } from "./velero/downloadrequest.ts";
export { type PodVolumeBackup } from "./velero/podvolumebackup.ts";
export type { PodVolumeRestore } from "./velero/podvolumerestore.ts";
export { bytesOf, itemsOf, veleroPhaseOf } from "./velero/read.ts";
export { type Restore } from "./velero/restore.ts";
export type { Schedule } from "./velero/schedule.ts";
export type { ServerStatusRequest } from "./velero/serverstatusrequest.ts";
export type { VolumePluginBackup } from "./velero/volumepluginbackup.ts";
export type { VolumePluginRestore } from "./velero/volumepluginrestore.ts";
export type { VolumeSnapshotLocation } from "./velero/volumesnapshotlocation.ts";
