import type { StallCause } from "../../../progress/index.ts";
import type { ContainerStatus, PodObject } from "../core-objects.ts";

/** Where a pod of ours stands. */
export type PodState =
  | {
      readonly is: "waiting";
      readonly why: string;
      readonly hopeless: boolean;
      /** What is broken or missing, where that is known. */
      readonly cause?: StallCause;
    }
  | { readonly is: "running" }
  | { readonly is: "succeeded" }
  | { readonly is: "failed"; readonly why: string };

/** Reasons after which a kubelet never starts the container, however long one waits. */
const hopeless = ["InvalidImageName", "ErrImageNeverPull", "RunContainerError", "CreateContainerError"];
const outOf = /^(OutOf|UnexpectedAdmissionError|NodeAffinity)/;

/** What a pod's status means for whoever waits for it. */
export function podState(pod: PodObject): PodState {
  const { phase, reason = "", message = "" } = pod.status ?? {};
  if (phase === "Succeeded") return { is: "succeeded" };
  if (phase === "Failed") return { is: "failed", why: failure(pod) };
  const waiting = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ].find(
    ({ state }) =>
      state?.waiting !== undefined &&
      !["PodInitializing", "ContainerCreating"].includes(state.waiting.reason ?? ""),
  );
  if (waiting) return waitingFor(waiting);
  if (phase === "Running") return { is: "running" };
  if (outOf.test(reason)) return { is: "failed", why: join(reason, message) };
  const unscheduled = pod.status?.conditions?.find(
    ({ type, status }) => type === "PodScheduled" && status === "False",
  );
  if (unscheduled)
    return {
      is: "waiting",
      why: `no node takes the pod: ${unscheduled.message ?? ""}`,
      hopeless: false,
      cause: "pod-pending",
    };
  return { is: "waiting", why: "the pod is being started", hopeless: false };
}

/** How a container has ended; undefined while it has not. */
export function exitCodeOf(pod: PodObject, container: string): number | undefined {
  const status = pod.status?.containerStatuses?.find(({ name }) => name === container);
  return status?.state?.terminated?.exitCode;
}

function waitingFor({ name, state }: ContainerStatus): PodState {
  const { reason = "", message = "" } = state?.waiting ?? {};
  const why = `container "${name}" does not start: ${join(reason, message)}`;
  const cause = /^(ErrImage|ImagePull|InvalidImageName)/.test(reason) ? "image-pull" : "pod-pending";
  return { is: "waiting", why, hopeless: hopeless.includes(reason), cause };
}

function failure({ status }: PodObject): string {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const ended = all.flatMap(({ name, state }) => {
    const { exitCode = 0, reason = "", message = "" } = state?.terminated ?? {};
    if (exitCode === 0) return [];
    const more = join(reason === "Error" ? "" : reason, message.trim().slice(-500));
    return [`container "${name}" exited with ${exitCode}${more === "" ? "" : ` (${more})`}`];
  });
  if (ended.length > 0) return ended.join(", ");
  return join(status?.reason ?? "", status?.message ?? "") || "the pod failed";
}

function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(": ");
}
