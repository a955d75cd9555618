import { parseTimeMs } from "../../api/index.ts";
import { type BackupFile, backupKey } from "../../store/index.ts";
import type { BackupFacts, Read } from "./facts.ts";
import { type Finding, fileWords, finding, quoted } from "./findings.ts";
import { type Restorable, restorableBy } from "./restorable.ts";
import { type JudgedVolumes, judgeVolumes, type KnownRepositories, type SnapshotUse } from "./volumes.ts";

/** `whole`: all of it can be restored. `damaged`: a part cannot. `lost`: nothing can. `unfinished`: it never became a backup, or still runs. */
export type BackupState = "whole" | "damaged" | "lost" | "unfinished";

/** What a check says about a backup. */
export interface BackupReport {
  readonly name: string;
  readonly state: BackupState;
  readonly phase?: string;
  readonly startedAt?: string;
  readonly expiresAt?: string;
  /** Of its own files; what its volumes take is in the repositories. */
  readonly bytes: number;
  readonly items?: number;
  readonly volumes: number;
  readonly restorable: Restorable;
  readonly findings: readonly Finding[];
  /** What it needs of the repositories. */
  readonly uses: readonly SnapshotUse[];
  readonly repositories: readonly string[];
  /** Whether all that it needs is known: only then may something be called unused. */
  readonly isRead: boolean;
}

const endedPhases: readonly string[] = [
  "Completed",
  "PartiallyFailed",
  "Failed",
  "FailedValidation",
  "Deleting",
];

/** Says of one backup whether it is whole, what is wrong, and who can restore it. */
export function judge(facts: BackupFacts, known: KnownRepositories, nowMs: number): BackupReport {
  const { folder, files, metadata } = facts;
  const backup = metadata.is === "read" ? metadata.value : undefined;
  const volumes = judgeVolumes(facts, known);
  const essential = essentials(facts);
  const isFailed =
    backup !== undefined && facts.archive.is === "absent" && failedPhases.includes(backup.phase);
  const isRunning = backup !== undefined && !endedPhases.includes(backup.phase);
  const isHalf = metadata.is === "absent" && !files.known.has("contents");
  const state = stateOf(
    [...essential, ...rest(facts, volumes)],
    isHalf || isFailed || (isRunning && essential.length > 0),
  );
  const findings = [
    ...(isHalf ? [half(facts)] : isFailed ? [failed] : essential),
    ...(isRunning
      ? [finding("unfinished", `its phase is ${backup.phase}: it still runs, or never ended`)]
      : []),
    ...(isHalf ? [] : rest(facts, volumes)),
    ...notes(facts, volumes, nowMs),
  ];
  const startedAt = backup?.status.startTimestamp ?? undefined;
  return {
    name: folder.name,
    state: isRunning && state === "whole" ? "unfinished" : state,
    ...(backup && { phase: backup.phase }),
    ...(typeof startedAt === "string" && { startedAt }),
    ...(backup?.expiration !== undefined && { expiresAt: backup.expiration }),
    bytes: folder.bytes,
    ...(facts.archive.is === "read" && { items: facts.archive.value.items }),
    volumes: facts.copies.is === "read" ? facts.copies.value.length : 0,
    restorable: restorableBy({ ...volumes, isLost: state === "lost" || state === "unfinished" }),
    findings,
    uses: volumes.uses,
    repositories: volumes.repositories,
    isRead: isRead(facts),
  };
}

/** Releases store the metadata and the log of a backup that failed, and no archive. */
const failedPhases: readonly string[] = ["Failed", "FailedValidation"];
const failed = finding("backup-failed", "it failed when it was made: there is nothing to restore");

/** Without its metadata nobody sees a backup, without its archive there is nothing to restore. */
function essentials({ folder: { name }, metadata, archive }: BackupFacts): Finding[] {
  const found: Finding[] = [];
  const [metadataKey, archiveKey] = [backupKey(name, "metadata"), backupKey(name, "contents")];
  if (metadata.is === "absent") {
    const what =
      archive.is === "read"
        ? "its metadata is missing, so no server sees it; its archive is whole"
        : "its metadata is missing, so no server sees it";
    found.push(finding("metadata-missing", what, metadataKey));
  }
  if (metadata.is === "damaged") found.push(finding("metadata-damaged", metadata.why, metadataKey));
  if (archive.is === "absent") found.push(finding("archive-missing", "its archive is missing", archiveKey));
  if (archive.is === "damaged") found.push(finding("archive-damaged", archive.why, archiveKey));
  if (archive.is === "version") found.push(finding("archive-version", archive.why, archiveKey));
  return found;
}

function half({ folder, files }: BackupFacts): Finding {
  const there = [...files.known.keys()].map((file) => fileWords[file]).join(", ");
  const what = there === "" ? "nothing of a backup" : `only ${there}`;
  return finding("unfinished", `its upload never ended: there is ${what}`, `backups/${folder.name}/`);
}

function rest(facts: BackupFacts, volumes: JudgedVolumes): Finding[] {
  const { folder, archive, damaged } = facts;
  const lists: readonly (readonly [BackupFile, Read<unknown>])[] = [
    ["podVolumeBackups", facts.copies],
    ["volumeInfo", facts.infos],
    ["itemOperations", facts.operations],
    ["volumeSnapshots", facts.native],
  ];
  return [
    ...lists.flatMap(([file, read]) =>
      read.is === "damaged" ? [finding("file-damaged", read.why, backupKey(folder.name, file))] : [],
    ),
    ...damaged.map(([file, why]) => finding("file-damaged", why, backupKey(folder.name, file))),
    ...missingFiles(facts),
    ...(archive.is === "read" && archive.value.badItems > 0
      ? [
          finding(
            "item-damaged",
            `${archive.value.badItems} items of its archive cannot be restored, the first: ${archive.value.firstFault}`,
            backupKey(folder.name, "contents"),
          ),
        ]
      : []),
    ...volumes.findings.filter(({ weight }) => weight !== "note"),
  ];
}

