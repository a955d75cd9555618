import type { PodContainer, PodObject } from "./pod.ts";

/** The init container that holds a pod back until its volumes are complete, and what older releases called it. */
const containerName = "restore-wait";
const olderName = "restic-wait";

/** Where the container sees the volumes. */
const mountRoot = "/restores";

/** The folder in a volume, and the file in it, that say: complete. */
export const markerFolder = ".velero";

/**
 * Waits for the marker of the restore in each volume, then takes the markers away. It needs a POSIX shell and nothing
 * else; `sleep` with a fraction is tried first because not every shell's has it.
 */
const script = [
  'root="$1"; shift; uid="$1"; shift',
  'for volume in "$@"; do',
  `  while [ ! -f "$root/$volume/${markerFolder}/$uid" ]; do sleep 0.2 2>/dev/null || sleep 1; done`,
  "done",
  `for volume in "$@"; do rm -rf "$root/$volume/${markerFolder}"; done`,
].join("\n");

/** How the init container is made; people set it with a ConfigMap, as upstream's. */
export interface WaitSettings {
  readonly image: string;
  readonly imagePullPolicy?: string;
  readonly resources?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Replaces what is copied from the pod's first container. */
  readonly securityContext?: Readonly<Record<string, unknown>> | undefined;
}

/** Settings out of upstream's ConfigMap; `image` is the one to use when it names none. */
export function waitSettings(data: Readonly<Record<string, string>>, image: string): WaitSettings {
  const amount = (kind: "Request" | "Limit") => ({
    cpu: data[`cpu${kind}`] || "100m",
    memory: data[`mem${kind}`] || "128Mi",
  });
  return {
    image: data["image"] || image,
    resources: { requests: amount("Request"), limits: amount("Limit") },
    securityContext: securityContext(data),
  };
}

/** The pod with the waiting container in front of all others; one that is there already is replaced. */
export function withRestoreWait<P extends PodObject>(
  pod: P,
  volumes: readonly string[],
  restoreUid: string,
  settings: WaitSettings,
): P {
  const others = (pod.spec?.initContainers ?? []).filter(({ name }) => !isWaiting(name));
  const context = settings.securityContext ?? pod.spec?.containers?.[0]?.["securityContext"] ?? restricted;
  const waits: PodContainer = {
    name: containerName,
    image: settings.image,
    ...(settings.imagePullPolicy !== undefined && { imagePullPolicy: settings.imagePullPolicy }),
    command: ["sh", "-c", script, containerName],
    args: [mountRoot, restoreUid, ...volumes],
    volumeMounts: volumes.map((name) => ({ name, mountPath: `${mountRoot}/${name}` })),
    ...(settings.resources && { resources: settings.resources }),
    securityContext: context,
  };
  return { ...pod, spec: { ...pod.spec, initContainers: [waits, ...others] } };
}

/** Whether a pod stands at its waiting container now. */
export function isHeldBack(pod: PodObject): boolean {
  const [first] = pod.spec?.initContainers ?? [];
  if (first === undefined || !isWaiting(first.name)) return false;
  const status = pod.status?.initContainerStatuses?.find(({ name }) => name === first.name);
  return status?.state?.running !== undefined && status.state.running !== null;
}

function isWaiting(name: string): boolean {
  return name === containerName || name === olderName;
}

/** What a cluster with the strictest pod security accepts. */
const restricted = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

function securityContext(data: Readonly<Record<string, string>>): Record<string, unknown> | undefined {
  const number = (key: string) => (/^\d+$/.test(data[key] ?? "") ? Number(data[key]) : undefined);
  const [user, group] = [number("secCtxRunAsUser"), number("secCtxRunAsGroup")];
  const escalate = data["secCtxAllowPrivilegeEscalation"];
  const context = {
    ...(user !== undefined && { runAsUser: user }),
    ...(group !== undefined && { runAsGroup: group }),
    ...((escalate === "true" || escalate === "false") && { allowPrivilegeEscalation: escalate === "true" }),
  };
  return Object.keys(context).length > 0 ? context : undefined;
}
