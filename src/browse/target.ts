import type { KubeObject } from "../api/index.ts";
import { claimOf, type PodObject, volumeOf } from "../engines/podvolume/index.ts";
import { AppError } from "../errors.ts";
import { builtIn, type Client } from "../kube/index.ts";
import { addressText, type VolumeName } from "./address.ts";

/** A running container in which a volume can be written to. */
export interface Target {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Where the whole of the volume is seen. */
  readonly mountPath: string;
}

/** Finds a running pod that has the volume: the one that is named, or any that mounts the claim. */
export async function targetOf(
  client: Pick<Client, "get" | "list">,
  name: VolumeName,
  signal: AbortSignal,
): Promise<Target> {
  const query = { namespace: name.namespace };
  const pods =
    "claim" in name
      ? await client.list<KubeObject & PodObject>(builtIn.pods, query, signal)
      : [await client.get<KubeObject & PodObject>(builtIn.pods, name.pod, query, signal)];
  for (const pod of pods) {
    const target = targetIn(pod, name);
    if (target) return target;
  }
  throw new AppError(
    "RESTORE_TARGET",
    `no running pod has the volume ${addressText(name)} mounted as a whole and for writing; --to names another place`,
    { retry: false },
  );
}

/** The container of a pod that may write to the whole volume; undefined when there is none. */
export function targetIn(pod: PodObject, name: VolumeName): Target | undefined {
  if (pod.status?.phase !== "Running") return undefined;
  const volume =
    "claim" in name
      ? pod.spec?.volumes?.find((one) => claimOf(pod, one) === name.claim)
      : volumeOf(pod, name.volume);
  if (!volume) return undefined;
  for (const container of pod.spec?.containers ?? []) {
    const mounts = (container["volumeMounts"] ?? []) as readonly Mount[]; // the server's own shape
    const mount = mounts.find(
      (one) => one.name === volume.name && !one.subPath && !one.subPathExpr && one.readOnly !== true,
    );
    if (!mount) continue;
    return {
      namespace: name.namespace,
      pod: pod.metadata.name,
      container: container.name,
      mountPath: mount.mountPath,
    };
  }
  return undefined;
}

interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly subPathExpr?: string;
  readonly readOnly?: boolean;
}
