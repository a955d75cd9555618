import type { PodVolumeBackup } from "../../api/index.ts";
import { veleroNames } from "../../api/index.ts";
import { moverKind, unnamedMover } from "../../movers/index.ts";
import type { BackupFacts } from "./facts.ts";
import { type Finding, finding, quoted } from "./findings.ts";
import type { VolumeInfoFacts } from "./volume-infos.ts";

/** A snapshot of a repository that a backup needs. */
export interface SnapshotUse {
  /** `kopia/NAMESPACE` or `restic/NAMESPACE`. */
  readonly repository: string;
  readonly snapshotId: string;
  /** The volume, for people. */
  readonly volume: string;
}

/** What is known of the repositories of a bucket. */
export interface KnownRepositories {
  isThere(repository: string): boolean;
  /** Undefined where the repository was not or could not be opened. */
  hasSnapshot(repository: string, snapshotId: string): boolean | undefined;
}

/** What a backup's volumes need, and what is wrong with that. */
export interface JudgedVolumes {
  readonly uses: readonly SnapshotUse[];
  /** Repositories that it needs, with or without a snapshot that is named. */
  readonly repositories: readonly string[];
  readonly hasKopia: boolean;
  readonly hasRestic: boolean;
  readonly hasMoved: boolean;
  readonly findings: readonly Finding[];
}

/** Findings of one kind that a backup tells at most; the rest is a number. */
const toldAtMost = 5;

/** The snapshots that a backup needs. */
export function usesOf(facts: BackupFacts): readonly SnapshotUse[] {
  const copies = facts.copies.is === "read" ? facts.copies.value : [];
  const infos = facts.infos.is === "read" ? facts.infos.value : [];
  const here = copies.filter((copy) => copy.status?.snapshotID !== undefined && !isElsewhere(copy));
  return [...here.map(useOf), ...movedOf(facts, infos).uses];
}

/** Judges the volumes of a backup. */
export function judgeVolumes(facts: BackupFacts, known: KnownRepositories): JudgedVolumes {
  const copies = facts.copies.is === "read" ? facts.copies.value : [];
  const infos = facts.infos.is === "read" ? facts.infos.value : [];
  const copied = copies.filter(({ status }) => status?.snapshotID !== undefined);
  const moved = movedOf(facts, infos);
  const uses = usesOf(facts);
  const repositories = [...new Set([...uses.map(({ repository }) => repository), ...moved.repositories])];
  return {
    uses,
    repositories,
    hasKopia: copies.some((copy) => uploader(copy) === "kopia"),
    hasRestic: copies.some((copy) => uploader(copy) === "restic"),
    hasMoved: moved.repositories.length > 0,
    findings: [
      ...missing(uses, repositories, known),
      ...few(copied.filter(isElsewhere), "repository-elsewhere", (copy) => {
        const where = quoted(copy.spec?.repoIdentifier ?? "");
        return `the copy of ${volumeWords(copy)} lies in the repository ${where}, which is not in this bucket`;
      }),
      ...few(copies.filter(isFailed), "copy-failed", (copy) => {
        const why = copy.status?.message ?? copy.status?.phase ?? "it did not end";
        return `the copy of ${volumeWords(copy)} failed when the backup was made: ${quoted(why)}`;
      }),
      ...(facts.infos.is === "read" && facts.copies.is === "read" ? differences(copies, infos) : []),
    ],
  };
}

/** The program that made a copy. */
export function uploader({ spec }: PodVolumeBackup): "kopia" | "restic" {
  return moverKind(spec?.uploaderType) ?? unnamedMover;
}

/** The volume of a copy, for people. */
function volumeWords({ spec }: PodVolumeBackup): string {
  return `${spec?.pod.namespace}/${spec?.pod.name}/${spec?.volume}`;
}

function useOf(copy: PodVolumeBackup): SnapshotUse {
  return {
    repository: `${uploader(copy)}/${copy.spec?.pod.namespace}`,
    snapshotId: copy.status?.snapshotID ?? "",
    volume: volumeWords(copy),
  };
}

/** Releases that could write with restic also took a prefix elsewhere; the address then does not end as those in a bucket do. */
function isElsewhere(copy: PodVolumeBackup): boolean {
  const address = copy.spec?.repoIdentifier ?? "";
  return (
    uploader(copy) === "restic" && address !== "" && !address.endsWith(`/restic/${copy.spec?.pod.namespace}`)
  );
}

