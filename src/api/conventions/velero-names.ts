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
  dataMovementFinalizer: "velero.io/data-upload-download-finalizer",
  exposeOngoing: "velero.io/expose-on-going",
  asyncOperationId: "velero.io/async-operation-id",
  restoreFinalizer: "restores.velero.io/external-resources-finalizer",
} as const;

/** Asks a running backup, restore or migration of ours to stop. */
export const cancelAnnotation = "headway.dev/cancel";

/** Names the service account, of a Restore's own namespace, with whose rights the Restore is done; upstream's schema has no field for it. */
export const accountAnnotation = "headway.dev/service-account";

/** Where an agent of ours says, as `{"cause", "since"}`, why a volume's copy stands still; upstream's schema has no field for it. */
export const stallAnnotation = "headway.dev/stall";
/** Where an agent of ours says, as `{"step", "since", "message"}`, what a volume's copy is at beside its numbers. */
export const stepAnnotation = "headway.dev/step";
/** Where processes of ours note, as `{"copy": {"since", "until"}, ...}`, when each step of a movement of data began and ended. */
export const stepsAnnotation = "headway.dev/steps";
/** When a copy was last seen at work whose numbers stand still, in epoch ms. */
export const busyAnnotation = "headway.dev/busy";
/** On a volume's copy: how many bytes its mover's process has moved, which upstream's status has no field for. */
export const carriedAnnotation = "headway.dev/carried-bytes";

/** How many bytes the copy of a volume is expected to have, from an earlier copy of it: a guess until its turn comes. */
export const expectedBytesAnnotation = "headway.dev/expected-bytes";

/** On a VolumePluginRestore: the PersistentVolume that it brings back. */
export const originalVolumeAnnotation = "headway.dev/persistent-volume";

/** On a VolumePluginRestore that Headway writes: the id that the plugin gave the new volume, which is no PersistentVolume's name. */
export const pluginVolumeAnnotation = "headway.dev/plugin-volume";

/** Where the object of a snapshot keeps what the store lists of it beside its own fields. */
export const snapshotPlaceAnnotation = "headway.dev/snapshot";

/** On a DataDownload of ours: the volume that holds the data and is to be given to its claim, as JSON. */
export const rebindAnnotation = "headway.dev/rebind";

/** On the VolumeSnapshot that exposes a snapshot: the content that it took the place of. */
export const sourceContentAnnotation = "headway.dev/source-content";
