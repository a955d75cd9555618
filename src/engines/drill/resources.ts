import { kinds } from "../../api/index.ts";
import { isAlreadyExists, isNotFound, type Resource, resourceOf } from "../../kube/index.ts";

/** The endpoints that drills talk to. */
export const resources = {
  drills: resourceOf(kinds.Drill),
  backups: resourceOf(kinds.Backup),
  restores: resourceOf(kinds.Restore),
  locations: resourceOf(kinds.BackupStorageLocation),
  podVolumeBackups: resourceOf(kinds.PodVolumeBackup),
  podVolumeRestores: resourceOf(kinds.PodVolumeRestore),
  dataDownloads: resourceOf(kinds.DataDownload),
  policies: of("networking.k8s.io", "networkpolicies", "NetworkPolicy"),
  quotas: of("", "resourcequotas", "ResourceQuota"),
} as const;

function of(group: string, plural: string, kind: string): Resource {
  return { group, version: "v1", plural, kind, namespaced: true };
}

/** Takes "there is no such object" for an answer. */
export function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** Takes "there is such an object already" for an answer. */
export function ignoreExisting(error: unknown): undefined {
  if (!isAlreadyExists(error)) throw error;
}
