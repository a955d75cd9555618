import { passes, veleroNames } from "../../api/index.ts";
import type { PlannedVolume } from "../../kinds/index.ts";
import { type Filters, listsType, typeName } from "./filters.ts";
import { ofList } from "./item-choice.ts";
import { type ListJob, readItem, type Source } from "./source.ts";
import type { PodItem, PodVolumes } from "./volumes.ts";

/** At most so many volumes are planned: each is a part of the operation, which is told many times. The others join at their turn. */
const limit = 200;

/**
 * The volumes that the pods of a backup will bring, known before the first of them is copied. One more list of pods; what the
 * cluster refuses here is told when the pods are stored.
 */
export async function planVolumes(
  {
    source,
    filters,
    volumes,
  }: { readonly source: Source; readonly filters: Filters; readonly volumes: PodVolumes },
  jobs: readonly ListJob[],
  signal: AbortSignal,
): Promise<PlannedVolume[]> {
  const planned: PlannedVolume[] = [];
  for (const job of jobs) {
    const { type, namespace, labelSelector } = job;
    if (typeName(type) !== "pods" || !listsType(filters, type)) continue;
    try {
      for await (const page of source.rawPages(type, { namespace, labelSelector }, signal)) {
        for (const raw of ofList(filters, job, page.items))
          planned.push(...ofPod(readItem(raw) as unknown as PodItem, filters, volumes)); // the API server checked its shape
        if (planned.length >= limit) return planned.slice(0, limit);
      }
    } catch {
      signal.throwIfAborted();
    }
  }
  return planned;
}

function ofPod(pod: PodItem, { namespaces }: Filters, volumes: PodVolumes): readonly PlannedVolume[] {
  const { namespace = "", name } = pod.metadata;
  if (!passes(namespaces, namespace)) return [];
  if (pod.metadata.labels?.[veleroNames.excludeFromBackup] === "true") return [];
  return volumes.plan(pod).map(({ volume, bytes }) => ({
    namespace,
    pod: name,
    volume,
    ...(bytes !== undefined && { bytes, estimated: true as const }),
  }));
}
