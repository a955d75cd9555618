import type { PodVolumeBackup } from "../../api/index.ts";
import type { PlannedVolume } from "../../kinds/index.ts";
import type { Spool } from "./archive/spool.ts";
import type { Plan } from "./plan.ts";

/** The volumes that the pods of a plan will bring, with the sizes that the backup knows. */
export function plannedVolumes(
  { types }: Plan,
  spool: Pick<Spool, "nameOf">,
  backups: readonly PodVolumeBackup[],
): readonly PlannedVolume[] {
  const pods = types.find(({ groupResource }) => groupResource === "pods");
  const targets = new Map<string, string>();
  for (const { namespace, target, items } of pods?.groups ?? [])
    for (const ordinal of items) targets.set(`${namespace}/${spool.nameOf(ordinal)}`, target);
  return backups.flatMap(({ spec, status }) => {
    const { namespace = "", name: pod = "" } = spec?.pod ?? {};
    const target = targets.get(`${namespace}/${pod}`);
    // A copy without a snapshot is nothing that could be brought back.
    if (target === undefined || !status?.snapshotID) return [];
    const bytes = status.progress?.totalBytes;
    return [{ namespace: target, pod, volume: spec?.volume ?? "", ...(bytes && { bytes }) }];
  });
}
