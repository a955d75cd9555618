import type { Item } from "../archive/item-json.ts";
import { own, recordOf, recordsOf, textOf, update, without } from "../json.ts";
import { withoutAnnotations } from "./reset.ts";

const bindAnnotations = ["pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller"];
const claimAnnotations = [
  ...bindAnnotations,
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/selected-node",
  "velero.io/volume-snapshot-name",
  "velero.io/csi-volumesnapshot-handle",
  "velero.io/csi-volumesnapshot-restore-size",
  "velero.io/csi-driver-name",
  "velero.io/csi-vsc-deletion-policy",
  "velero.io/data-upload-name",
  "backup.velero.io/skipped-no-csi-pv",
];

/** Which volume of the backup a renamed one stands for. */
export const originalVolume = "velero.io/original-pv-name";

/** How the content of a volume was saved, as the backup's volume info says it. */
export type VolumeMethod = "NativeSnapshot" | "PodVolumeBackup" | "CSISnapshot" | "none";

/** What becomes of a persistent volume. */
export type VolumeDecision =
  /** Create it as it was. */
  | { readonly do: "create" }
  /** Leave it out: a new volume will be provisioned for its claim. */
  | { readonly do: "provision" }
  /** Make the volume out of its snapshot first. */
  | { readonly do: "snapshot" };

/** Decides about a persistent volume. */
export function volumeDecision(volume: Item, method: VolumeMethod, restorePVs: boolean): VolumeDecision {
  switch (method) {
    case "NativeSnapshot":
      return restorePVs ? { do: "snapshot" } : { do: "create" };
    case "PodVolumeBackup":
    case "CSISnapshot":
      return { do: "provision" };
    case "none":
      return recordOf(volume["spec"])["persistentVolumeReclaimPolicy"] === "Delete"
        ? { do: "provision" }
        : { do: "create" };
  }
}

/** A volume free to be bound again, by the claim of the same name in its target namespace. */
export function freeVolume(volume: Item, target: (namespace: string) => string): Item {
  const free = update(volume, ["spec", "claimRef"], (claim) =>
    claim === undefined
      ? claim
      : update(without(recordOf(claim), "uid", "resourceVersion"), ["namespace"], (namespace) =>
          typeof namespace === "string" ? target(namespace) : namespace,
        ),
  );
  return withoutAnnotations(free, bindAnnotations);
}

/** A claim free to be bound: to its old volume, to the one that stands for it now, or (undefined) to a new one. */
export function freeClaim(claim: Item, volume: string | undefined): Item {
  const free = withoutAnnotations(claim, claimAnnotations);
  return volume === volumeOfClaim(claim) ? free : update(free, ["spec", "volumeName"], () => volume);
}

/** A volume under another name, which says what it was called. */
export function renamedVolume(volume: Item, name: string): Item {
  const annotations = { ...volume.metadata.annotations, [originalVolume]: volume.metadata.name };
  return { ...volume, metadata: { ...volume.metadata, name, annotations } };
}

/** The name of the volume that a claim is bound to, or "". */
export function volumeOfClaim(claim: Item): string {
  return textOf(recordOf(claim["spec"])["volumeName"]);
}

/** The claim that a volume is bound to. */
export function claimOfVolume(
  volume: Item,
): { readonly namespace: string; readonly name: string } | undefined {
  const claim = recordOf(recordOf(volume["spec"])["claimRef"]);
  const name = textOf(claim["name"]);
  return name === "" ? undefined : { namespace: textOf(claim["namespace"]), name };
}

/** Storage classes by another name: in claims, volumes and the claim templates of StatefulSets. */
export function changeStorageClass(item: Item, mapping: Readonly<Record<string, string>>): Item {
  const mapped = (old: unknown): unknown => (typeof old === "string" ? (own(mapping, old) ?? old) : old);
  const one = <T extends object>(object: T): T => update(object, ["spec", "storageClassName"], mapped);
  if (item.kind !== "StatefulSet") return one(item);
  return update(item, ["spec", "volumeClaimTemplates"], (templates) =>
    Array.isArray(templates) ? recordsOf(templates).map(one) : templates,
  );
}

/** The claims that the volumes of a pod name. */
export function claimsOfPod(pod: Item): string[] {
  return recordsOf(recordOf(pod["spec"])["volumes"])
    .map((volume) => textOf(recordOf(volume["persistentVolumeClaim"])["claimName"]))
    .filter((name) => name !== "");
}
