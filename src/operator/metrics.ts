import { type Kind, type KubeObject, kinds } from "../api/index.ts";
import { intervalMs } from "../engines/backup/index.ts";
import type { Cache } from "../kube/index.ts";
import { VeleroMetrics } from "../server/index.ts";

/** What upstream counts, by the controller that watches it anyway: metrics cost no watch and need no right of their own. */
const watched: readonly { readonly kind: Kind; readonly controller?: string }[] = [
  { kind: kinds.Schedule, controller: "schedule" },
  { kind: kinds.Backup },
  { kind: kinds.Restore },
  { kind: kinds.PodVolumeBackup },
  { kind: kinds.DataUpload },
  { kind: kinds.DataDownload },
  { kind: kinds.BackupStorageLocation, controller: "location" },
  { kind: kinds.BackupRepository, controller: "backup-repo" },
  { kind: kinds.DeleteBackupRequest, controller: "backup-deletion" },
  { kind: kinds.Drill, controller: "drill" },
];

/** Metrics under upstream's names; nothing is counted yet. */
export function openVeleroMetrics(): VeleroMetrics {
  return new VeleroMetrics({ intervalMs });
}

/** Counts until the signal fires; only an operator that leads does, so that nothing is counted twice. */
export async function feed(
  metrics: VeleroMetrics,
  { cache, namespace }: { readonly cache: Cache; readonly namespace: string },
  controllers: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const chosen = watched.filter(
    ({ controller }) => controller === undefined || controllers.includes(controller),
  );
  const views = chosen.map(({ kind }) =>
    cache.view<KubeObject>(kind, {
      namespace,
      // The objects of a view have the kind it asked for.
      onChange: (_key, now, before) =>
        metrics.change(...([now, before] as Parameters<VeleroMetrics["change"]>)),
    }),
  );
  await Promise.all(views.map((view) => view.run(signal)));
}
