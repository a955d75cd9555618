import type { StallCause } from "../../progress/index.ts";
import type { Claim, Content, HolderPod, Snapshot } from "./shapes.ts";

/** What a preparation waits for, and why it does not come where that can be seen. */
export interface Waits {
  readonly message: string;
  readonly cause?: Extract<
    StallCause,
    "snapshot-not-ready" | "volume-not-bound" | "image-pull" | "pod-pending" | "object-waiting"
  >;
}

/** Snapshots and volumes take their time; after so long without a reason it is worth a word. */
const patienceMs = 30_000;

/** A snapshot that is not ready. */
export function snapshotWaits(
  name: string,
  snapshot: Snapshot | undefined,
  content: Content | undefined,
  waitedMs: number,
): Waits {
  const said = snapshot?.status?.error?.message ?? content?.status?.error?.message;
  const message = `the snapshot ${name} to be ready${said ? `: ${said}` : ""}`;
  return said !== undefined || waitedMs >= patienceMs
    ? { message, cause: "snapshot-not-ready" }
    : { message };
}

/** A claim that is not bound; `said` is the newest warning about it. */
export function claimWaits(
  name: string,
  claim: Claim | undefined,
  said: string | undefined,
  waitedMs: number,
): Waits {
  if (claim?.status?.phase === "Lost") {
    return { message: `the claim ${name}, whose volume is lost`, cause: "volume-not-bound" };
  }
  const message = `the claim ${name} to be bound${said ? `: ${said}` : ""}`;
  return said !== undefined || waitedMs >= patienceMs ? { message, cause: "volume-not-bound" } : { message };
}

const imageFaults = /^(ErrImage|ImagePull|InvalidImageName|RegistryUnavailable)/;

/** Why a container of the pod cannot get its image. */
export function imageFault({ status }: HolderPod): string | undefined {
  for (const { state } of status?.containerStatuses ?? []) {
    const { reason, message } = state?.waiting ?? {};
    if (reason !== undefined && imageFaults.test(reason)) return message ? `${reason}: ${message}` : reason;
  }
  return undefined;
}

/** A pod that does not run yet; `said` is the newest warning about it. */
export function podWaits(pod: HolderPod, said: string | undefined, waitedMs: number): Waits {
  const name = pod.metadata.name;
  const image = imageFault(pod);
  if (image !== undefined)
    return { message: `the pod ${name}: its image cannot be pulled, ${image}`, cause: "image-pull" };
  const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (!pod.spec?.nodeName) {
    const why = scheduled?.status === "False" ? scheduled.message : undefined;
    const message = `a node for the pod ${name}${why ? `: ${why}` : ""}`;
    return why !== undefined || waitedMs >= patienceMs ? { message, cause: "pod-pending" } : { message };
  }
  const message = `the pod ${name} to start on node ${pod.spec.nodeName}${said ? `: ${said}` : ""}`;
  return said !== undefined || waitedMs >= patienceMs ? { message, cause: "pod-pending" } : { message };
}

/** Why a pod will never run, or runs no more. */
export function podEnd({ metadata, status }: HolderPod): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return "it is being deleted";
  if (status?.phase !== "Failed" && status?.phase !== "Succeeded" && status?.phase !== "Unknown")
    return undefined;
  return [status.phase, status.reason, status.message].filter(Boolean).join(": ");
}
