import { ageColumn, bytesColumn, column } from "../kind.ts";
import { int, str, stringMap, timeOrNull } from "../schema.ts";
import { bytesProgress } from "./datapath.ts";

/** What the plugin wants a person to know, such as its own name for the snapshot. */
export const pluginSpecific = stringMap("What the plugin wants a person to know");

/** The part of the status that VolumePluginBackup and VolumePluginRestore share. */
export const volumePluginStatus = {
  phase: str("Where the work stands: New, InProgress, Completed or Failed, or a word of the plugin"),
  message: str("What went wrong, or a remark"),
  startTimestamp: timeOrNull("When the work began"),
  completionTimestamp: timeOrNull("When the work ended, well or not"),
  progress: bytesProgress,
  percent: int("Share that is done, 0 to 100, for kubectl; absent while unknown (Headway)", {
    minimum: 0,
    maximum: 100,
  }),
};

/** Phase, percent and bytes. */
export const volumePluginColumns = [
  column("Status", ".status.phase"),
  column("Percent", ".status.percent", "integer"),
  bytesColumn("Bytes Done", ".status.progress.bytesDone"),
  bytesColumn("Total Bytes", ".status.progress.totalBytes"),
  column("Plugin", ".spec.plugin"),
  ageColumn,
];
