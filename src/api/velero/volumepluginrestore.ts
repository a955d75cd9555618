import { defineKind, type ObjectOf } from "../kind.ts";
import { obj, str } from "../schema.ts";
import { v1 } from "./group.ts";
import { pluginSpecific, volumePluginColumns, volumePluginStatus } from "./volumeplugin.ts";

/** The kind VolumePluginRestore. */
export const volumePluginRestore = defineKind({
  ...v1,
  kind: "VolumePluginRestore",
  plural: "volumepluginrestores",
  shortNames: ["vpr"],
  description: "The restore of one volume by a volume snapshotter plugin",
  fields: {
    spec: obj(
      "Which snapshot",
      {
        snapshotID: str("The snapshot, as velero describe prints it"),
        backup: str("Name of the Backup"),
        plugin: str("Name of the plugin"),
        pluginSpecific,
      },
      ["backup", "plugin", "snapshotID"],
    ),
    status: obj(
      "How the restore goes",
      { ...volumePluginStatus, volumeID: str("Name of the PersistentVolume that is filled") },
      ["phase", "volumeID"],
    ),
  },
  columns: volumePluginColumns,
});

/** The restore of one volume by a volume snapshotter plugin. */
export type VolumePluginRestore = ObjectOf<typeof volumePluginRestore>;
