import { kinds } from "../../api/index.ts";
import { type Resource, resourceOf } from "../../kube/index.ts";

const core = { group: "", version: "v1", namespaced: true };

/** The endpoints that this room talks to. */
export const resources = {
  backups: resourceOf(kinds.Backup),
  restores: resourceOf(kinds.Restore),
  podVolumeBackups: resourceOf(kinds.PodVolumeBackup),
  podVolumeRestores: resourceOf(kinds.PodVolumeRestore),
  repositories: resourceOf(kinds.BackupRepository),
  locations: resourceOf(kinds.BackupStorageLocation),
  pods: { ...core, plural: "pods", kind: "Pod" },
  claims: { ...core, plural: "persistentvolumeclaims", kind: "PersistentVolumeClaim" },
  volumes: { ...core, plural: "persistentvolumes", kind: "PersistentVolume", namespaced: false },
  secrets: { ...core, plural: "secrets", kind: "Secret" },
  configMaps: { ...core, plural: "configmaps", kind: "ConfigMap" },
  leases: { group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease", namespaced: true },
} as const satisfies Record<string, Resource>;
