import { findKind, type KubeObject, veleroNames } from "../api/index.ts";

/** Which root a volume object belongs to, as `kind/namespace/label value`; undefined when it tells none. */
export function rootOf(object: KubeObject): string | undefined {
  if (!findKind(object.apiVersion, object.kind)) return undefined;
  const { namespace = "", labels = {} } = object.metadata;
  const isRestore = ["PodVolumeRestore", "DataDownload", "VolumePluginRestore"].includes(object.kind);
  const kind = isRestore ? "Restore" : "Backup";
  const name =
    labels[isRestore ? veleroNames.restoreName : veleroNames.backupName] ??
    ownerOf(object, kind) ??
    specOf(object);
  return name === undefined ? undefined : `${kind}/${namespace}/${name}`;
}

function ownerOf(object: KubeObject, kind: string): string | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.kind === kind)?.name;
}

/** Plugins that make their own objects name the backup in the spec. */
function specOf(object: KubeObject): string | undefined {
  if (object.kind !== "VolumePluginBackup") return undefined;
  const spec: unknown = "spec" in object ? object.spec : undefined;
  const backup = spec && typeof spec === "object" && "backup" in spec ? spec.backup : undefined;
  return typeof backup === "string" && backup !== "" ? backup : undefined;
}
