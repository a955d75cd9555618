import { type VolumePluginBackup, type VolumePluginRestore, veleroNames } from "../../api/index.ts";

/** Phases that a plugin may write; everything else is taken for "still at work", and said. */
const phases = ["", "New", "InProgress", "Completed", "Failed", "Canceled"];

/** What an object that a plugin made is checked against. */
export interface Wanted {
  readonly backup: string;
  readonly backupUid: string;
  readonly volume: string;
  readonly snapshotID: string;
}

/** Whether a plugin's object can stand for a snapshot: why not, or what is odd about it. */
export type Adoption = { readonly fault: string } | { readonly remarks: readonly string[] };

/** Looks at an object that a plugin made for a snapshot of ours. */
export function adoption(object: VolumePluginBackup, wanted: Wanted): Adoption {
  const { metadata, spec, status } = object;
  const title = `VolumePluginBackup "${metadata.name}"`;
  if (spec?.backup !== wanted.backup)
    return { fault: `${title} belongs to backup ${quoted(spec?.backup)}, not to this one` };
  if (spec.volume !== wanted.volume)
    return { fault: `${title} is of volume ${quoted(spec.volume)}, not of "${wanted.volume}"` };
  const owner = metadata.labels?.[veleroNames.backupUid];
  if (owner !== undefined && owner !== wanted.backupUid)
    return { fault: `${title} belongs to an earlier backup of this name` };
  const remarks: string[] = [];
  if (!status?.snapshotID) remarks.push(`${title} does not say its snapshot id`);
  else if (status.snapshotID !== wanted.snapshotID)
    remarks.push(
      `${title} says snapshot ${quoted(status.snapshotID)}, the plugin returned "${wanted.snapshotID}"`,
    );
  const odd = oddPhase(object);
  return { remarks: odd === undefined ? remarks : [...remarks, odd] };
}

/** Why the phase of an object says nothing; undefined when it is one of the set. */
export function oddPhase({
  kind,
  metadata,
  status,
}: VolumePluginBackup | VolumePluginRestore): string | undefined {
  const phase = status?.phase ?? "";
  if (phases.includes(phase)) return undefined;
  return `${kind} "${metadata.name}" says phase ${quoted(phase)}, which is none of ${phases.slice(1).join(", ")}; it is waited for as if it went on`;
}

function quoted(text: string | undefined): string {
  return JSON.stringify((text ?? "").slice(0, 100));
}