function isFailed({ status }: PodVolumeBackup): boolean {
  return status?.phase !== "Completed";
}

/** Moved data is in the volume info (1.13 and later) and, as DataUploads, in the archive. */
function movedOf(
  { archive }: BackupFacts,
  infos: readonly VolumeInfoFacts[],
): { readonly uses: readonly SnapshotUse[]; readonly repositories: readonly string[] } {
  const byInfo = infos.flatMap(({ moved, claimNamespace }) => {
    const isOurs = moved !== undefined && [undefined, "velero"].includes(moved.mover);
    return isOurs && claimNamespace !== undefined
      ? [{ namespace: claimNamespace, snapshotId: moved.snapshotId }]
      : [];
  });
  const byArchive = archive.is === "read" ? archive.value.moved : [];
  const all = [...byInfo, ...byArchive];
  const uses = new Map<string, SnapshotUse>();
  for (const { namespace, snapshotId } of all) {
    if (snapshotId === undefined || !/^[0-9a-f]{32}$/.test(snapshotId)) continue;
    const volume = `a claim of namespace ${namespace}`;
    uses.set(snapshotId, { repository: `kopia/${namespace}`, snapshotId, volume });
  }
  return {
    uses: [...uses.values()],
    repositories: [...new Set(all.map(({ namespace }) => `kopia/${namespace}`))],
  };
}

function missing(
  uses: readonly SnapshotUse[],
  repositories: readonly string[],
  known: KnownRepositories,
): Finding[] {
  const gone = repositories.filter((repository) => !known.isThere(repository));
  const lost = uses.filter(
    ({ repository, snapshotId }) => known.hasSnapshot(repository, snapshotId) === false,
  );
  return [
    ...gone.map((repository) =>
      finding("repository-missing", `its volumes are in the repository ${repository}, which is not there`),
    ),
    ...few(
      lost.filter(({ repository }) => !gone.includes(repository)),
      "snapshot-missing",
      ({ repository, snapshotId, volume }) =>
        `the repository ${repository} does not have the snapshot ${snapshotId} of ${volume}`,
    ),
  ];
}

/** A restore of upstream decides by the volume info what becomes of a volume: it has to say what the copies say. */
function differences(copies: readonly PodVolumeBackup[], infos: readonly VolumeInfoFacts[]): Finding[] {
  const named = infos.flatMap(({ copy, isSkipped }) => (copy && !isSkipped ? [copy] : []));
  const byVolume = new Map(copies.map((copy) => [volumeWords(copy), copy]));
  const told = new Map(named.map((one) => [`${one.namespace}/${one.pod}/${one.volume}`, one]));
  const wrong = [...told].flatMap(([volume, one]) => {
    const copy = byVolume.get(volume);
    if (!copy)
      return [`its volume info names a copy of ${quoted(volume)}, which the list of copies does not`];
    const [said, stored] = [one.snapshotId ?? "", copy.status?.snapshotID ?? ""];
    if (said !== stored)
      return [
        `its volume info says snapshot ${quoted(said)} of ${volume}, the list of copies ${quoted(stored)}`,
      ];
    const by = one.uploader ?? "";
    return by !== "" && by !== uploader(copy)
      ? [`its volume info says that ${quoted(by)} copied ${volume}, the list of copies ${uploader(copy)}`]
      : [];
  });
  const silent = copies.filter(
    (copy) =>
      copy.metadata.annotations?.[veleroNames.pvcName] !== undefined &&
      copy.status?.snapshotID !== undefined &&
      !told.has(volumeWords(copy)),
  );
  return [
    ...few(wrong, "volume-info-differs", (words) => words),
    ...few(
      silent,
      "volume-info-differs",
      (copy) => `its volume info does not name the copy of ${volumeWords(copy)}`,
    ),
  ];
}

function few<T>(
  all: readonly T[],
  code: Parameters<typeof finding>[0],
  words: (one: T) => string,
): Finding[] {
  const told = all.slice(0, toldAtMost).map((one) => finding(code, words(one)));
  const more = all.length - told.length;
  return more > 0 ? [...told, finding(code, `and ${more} more of the same`)] : told;
}
