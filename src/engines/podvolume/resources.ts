import { kinds } from "../../api/index.ts";
import { builtIn, type Resource, resourceOf } from "../../kube/index.ts";

/** The endpoints that this room talks to. */
export const resources = {
  backups: resourceOf(kinds.Backup),
  restores: resourceOf(kinds.Restore),
  podVolumeBackups: resourceOf(kinds.PodVolumeBackup),
  podVolumeRestores: resourceOf(kinds.PodVolumeRestore),
  repositories: resourceOf(kinds.BackupRepository),
  locations: resourceOf(kinds.BackupStorageLocation),
  pods: builtIn.pods,
  claims: builtIn.claims,
  volumes: builtIn.volumes,
  secrets: builtIn.secrets,
  configMaps: builtIn.configMaps,
  leases: builtIn.leases,
} as const satisfies Record<string, Resource>;
