import { kinds } from "../../api/index.ts";
import { resourceOf } from "../../kube/index.ts";

/** The resources that this room reads and writes. */
export const resources = {
  pluginBackups: resourceOf(kinds.VolumePluginBackup),
  pluginRestores: resourceOf(kinds.VolumePluginRestore),
  snapshotLocations: resourceOf(kinds.VolumeSnapshotLocation),
  secrets: { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true },
} as const;
