import { isAbsolute, resolve, sep } from "node:path";
import type { CopyMethod } from "./copy-tree.ts";

/** How the folder snapshotter is set up. */
export interface FolderSettings {
  /** Where snapshots are kept. */
  readonly path: string;
  readonly method: CopyMethod;
  /** Only volumes below this folder are taken, and new ones are made there. */
  readonly volumes?: string;
  readonly bytesPerSecond?: number;
  /** The node that local volumes are tied to after a restore. */
  readonly node?: string;
}

const methods: readonly CopyMethod[] = ["auto", "reflink", "copy", "hardlink"];
const known = ["path", "method", "volumes", "bytesPerSecond", "node", "credentialsFile"];

/** Reads a location's config; throws when it cannot be used. */
export function folderSettings(config: Readonly<Record<string, string>>): FolderSettings {
  const odd = Object.keys(config).find((key) => !known.includes(key));
  if (odd !== undefined)
    throw new Error(`setting "${odd}" is not known; there are ${known.slice(0, -1).join(", ")}`);
  const { path = "", method = "auto", volumes, bytesPerSecond, node } = config;
  if (!isAbsolute(path)) throw new Error(`setting "path" must be an absolute folder, not "${path}"`);
  if (volumes !== undefined && !isAbsolute(volumes))
    throw new Error(`setting "volumes" must be an absolute folder, not "${volumes}"`);
  const chosen = methods.find((one) => one === method);
  if (chosen === undefined) throw new Error(`setting "method" is none of ${methods.join(", ")}: "${method}"`);
  const rate = bytesPerSecond === undefined ? undefined : Number(bytesPerSecond);
  if (rate !== undefined && !(Number.isSafeInteger(rate) && rate > 0))
    throw new Error(`setting "bytesPerSecond" must be a number from 1, not "${bytesPerSecond}"`);
  return {
    path: resolve(path),
    method: chosen,
    ...(volumes !== undefined && { volumes: resolve(volumes) }),
    ...(rate !== undefined && { bytesPerSecond: rate }),
    ...(node !== undefined && { node }),
  };
}

/** Whether a path is below a folder. */
export function isBelow(folder: string, path: string): boolean {
  return resolve(path).startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
