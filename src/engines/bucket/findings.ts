import type { BackupFile } from "../../store/index.ts";

/** What can be wrong in a bucket, or worth knowing, by the word that scripts see. */
const weights = {
  "archive-damaged": "error",
  "archive-missing": "error",
  "archive-version": "error",
  "file-damaged": "error",
  "file-missing": "error",
  "item-damaged": "error",
  "metadata-damaged": "error",
  "metadata-missing": "error",
  "repository-damaged": "error",
  "repository-missing": "error",
  "repository-password": "error",
  "snapshot-missing": "error",
  "volume-info-differs": "error",
  unfinished: "warning",
  "repository-unused": "warning",
  "foreign-files": "warning",
  "strange-name": "warning",
  "backup-failed": "note",
  "copy-failed": "note",
  converted: "note",
  expired: "note",
  "log-missing": "note",
  "not-checked": "note",
  "repository-elsewhere": "note",
  "repository-locked": "note",
  "restic-copies": "note",
  "snapshots-elsewhere": "note",
  "snapshots-unused": "note",
} as const;

/** One word for what was found. */
export type FindingCode = keyof typeof weights;

/** `error`: something cannot be restored. `warning`: something does not belong here. `note`: good to know. */
type Weight = (typeof weights)[FindingCode];

/** One thing that was found. */
export interface Finding {
  readonly code: FindingCode;
  readonly weight: Weight;
  /** One sentence, without a full stop; names that come from the bucket are quoted and cut. */
  readonly message: string;
  /** The object that it is about. */
  readonly key?: string;
}

/** Makes a finding. */
export function finding(code: FindingCode, message: string, key?: string): Finding {
  return {
    code,
    weight: weights[code],
    message: message.slice(0, 1000),
    ...(key !== undefined && { key: key.slice(0, 1024) }),
  };
}

/** A name out of a bucket, on one line and not too long. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}…` : name);
}

/** What the files of a backup hold, for people. */
export const fileWords: Readonly<Record<BackupFile, string>> = {
  metadata: "its metadata",
  contents: "its archive",
  log: "its log",
  podVolumeBackups: "the list of its volume copies",
  volumeSnapshots: "the list of its native snapshots",
  itemOperations: "the list of its item operations",
  resourceList: "the list of its resources",
  results: "its errors and warnings",
  volumeInfo: "its volume info",
  volumePluginBackups: "the list of its volume plugins' snapshots",
  history: "its history",
  drill: "the report of its last drill",
  csiVolumeSnapshots: "the list of its CSI snapshots",
  csiVolumeSnapshotContents: "the list of its CSI snapshot contents",
  csiVolumeSnapshotClasses: "the list of its CSI snapshot classes",
};
