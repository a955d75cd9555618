import { isCode } from "../../errors.ts";
import { addressText } from "../address.ts";
import { type OpenBackup, pathIn } from "../backup-contents.ts";
import type { BrowsePlace } from "../place.ts";
import type { StoredVolume } from "../volumes.ts";
import { type DiffFilter, passesFilter } from "./sides.ts";

/** What differs between the files of a volume in two backups. */
export interface VolumeDiff {
  readonly volume: string;
  /** `other`: the two were not stored by the same mover in the same place, so that nobody can tell. */
  readonly change: "added" | "removed" | "same" | "changed" | "other" | "denied";
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** The first of them, each with its sign: + - ~. */
  readonly files: readonly { readonly sign: "+" | "-" | "~"; readonly path: string }[];
}

/** Files that are named of one volume; the others are counted. */
const maxFiles = 1_000;
const none = { added: 0, removed: 0, changed: 0, files: [] };
const signs = { added: "+", removed: "-", changed: "~" } as const;

/** Compares the volumes of two backups, as their movers compare snapshots. Volumes that the asker may not read are said to be so. */
export async function diffVolumes(
  place: BrowsePlace,
  before: OpenBackup,
  after: OpenBackup,
  filter: DiffFilter,
  signal: AbortSignal,
): Promise<readonly VolumeDiff[]> {
  const [left, right] = [byAddress(before, filter), byAddress(after, filter)];
  const all: VolumeDiff[] = [];
  for (const volume of [...new Set([...left.keys(), ...right.keys()])].toSorted()) {
    const [a, b] = [left.get(volume), right.get(volume)];
    if (!a) all.push({ volume, change: "added", ...none });
    else if (!b) all.push({ volume, change: "removed", ...none });
    else if (a.uploader !== b.uploader || a.location !== b.location)
      all.push({ volume, change: "other", ...none });
    else if (a.snapshotId === b.snapshotId) all.push({ volume, change: "same", ...none });
    else all.push(await diffOne(place, before, [a, b], signal));
  }
  return all;
}

async function diffOne(
  place: BrowsePlace,
  { rights }: OpenBackup,
  [a, b]: readonly [StoredVolume, StoredVolume],
  signal: AbortSignal,
): Promise<VolumeDiff> {
  const volume = addressText(a.name);
  try {
    await rights.demandFiles(a.name.namespace);
  } catch (error) {
    if (!isCode(error, "BROWSE_DENIED")) throw error;
    return { volume, change: "denied", ...none };
  }
  const { mover, at } = await pathIn(place, a, "/", signal);
  const counts = { added: 0, removed: 0, changed: 0 };
  const files: { sign: "+" | "-" | "~"; path: string }[] = [];
  await mover.diff(
    {
      repository: at.repository,
      from: a.snapshotId,
      to: b.snapshotId,
      onChange({ path, change }) {
        counts[change] += 1;
        if (files.length < maxFiles) files.push({ sign: signs[change], path });
      },
    },
    signal,
  );
  const total = counts.added + counts.removed + counts.changed;
  return { volume, change: total === 0 ? "same" : "changed", ...counts, files };
}

/** Volumes have no kind: they are compared unless kinds are named. */
function byAddress({ volumes }: OpenBackup, filter: DiffFilter): ReadonlyMap<string, StoredVolume> {
  const wanted = volumes.filter(({ name }) =>
    passesFilter(filter, { group: "", resource: "persistentvolumeclaims", namespace: name.namespace }),
  );
  return new Map(wanted.map((volume) => [addressText(volume.name), volume]));
}
