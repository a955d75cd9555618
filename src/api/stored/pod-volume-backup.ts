import { grammar } from "../conventions/grammar.ts";
import { veleroNames } from "../conventions/velero-names.ts";
import { dataPathPhases } from "../velero/datapath.ts";
import { type PodVolumeBackup, uploaders } from "../velero/podvolumebackup.ts";
import { type StoredFields, storedItems } from "./fields.ts";

/** Reads the stored copies of a backup's volumes: what a restore and a deletion need of them, each field of its form. */
export function readStoredPodVolumeBackups(
  list: readonly unknown[],
  file: string,
): readonly PodVolumeBackup[] {
  return storedItems(file, list).map((copy) => ({
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: metadataOf(copy.object("metadata")),
    spec: specOf(copy.object("spec")),
    status: statusOf(copy.object("status"), copy.object("spec").oneOf("uploaderType", uploaders)),
  }));
}

/** The phases in which nothing more will come. */
export function isEndedCopy({ status }: Pick<PodVolumeBackup, "status">): boolean {
  return status?.phase === "Completed" || status?.phase === "Failed" || status?.phase === "Canceled";
}

/** Who owns a copy is for the cluster to say that it comes to; its claim is for whoever copies the volume again. */
function metadataOf(metadata: StoredFields): PodVolumeBackup["metadata"] {
  const claimUid = metadata.object("labels").optional(veleroNames.pvcUid, grammar.uid);
  const claim = metadata.object("annotations").optional(veleroNames.pvcName, grammar.name);
  return {
    name: metadata.text("name", grammar.name),
    labels: { ...(claimUid !== undefined && { [veleroNames.pvcUid]: claimUid }) },
    ...(claim !== undefined && { annotations: { [veleroNames.pvcName]: claim } }),
  };
}

/** Without the node and the wish to cancel: nobody is to work on it. */
function specOf(spec: StoredFields): NonNullable<PodVolumeBackup["spec"]> {
  const pod = spec.object("pod");
  const uid = pod.optional("uid", grammar.uid);
  const uploader = spec.oneOf("uploaderType", uploaders);
  return {
    node: "",
    pod: {
      kind: "Pod",
      namespace: pod.text("namespace", grammar.namespace),
      name: pod.text("name", grammar.name),
      ...(uid !== undefined && { uid }),
    },
    volume: spec.text("volume", grammar.volume),
    backupStorageLocation: spec.optional("backupStorageLocation", grammar.name) ?? "",
    repoIdentifier: spec.optional("repoIdentifier", grammar.line) ?? "",
    ...(uploader !== undefined && { uploaderType: uploader }),
    tags: spec.map("tags", grammar.labelKey, grammar.line),
  };
}

function statusOf(
  status: StoredFields,
  uploader: (typeof uploaders)[number] | undefined,
): NonNullable<PodVolumeBackup["status"]> {
  const progress = status.object("progress");
  const id = uploader === "kopia" ? grammar.kopiaSnapshot : grammar.resticSnapshot;
  return present({
    phase: status.oneOf("phase", dataPathPhases),
    path: status.optional("path", grammar.line),
    snapshotID: status.optional("snapshotID", id),
    message: status.remark("message", 4096),
    startTimestamp: status.time("startTimestamp"),
    completionTimestamp: status.time("completionTimestamp"),
    incrementalBytes: status.count("incrementalBytes"),
    progress: present({ totalBytes: progress.count("totalBytes"), bytesDone: progress.count("bytesDone") }),
  });
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that are undefined. */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>; // the rest stays as it is
}
