import type { KubeObject } from "../api/index.ts";
import type { PodObject } from "../engines/podvolume/index.ts";

/** Only what decides about copies; a node has hundreds of pods at most. One that has ended or is deleted is "Ending". */
export function podFacts({ metadata, spec, status }: KubeObject & PodObject): PodObject {
  const { name, namespace, uid, deletionTimestamp } = metadata;
  const hasEnded = deletionTimestamp !== undefined || ["Failed", "Succeeded"].includes(status?.phase ?? "");
  return {
    metadata: { name, namespace, uid },
    spec: {
      ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }),
      initContainers: (spec?.initContainers ?? []).slice(0, 1).map((container) => ({ name: container.name })),
    },
    status: {
      initContainerStatuses: (status?.initContainerStatuses ?? []).slice(0, 1),
      ...(hasEnded && { phase: "Ending" }),
    },
  };
}
