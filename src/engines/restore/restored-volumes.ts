import type { PodVolumeBackup } from "../../api/index.ts";
import type { Item } from "./archive/item-json.ts";
import { type Json, own, recordOf, recordsOf, textOf } from "./json.ts";
import { claimOfVolume } from "./transform/volumes.ts";

/** A claim by where it is now. */
export interface ClaimPlace {
  readonly namespace: string;
  readonly name: string;
}

/** A volume that was provisioned anew, and what its predecessor was like. */
export interface NewVolume {
  readonly former: string;
  readonly claim: ClaimPlace;
  readonly reclaimPolicy: string;
  readonly labels: Readonly<Record<string, string>>;
  /** A pod of this restore uses it, so that it will be bound in a while. */
  readonly used: boolean;
}

/** What one run did about volumes; bounded by the volumes of the archive. */
export class RestoredVolumes {
  readonly #provisioned = new Set<string>();
  readonly #native = new Map<string, { readonly name: string; readonly claim?: ClaimPlace }>();
  readonly #used = new Set<string>();
  readonly #pods: { readonly pod: Item; readonly backups: readonly PodVolumeBackup[] }[] = [];

  /** This volume does not come back: its claim gets a new one. */
  provision(volume: string): void {
    this.#provisioned.add(volume);
  }

  isProvisioned(volume: string): boolean {
    return this.#provisioned.has(volume);
  }

  /** This volume was made out of its snapshot, perhaps under another name. */
  native(former: string, made: Item): void {
    const claim = claimOfVolume(made);
    this.#native.set(former, { name: made.metadata.name, ...(claim && { claim }) });
  }

  /** This pod was made: its claims will be bound. */
  use(pod: Item): void {
    for (const claim of claimsOf(pod).values()) this.#used.add(keyOf(claim));
  }

  /** This pod was made, and the content of its volumes with it. */
  pod(pod: Item, backups: readonly PodVolumeBackup[]): void {
    this.#pods.push({ pod, backups });
  }

  /** The claims whose volumes are new, with what the backup knows of the former ones. */
  fresh(infos: readonly Json[], target: (namespace: string) => string): NewVolume[] {
    return infos.flatMap((info) => {
      const former = textOf(info["pvName"]);
      const name = textOf(info["pvcName"]);
      const { reclaimPolicy, labels } = recordOf(info["pvInfo"]);
      if (!this.#provisioned.has(former) || name === "") return [];
      const claim = { namespace: target(textOf(info["pvcNamespace"])), name };
      const wanted = { reclaimPolicy: textOf(reclaimPolicy), labels: texts(labels) };
      if (wanted.reclaimPolicy === "" && Object.keys(wanted.labels).length === 0) return [];
      return [{ former, claim, ...wanted, used: this.#used.has(keyOf(claim)) }];
    });
  }

  /** The volume infos of the restore, keys as upstream writes them. */
  infos(snapshots: readonly Json[], volumeOf: (claim: ClaimPlace) => string | undefined): Json[] {
    const copied = this.#pods.flatMap(({ pod, backups }) => {
      const claims = claimsOf(pod);
      return backups.map((backup) => copyInfo(pod, backup, claims.get(backup.spec?.volume ?? ""), volumeOf));
    });
    return [...copied, ...[...this.#native].map(([former, made]) => nativeInfo(former, made, snapshots))];
  }

  /** Every claim that an info may name, to look its volume up. */
  claims(): ClaimPlace[] {
    return this.#pods.flatMap(({ pod, backups }) => {
      const claims = claimsOf(pod);
      return backups.flatMap(({ spec }) => claims.get(spec?.volume ?? "") ?? []);
    });
  }
}

/** One key a claim. */
export function keyOf({ namespace, name }: ClaimPlace): string {
  return `${namespace}/${name}`;
}

/** The claims of a pod in its present namespace, by the volume's name. */
function claimsOf(pod: Item): ReadonlyMap<string, ClaimPlace> {
  const namespace = pod.metadata.namespace ?? "";
  return new Map(
    recordsOf(recordOf(pod["spec"])["volumes"]).flatMap((volume): [string, ClaimPlace][] => {
      const name = textOf(recordOf(volume["persistentVolumeClaim"])["claimName"]);
      return name === "" ? [] : [[textOf(volume["name"]), { namespace, name }]];
    }),
  );
}

function copyInfo(
  pod: Item,
  { spec, status }: PodVolumeBackup,
  claim: ClaimPlace | undefined,
  volumeOf: (claim: ClaimPlace) => string | undefined,
): Json {
  const volume = claim && volumeOf(claim);
  return {
    ...(claim && { pvcName: claim.name, pvcNamespace: claim.namespace }),
    ...(volume !== undefined && { pvName: volume }),
    restoreMethod: "PodVolumeRestore",
    snapshotDataMoved: false,
    pvrInfo: {
      snapshotHandle: status?.snapshotID ?? "",
      size: status?.progress?.totalBytes ?? 0,
      uploaderType: spec?.uploaderType ?? "",
      volumeName: spec?.volume ?? "",
      podName: pod.metadata.name,
      podNamespace: pod.metadata.namespace ?? "",
    },
  };
}

function nativeInfo(
  former: string,
  { name, claim }: { readonly name: string; readonly claim?: ClaimPlace },
  snapshots: readonly Json[],
): Json {
  const snapshot = snapshots.find((one) => recordOf(one["spec"])["persistentVolumeName"] === former) ?? {};
  const spec = recordOf(snapshot["spec"]);
  const status = recordOf(snapshot["status"]);
  const iops = own(spec, "volumeIOPS");
  return {
    ...(claim && { pvcName: claim.name, pvcNamespace: claim.namespace }),
    pvName: name,
    restoreMethod: "NativeSnapshot",
    snapshotDataMoved: false,
    nativeSnapshotInfo: {
      snapshotHandle: textOf(status["providerSnapshotID"]),
      volumeType: textOf(spec["volumeType"]),
      volumeAZ: textOf(spec["volumeAZ"]),
      iops: typeof iops === "number" ? String(iops) : "0",
      Phase: textOf(status["phase"]),
    },
  };
}

function texts(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(recordOf(value));
  return Object.fromEntries(entries.flatMap(([key, one]) => (typeof one === "string" ? [[key, one]] : [])));
}
