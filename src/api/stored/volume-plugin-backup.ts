import { grammar } from "../conventions/grammar.ts";
import { snapshotPlaceAnnotation, veleroNames } from "../conventions/velero-names.ts";
import type { VolumePluginBackup } from "../velero/volumepluginbackup.ts";
import { StoredFields, storedItems } from "./fields.ts";
import { present } from "./pod-volume-backup.ts";

/** How long the note may be that says where a snapshot lies. */
const placeLimit = 8192;

/** Reads the stored records of a backup's snapshots, each field of its form. */
export function readStoredSnapshotRecords(
  list: readonly unknown[],
  file: string,
): readonly VolumePluginBackup[] {
  return storedItems(file, list).map((record) => {
    const status = record.object("status");
    const progress = status.object("progress");
    return {
      apiVersion: "velero.io/v1",
      kind: "VolumePluginBackup",
      metadata: metadataOf(record.object("metadata"), file),
      spec: specOf(record.object("spec")),
      status: {
        // Plugins have words of their own: those do not say that it has ended.
        phase: status.remark("phase", 63) ?? "",
        snapshotID: status.optional("snapshotID", grammar.pluginSnapshot) ?? "",
        ...present({
          message: status.remark("message", 4096),
          percent: status.count("percent"),
          startTimestamp: status.time("startTimestamp"),
          completionTimestamp: status.time("completionTimestamp"),
          progress: present({
            totalBytes: progress.count("totalBytes"),
            bytesDone: progress.count("bytesDone"),
          }),
        }),
      },
    };
  });
}

function metadataOf(metadata: StoredFields, file: string): VolumePluginBackup["metadata"] {
  const origin = metadata.object("labels").optional(veleroNames.backupUid, grammar.uid);
  const place = metadata.object("annotations").optional(snapshotPlaceAnnotation, {
    words: "where a snapshot lies",
    fits: (text) => text.length <= placeLimit,
  });
  if (place !== undefined) checkPlace(place, file);
  return {
    name: metadata.text("name", grammar.name),
    labels: { ...(origin !== undefined && { [veleroNames.backupUid]: origin }) },
    ...(place !== undefined && { annotations: { [snapshotPlaceAnnotation]: place } }),
  };
}

function specOf(spec: StoredFields): NonNullable<VolumePluginBackup["spec"]> {
  return {
    volume: spec.text("volume", grammar.name),
    backup: spec.optional("backup", grammar.name) ?? "",
    plugin: spec.optional("plugin", grammar.plugin) ?? "",
    pluginSpecific: spec.map("pluginSpecific", grammar.line, undefined),
  };
}

/** What the deletion of a backup goes by. */
function checkPlace(text: string, file: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined; // told in the next line
  }
  const place = new StoredFields(file, `metadata.annotations["${snapshotPlaceAnnotation}"]`, value);
  place.optional("location", grammar.name);
  place.optional("volumeID", grammar.pluginSnapshot);
  place.optional("volumeType", grammar.line);
  place.optional("volumeAZ", grammar.line);
  place.count("volumeIOPS");
}