/** Not every release wrote every file; what others of the same backup say must be there. */
function missingFiles(facts: BackupFacts): Finding[] {
  const { files, metadata, infos, native } = facts;
  if (metadata.is !== "read") return [];
  const { status, phase } = metadata.value;
  if (phase === "Failed" || phase === "FailedValidation") return [];
  const count = (value: unknown) => (typeof value === "number" ? value : 0);
  const copied =
    infos.is === "read" ? infos.value.filter(({ copy, isSkipped }) => copy && !isSkipped).length : 0;
  const csi = (["csiVolumeSnapshots", "csiVolumeSnapshotContents"] as const).filter((file) =>
    files.known.has(file),
  );
  const reasons: readonly (readonly [BackupFile, string | undefined])[] = [
    [
      "podVolumeBackups",
      copied > 0
        ? `its volume info names ${copied} of them`
        : files.known.has("resourceList") || files.known.has("volumeSnapshots")
          ? "it is stored together with others that are there"
          : undefined,
    ],
    ["volumeSnapshots", reason(count(status.volumeSnapshotsCompleted), "native snapshots")],
    ["itemOperations", reason(count(status.backupItemOperationsAttempted), "operations")],
    ["csiVolumeSnapshots", csi.length === 1 ? `${fileWords[csi[0] ?? "log"]} is there` : undefined],
    ["csiVolumeSnapshotContents", csi.length === 1 ? `${fileWords[csi[0] ?? "log"]} is there` : undefined],
  ];
  const few =
    native.is === "read" && native.value < count(status.volumeSnapshotsCompleted)
      ? [
          finding(
            "file-missing",
            `its metadata counts ${count(status.volumeSnapshotsCompleted)} native snapshots, their list has ${native.value}`,
            backupKey(facts.folder.name, "volumeSnapshots"),
          ),
        ]
      : [];
  return [
    ...reasons.flatMap(([file, why]) =>
      why === undefined || files.known.has(file)
        ? []
        : [
            finding(
              "file-missing",
              `${fileWords[file]} is missing: ${why}`,
              backupKey(facts.folder.name, file),
            ),
          ],
    ),
    ...few,
  ];
}

function reason(count: number, what: string): string | undefined {
  return count > 0 ? `its metadata counts ${count} ${what}` : undefined;
}

function notes(facts: BackupFacts, volumes: JudgedVolumes, nowMs: number): Finding[] {
  const { files, metadata, folder, native, archive } = facts;
  const backup = metadata.is === "read" ? metadata.value : undefined;
  const expiresMs = backup?.expiration === undefined ? undefined : parseTimeMs(backup.expiration);
  const listed = native.is === "read" ? native.value : 0;
  const csi = Number(backup?.status.csiVolumeSnapshotsCompleted ?? 0);
  return [
    ...volumes.findings.filter(({ weight }) => weight === "note"),
    ...(volumes.hasRestic
      ? [
          finding(
            "restic-copies",
            "Velero 1.19 and later will refuse it: its volumes were copied with restic",
          ),
        ]
      : []),
    ...(files.hasAside
      ? [finding("converted", "its volumes were copied with restic and converted, or are being converted")]
      : []),
    ...(listed + csi > 0
      ? [
          finding(
            "snapshots-elsewhere",
            `${listed + csi} of its volumes are snapshots that no bucket holds: not checked`,
          ),
        ]
      : []),
    ...(expiresMs !== undefined && expiresMs < nowMs
      ? [finding("expired", `it expired at ${backup?.expiration} and is still there`)]
      : []),
    ...(backup && !files.known.has("log")
      ? [finding("log-missing", "its log is missing", backupKey(folder.name, "log"))]
      : []),
    ...(archive.is === "unread" ? [finding("not-checked", "its archive was not read")] : []),
    ...(files.strange > 0
      ? [
          finding(
            "foreign-files",
            `${files.strange} files in its folder are none of a backup's, the first: ${quoted(files.firstStrange ?? "")}`,
            files.firstStrange,
          ),
        ]
      : []),
  ];
}

function stateOf(findings: readonly Finding[], isUnfinished: boolean): BackupState {
  if (isUnfinished) return "unfinished";
  const lost = [
    "archive-missing",
    "archive-damaged",
    "archive-version",
    "metadata-missing",
    "metadata-damaged",
  ];
  if (findings.some(({ code }) => lost.includes(code))) return "lost";
  return findings.some(({ weight }) => weight === "error") ? "damaged" : "whole";
}

/** A folder without metadata and archive needs nothing; of all others every list must have been read. */
function isRead({ metadata, copies, infos, archive, files }: BackupFacts): boolean {
  if (metadata.is === "absent" && !files.known.has("contents"))
    return copies.is !== "damaged" && infos.is !== "damaged";
  const lists = [copies, infos].every(({ is }) => is !== "damaged");
  return (
    lists &&
    metadata.is === "read" &&
    archive.is === "read" &&
    archive.value.movedComplete &&
    copies.is === "read"
  );
}
