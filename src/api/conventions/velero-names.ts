/** Labels, annotations and finalizers of Velero's objects that more than one room reads or writes. */
export const veleroNames = {
  backupName: "velero.io/backup-name",
  backupUid: "velero.io/backup-uid",
  restoreName: "velero.io/restore-name",
  restoreUid: "velero.io/restore-uid",
  scheduleName: "velero.io/schedule-name",
  storageLocation: "velero.io/storage-location",
  volumeNamespace: "velero.io/volume-namespace",
  repositoryType: "velero.io/repository-type",
  podUid: "velero.io/pod-uid",
  pvcUid: "velero.io/pvc-uid",
  pvcName: "velero.io/pvc-name",
  podVolumeTimeout: "velero.io/pod-volume-timeout",
  sourceGitVersion: "velero.io/source-cluster-k8s-gitversion",
  sourceMajorVersion: "velero.io/source-cluster-k8s-major-version",
  sourceMinorVersion: "velero.io/source-cluster-k8s-minor-version",
  resourceTimeout: "velero.io/resource-timeout",
  excludeFromBackup: "velero.io/exclude-from-backup",
  skipFromBackup: "velero.io/skip-from-backup",
  backupVolumes: "backup.velero.io/backup-volumes",
  backupVolumesExcludes: "backup.velero.io/backup-volumes-excludes",
  gcFailure: "velero.io/gc-failure",
  volumeGroup: "velero.io/volume-group",
  podVolumeFinalizer: "velero.io/pod-volume-finalizer",
  restoreFinalizer: "restores.velero.io/external-resources-finalizer",
} as const;

/** Asks a running backup, restore or migration of ours to stop. */
export const cancelAnnotation = "headway.dev/cancel";

/** Names the service account, of a Restore's own namespace, with whose rights the Restore is done; upstream's schema has no field for it. */
export const accountAnnotation = "headway.dev/service-account";

/** Where an agent of ours says, as `{"cause", "since"}`, why a volume's copy stands still; upstream's schema has no field for it. */
export const stallAnnotation = "headway.dev/stall";

/** On a VolumePluginRestore: the PersistentVolume that it brings back. */
export const originalVolumeAnnotation = "headway.dev/persistent-volume";

/** Where the object of a snapshot keeps what the store lists of it beside its own fields. */
export const snapshotPlaceAnnotation = "headway.dev/snapshot";
