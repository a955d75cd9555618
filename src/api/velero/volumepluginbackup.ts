import { defineKind, type ObjectOf } from "../kind.ts";
import { obj, str } from "../schema.ts";
import { v1 } from "./group.ts";
import { pluginSpecific, volumePluginColumns, volumePluginStatus } from "./volumeplugin.ts";

/** The kind VolumePluginBackup. */
export const volumePluginBackup = defineKind({
  ...v1,
  kind: "VolumePluginBackup",
  plural: "volumepluginbackups",
  shortNames: ["vpb"],
  description: "The snapshot of one volume by a volume snapshotter plugin",
  fields: {
    spec: obj(
      "Which volume",
      {
        volume: str("Name of the PersistentVolume"),
        backup: str("Name of the Backup"),
        plugin: str("Name of the plugin"),
        pluginSpecific,
      },
      ["backup", "plugin", "volume"],
    ),
    status: obj(
      "How the snapshot goes",
      { ...volumePluginStatus, snapshotID: str("The snapshot, as velero describe prints it") },
      ["phase", "snapshotID"],
    ),
  },
  columns: volumePluginColumns,
});

/** The snapshot of one volume by a volume snapshotter plugin. */
export type VolumePluginBackup = ObjectOf<typeof volumePluginBackup>;
