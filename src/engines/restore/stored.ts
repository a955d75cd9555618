import { type Json, recordOf, textOf } from "./json.ts";
import type { VolumeMethod } from "./transform/volumes.ts";

/** How each persistent volume was saved, by its name. */
export function volumeMethods(infos: readonly Json[]): ReadonlyMap<string, VolumeMethod> {
  const methods = new Map<string, VolumeMethod>();
  for (const info of infos) {
    const name = textOf(info["pvName"]);
    if (name !== "") methods.set(name, methodOf(info));
  }
  return methods;
}

function methodOf(info: Json): VolumeMethod {
  const method = info["backupMethod"];
  if (info["skipped"] === true) return "none";
  // Data that was moved out of a CSI snapshot comes back into a new volume as well.
  return method === "NativeSnapshot" || method === "PodVolumeBackup" || method === "CSISnapshot"
    ? method
    : "none";
}

/** What a list of plugin settings maps to what. */
export function settingsOf(configMap: Json | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(recordOf(configMap?.["data"]));
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
  );
}
