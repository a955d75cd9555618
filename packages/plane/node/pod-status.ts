import {
  isMap,
  type Json,
  type JsonMap,
  type KubeObject,
  listAt,
  mapAt,
  numberAt,
  stamp,
  textAt,
} from "../object.ts";
import type { Ended } from "./container.ts";

/** Where one container is. */
type ContainerState =
  | { readonly is: "waiting"; readonly reason: string; readonly message?: string }
  | { readonly is: "running"; readonly startedMs: number }
  | { readonly is: "ended"; readonly ended: Ended };

/** A container's history as far as its status shows it. */
export interface ContainerFacts {
  readonly name: string;
  readonly image: string;
  state: ContainerState;
  last: Ended | undefined;
  restarts: number;
  ready: boolean;
}

/** What a pod's containers add up to. */
export function podStatus(
  pod: KubeObject,
  inits: readonly ContainerFacts[],
  mains: readonly ContainerFacts[],
  nowMs: number,
): JsonMap {
  const initialized = inits.every((c) => c.state.is === "ended" && c.state.ended.exitCode === 0);
  const phase = phaseOf(pod, inits, mains);
  const done = phase === "Succeeded";
  const ready = initialized && mains.every((c) => c.ready);
  const why = done ? "PodCompleted" : phase === "Failed" ? "PodFailed" : "ContainersNotReady";
  const unready = mains.filter((c) => !c.ready).map((c) => c.name);
  const message =
    done || phase === "Failed" ? undefined : `containers with unready status: [${unready.join(" ")}]`;
  const incomplete = inits
    .filter((c) => c.state.is !== "ended" || c.state.ended.exitCode !== 0)
    .map((c) => c.name);
  const conditions = [
    condition(pod, "PodReadyToStartContainers", !done && phase !== "Failed", undefined, undefined, nowMs),
    initialized
      ? condition(pod, "Initialized", true, done ? "PodCompleted" : undefined, undefined, nowMs)
      : condition(
          pod,
          "Initialized",
          false,
          "ContainersNotInitialized",
          `containers with incomplete status: [${incomplete.join(" ")}]`,
          nowMs,
        ),
    condition(pod, "Ready", ready, ready ? undefined : why, ready ? undefined : message, nowMs),
    condition(pod, "ContainersReady", ready, ready ? undefined : why, ready ? undefined : message, nowMs),
    condition(pod, "PodScheduled", true, undefined, undefined, nowMs),
  ];
  const address = "127.0.0.1";
  return {
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    phase,
    conditions,
    hostIP: address,
    hostIPs: [{ ip: address }],
    podIP: address,
    podIPs: [{ ip: address }],
    startTime: textAt(pod.status, "startTime") ?? stamp(nowMs),
    ...(inits.length > 0 && { initContainerStatuses: inits.map((c) => containerStatus(c, pod)) }),
    containerStatuses: mains.map((c) => containerStatus(c, pod)),
    qosClass: textAt(pod.status, "qosClass") ?? "BestEffort",
  };
}

function phaseOf(
  pod: KubeObject,
  inits: readonly ContainerFacts[],
  mains: readonly ContainerFacts[],
): string {
  const policy = textAt(pod.spec, "restartPolicy") ?? "Always";
  const failedInit = inits.some((c) => c.state.is === "ended" && c.state.ended.exitCode !== 0);
  if (failedInit && policy === "Never") return "Failed";
  const ended = mains.map((c) => (c.state.is === "ended" ? c.state.ended : undefined));
  const allEnded = ended.length > 0 && ended.every((e) => e !== undefined);
  if (allEnded && policy !== "Always") {
    if (ended.every((e) => e?.exitCode === 0)) return "Succeeded";
    if (policy === "Never") return "Failed";
  }
  const begun = mains.some((c) => c.state.is !== "waiting" || c.restarts > 0);
  return begun ? "Running" : "Pending";
}

function condition(
  pod: KubeObject,
  type: string,
  value: boolean,
  reason: string | undefined,
  message: string | undefined,
  nowMs: number,
): JsonMap {
  const status = value ? "True" : "False";
  const before = listAt(pod.status, "conditions").find((c) => textAt(c, "type") === type);
  const since = textAt(before, "status") === status ? textAt(before, "lastTransitionTime") : undefined;
  return {
    type,
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    status,
    lastProbeTime: null,
    lastTransitionTime: since ?? stamp(nowMs),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
}

function containerStatus(c: ContainerFacts, pod: KubeObject): JsonMap {
  const id = `process://${pod.metadata.uid}/${c.name}/${c.restarts}`;
  return {
    name: c.name,
    state: stateOf(c.state, id),
    lastState: c.last ? { terminated: terminated(c.last, id) } : {},
    ready: c.ready,
    restartCount: c.restarts,
    image: c.image,
    imageID: c.state.is === "waiting" && c.restarts === 0 ? "" : c.image,
    ...(c.state.is !== "waiting" && { containerID: id }),
    started: c.state.is === "running",
    ...(c.state.is !== "waiting" && given(c.name, pod)),
  };
}

/** What a container got of what it asked for: everything, as nothing is enforced here. */
function given(name: string, pod: KubeObject): JsonMap {
  const all = [...listAt(pod.spec, "containers"), ...listAt(pod.spec, "initContainers")];
  const spec = all.find((c) => textAt(c, "name") === name);
  const resources = mapAt(spec, "resources");
  const mounts = listAt(spec, "volumeMounts").map((mount) => {
    const readOnly = isMap(mount) && mount["readOnly"] === true;
    const named = { mountPath: textAt(mount, "mountPath"), name: textAt(mount, "name") };
    return readOnly ? { ...named, readOnly, recursiveReadOnly: "Disabled" } : named;
  });
  return {
    ...(isMap(resources["requests"]) && { allocatedResources: resources["requests"] }),
    resources,
    ...(mounts.length > 0 && { volumeMounts: mounts }),
  };
}

function stateOf(state: ContainerState, id: string): JsonMap {
  switch (state.is) {
    case "waiting":
      return {
        waiting: { reason: state.reason, ...(state.message !== undefined && { message: state.message }) },
      };
    case "running":
      return { running: { startedAt: stamp(state.startedMs) } };
    case "ended":
      return { terminated: terminated(state.ended, id) };
  }
}

function terminated(ended: Ended, id: string): JsonMap {
  return {
    exitCode: ended.exitCode,
    ...(ended.signal !== undefined && { signal: ended.signal }),
    reason: ended.exitCode === 0 ? "Completed" : "Error",
    ...(ended.message !== "" && { message: ended.message }),
    startedAt: stamp(ended.startedMs),
    finishedAt: stamp(ended.finishedMs),
    containerID: id,
  };
}

/** How often a container was restarted before this process began to look after it. */
export function knownRestarts(pod: KubeObject, name: string): { restarts: number; begun: boolean } {
  const all = [...listAt(pod.status, "containerStatuses"), ...listAt(pod.status, "initContainerStatuses")];
  const status: Json | undefined = all.find((s) => textAt(s, "name") === name);
  return {
    restarts: numberAt(status, "restartCount") ?? 0,
    begun: textAt(status, "containerID") !== undefined,
  };
}
