import {
  type BackupReport,
  type CheckSummary,
  type Finding,
  type Removal,
  type RepositoryReport,
  restorableWords,
} from "../../engines/bucket/index.ts";
import { formatBytes } from "../../progress/index.ts";
import { clean, fit } from "../render/text.ts";

/** One backup: what it is, how large, who can restore it, and below what was found. */
export function backupLines({ name, state, bytes, volumes, restorable, findings }: BackupReport): string[] {
  const size = formatBytes(bytes).padStart(9);
  const copied = volumes === 0 ? "" : `, ${volumes} volume${volumes === 1 ? "" : "s"}`;
  const by = `restorable by ${restorableWords(restorable)}`;
  return [`${fit(state, 10)} ${clean(name)}  ${size.trim()}${copied}; ${by}`, ...findings.map(findingLine)];
}

/** One repository, and below what was found. */
export function repositoryLines({ name, bytes, snapshots, backups, findings }: RepositoryReport): string[] {
  const held = snapshots === undefined ? "not opened" : `${snapshots} snapshot${snapshots === 1 ? "" : "s"}`;
  const used = `needed by ${backups} backup${backups === 1 ? "" : "s"}`;
  return [`repository ${clean(name)}  ${formatBytes(bytes)}, ${held}; ${used}`, ...findings.map(findingLine)];
}

/** One finding, below what it is about. */
export function findingLine({ weight, code, message }: Finding): string {
  return `  ${fit(weight, 7)} ${code}: ${clean(message)}`;
}

/** The last lines of a check. */
export function summaryLines({ states, ...rest }: CheckSummary): string[] {
  const all = states.whole + states.damaged + states.lost + states.unfinished;
  const parts = (["whole", "damaged", "lost", "unfinished"] as const)
    .filter((state) => states[state] > 0)
    .map((state) => `${states[state]} ${state}`);
  return [
    `${all} backup${all === 1 ? "" : "s"}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}; ${rest.errors} errors, ${rest.warnings} warnings`,
    `backups ${formatBytes(rest.backupBytes)}, repositories ${formatBytes(rest.repositoryBytes)}, ${rest.restores} restores ${formatBytes(rest.restoreBytes)}`,
  ];
}

/** What a repair would remove. */
export function removalLines(removals: readonly Removal[]): string[] {
  const bytes = removals.reduce((sum, one) => sum + one.bytes, 0);
  return [
    ...removals.map(
      ({ what, prefix, objects, bytes: size, reason }) =>
        `remove ${clean(prefix)} (${what}, ${objects} files, ${formatBytes(size)}): ${reason}`,
    ),
    `${removals.length} folders, ${formatBytes(bytes)}`,
  ];
}
