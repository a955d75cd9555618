import { kinds } from "../../api/index.ts";
import { builtIn, resourceOf } from "../../kube/index.ts";

/** The resources that this room reads and writes. */
export const resources = {
  pluginBackups: resourceOf(kinds.VolumePluginBackup),
  pluginRestores: resourceOf(kinds.VolumePluginRestore),
  snapshotLocations: resourceOf(kinds.VolumeSnapshotLocation),
  secrets: builtIn.secrets,
} as const;
