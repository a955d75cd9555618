import type { Pod } from "./shapes.ts";

/** Why a pod will not come up by itself; undefined when it is well or may still become so. */
export function whyUnwell({ status, metadata }: Pod): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  if (status?.phase === "Failed") return "Failed";
  const waits = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const stuck = waits.find(({ state }) =>
    /^(ImagePullBackOff|ErrImagePull|CrashLoopBackOff|InvalidImageName)$/.test(state?.waiting?.reason ?? ""),
  );
  if (stuck) return stuck.state?.waiting?.reason;
  const unscheduled = status?.conditions?.find(
    ({ type, status: is, reason }) => type === "PodScheduled" && is === "False" && reason === "Unschedulable",
  );
  return unscheduled && (unscheduled.message ?? "Unschedulable");
}
