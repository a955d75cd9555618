/** Labels of migrations; the keys are upstream's, so that its tools find what we make. */
export const labels = {
  partOf: "app.kubernetes.io/part-of",
  migration: "migmigration",
  plan: "migplan",
  storage: "migstorage",
  initialBackup: "migration-initial-backup",
  stageBackup: "migration-stage-backup",
  stageRestore: "migration-stage-restore",
  finalRestore: "migration-final-restore",
  /** On everything that the backup of the volumes takes. */
  included: "migration-included-stage-backup",
  migratedByMigration: "migration.openshift.io/migrated-by-migmigration",
  migratedByPlan: "migration.openshift.io/migrated-by-migplan",
  migrationName: "migration.openshift.io/migmigration-name",
  planName: "migration.openshift.io/migplan-name",
  isStagePod: "migration.openshift.io/is-stage-pod",
  hookPhase: "phase",
  hookOwner: "owner",
  /** On what a hook runs as. */
  hook: "mighook",
} as const;

/** The value of `labels.partOf`. */
export const partOf = "openshift-migration";

/** Annotations of migrations. */
export const annotations = {
  type: "migration.openshift.io/migmigration-type",
  quiesce: "openshift.io/migrate-quiesce-pods",
  action: "openshift.io/migrate-type",
  storageClass: "openshift.io/target-storage-class",
  accessMode: "openshift.io/target-access-mode",
  copyMethod: "migration.openshift.io/copy-method",
  stageImage: "migration.openshift.io/stage-pod-image",
  verifyVolumes: "backup.velero.io/verify-volumes",
  replicas: "migration.openshift.io/preQuiesceReplicas",
  suspend: "migration.openshift.io/preQuiesceSuspend",
  nodeSelector: "migration.openshift.io/preQuiesceNodeSelector",
} as const;

/** The node selector of a quiesced DaemonSet; no node has it. */
export const quiesceSelector = "migration.openshift.io/quiesceDaemonSet";

/** Wishes that upstream's schema has no field for, as annotations of a migration or of its plan. */
export const settingNames = {
  /** "true": a failed run deletes what it migrated and scales the source up again. */
  rollback: "headway.dev/rollback-on-failure",
  /** "fail": a backup or restore that failed in part fails the run; otherwise it warns. */
  partial: "headway.dev/partial-failure-policy",
  /** "true": a run goes on without volumes that could not be copied or restored; otherwise it fails. */
  acceptMissing: "headway.dev/accept-missing-volumes",
  /** "true": labels of the migration are taken away at the end; a later roll-back is then impossible. */
  dropLabels: "headway.dev/remove-migration-labels",
} as const;

/** On a MigCluster: the namespace of its backup server, when it is not that of the migration's own objects. */
export const serverNamespaceAnnotation = "headway.dev/server-namespace";

/** A name of an object that a run makes: the same however often it is asked for, another for another run. */
export function runName(migration: string, word: string, uid: string): string {
  return `${migration.slice(0, 55 - word.length)}-${word}-${uid.replaceAll("-", "").slice(0, 8)}`;
}
