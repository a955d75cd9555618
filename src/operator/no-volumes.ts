import { veleroNames } from "../api/index.ts";
import type { OpenPodVolumes, PodItem } from "../engines/backup/index.ts";

/** Stands in where nothing copies pod volumes: takes none, and says so for each pod that asks. */
export const noPodVolumes: OpenPodVolumes = async ({ backup }) => ({
  start: async (pod, found) => {
    const asked = asksFor(pod, backup.spec?.defaultVolumesToFsBackup === true);
    if (asked !== undefined) {
      const { name, namespace } = pod.metadata;
      found.warnings.add(
        { resource: "pods", namespace, name },
        `its volumes are not copied (${asked}): no controller for pod volumes runs`,
      );
    }
    return [];
  },
  settled: async () => undefined,
  finish: async () => undefined,
  list: () => [],
  progress: () => [],
  cancel: async () => undefined,
});

function asksFor(pod: PodItem, all: boolean): string | undefined {
  const named = pod.metadata.annotations?.[veleroNames.backupVolumes];
  if (named) return named;
  const claims = (pod.spec?.volumes ?? []).filter(
    (volume) => "persistentVolumeClaim" in volume || "emptyDir" in volume,
  );
  return all && claims.length > 0 ? claims.map(({ name }) => name).join(", ") : undefined;
}
