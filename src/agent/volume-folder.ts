import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../errors.ts";

/** A volume of a pod, as the kubelet names its folder. */
export interface VolumePlace {
  readonly podUid: string;
  /** The PersistentVolume's name for claims, else the volume's. */
  readonly folder: string;
  /** Volumes of CSI drivers are mounted one level deeper. */
  readonly csi: boolean;
  /** It is handed to the pod as a raw device. */
  readonly block?: boolean;
}

/**
 * Finds a volume's folder below the kubelet's `pods` folder: `<pod>/volumes/<plug-in>/<folder>`, exactly one. A raw device is
 * a link in `volumeDevices`.
 */
export async function findVolumeFolder(hostPods: string, place: VolumePlace): Promise<string> {
  const { podUid, folder, csi, block = false } = place;
  for (const part of [podUid, folder]) {
    // They come from the cluster, and a ".." among them would leave the pods' folder.
    if (!/^[\w][\w.-]*$/.test(part)) throw missing(`"${part}" cannot be the name of a volume's folder`);
  }
  const volumes = join(hostPods, podUid, block ? "volumeDevices" : "volumes");
  const plugins = await readdir(volumes).catch((cause: unknown) => {
    throw missing(`the pod has no volumes on this node: "${volumes}" is not there`, cause);
  });
  const found: string[] = [];
  for (const plugin of plugins) {
    const path = join(volumes, plugin, folder, ...(csi && !block ? ["mount"] : []));
    const facts = await stat(path).catch(() => undefined); // most plug-ins do not have this volume
    if (block ? facts?.isBlockDevice() : facts?.isDirectory()) found.push(path);
  }
  const [path] = found;
  if (path === undefined)
    throw missing(`there is no ${block ? "device" : "folder"} "${folder}" below "${volumes}"`);
  if (found.length > 1) throw missing(`"${folder}" is there more than once: ${found.join(", ")}`);
  return path;
}

function missing(message: string, cause?: unknown): AppError {
  return new AppError("VOLUME_FOLDER", message, { cause, retry: false });
}
