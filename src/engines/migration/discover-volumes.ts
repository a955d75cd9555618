import type { KubeObject, MigVolume } from "../../api/index.ts";
import { said, type Wanted } from "./conditions.ts";
import type { Claim } from "./shapes.ts";

/** A volume, as far as it is looked at. */
export interface Volume extends KubeObject {
  readonly spec?: {
    readonly capacity?: Readonly<Record<string, string>>;
    readonly storageClassName?: string;
    readonly nfs?: unknown;
    readonly csi?: { readonly driver?: string };
  };
}

/** A class of storage, as far as it is looked at. */
export interface StorageClass extends KubeObject {
  readonly provisioner?: string;
}

/** What was found on the source, and what the destination offers. */
export interface Found {
  readonly claims: readonly Claim[];
  readonly volumes: readonly Volume[];
  /** Claims that a pod uses, as `namespace/name`. */
  readonly used: ReadonlySet<string>;
  readonly targets: readonly StorageClass[];
  /** The store has a provider of native snapshots. */
  readonly canSnapshot: boolean;
  /** CSI drivers of the source that take snapshots: there is a VolumeSnapshotClass for them. */
  readonly snapshotDrivers?: ReadonlySet<string>;
}

/** The volumes of a plan: what is there now, with what was chosen before. */
export function discoverVolumes(before: readonly MigVolume[], found: Found): readonly MigVolume[] {
  const chosen = new Map(before.map((volume) => [volume.name ?? "", volume.selection]));
  const volumes = new Map(found.volumes.map((volume) => [volume.metadata.name, volume]));
  return found.claims
    .filter((claim) => claim.status?.phase === "Bound" && claim.spec?.volumeName)
    .map((claim) => {
      const volume = volumes.get(claim.spec?.volumeName ?? "");
      const fresh = entryOf(claim, volume, found);
      const selection = chosen.get(fresh.name ?? "");
      return selection?.action ? { ...fresh, selection: { ...fresh.selection, ...selection } } : fresh;
    })
    .toSorted((a, b) => ((a.name ?? "") < (b.name ?? "") ? -1 : 1));
}

function entryOf(claim: Claim, volume: Volume | undefined, found: Found): MigVolume {
  const { name, namespace = "" } = claim.metadata;
  const isBlock = claim.spec?.volumeMode === "Block";
  const isNfs = volume?.spec?.nfs !== undefined;
  const canSnapshot =
    found.canSnapshot || found.snapshotDrivers?.has(volume?.spec?.csi?.driver ?? "") === true;
  const copyMethods = [...(isBlock ? [] : ["filesystem"]), ...(canSnapshot ? ["snapshot"] : [])];
  const actions = [...(copyMethods.length > 0 ? ["copy"] : []), ...(isNfs ? ["move"] : []), "skip"];
  const storageClass = claim.spec?.storageClassName ?? volume?.spec?.storageClassName ?? "";
  const capacity = volume?.spec?.capacity?.["storage"] ?? claim.spec?.resources?.requests?.["storage"];
  const [method] = copyMethods;
  const target = classFor(storageClass, found.targets);
  return {
    name: claim.spec?.volumeName ?? "",
    ...(capacity !== undefined && { capacity }),
    storageClass,
    pvc: {
      namespace,
      name,
      accessModes: claim.spec?.accessModes ?? [],
      hasReference: found.used.has(`${namespace}/${name}`),
      ...(claim.spec?.volumeMode && { volumeMode: claim.spec.volumeMode }),
    },
    supported: { actions, copyMethods },
    selection: {
      action: actions[0] ?? "skip",
      ...(method !== undefined && { copyMethod: method }),
      ...(method !== undefined && target !== undefined && { storageClass: target }),
    },
  };
}

/** The class of the same name, else the default one. */
function classFor(name: string, targets: readonly StorageClass[]): string | undefined {
  return (targets.find(({ metadata }) => metadata.name === name) ?? targets.find(isDefault))?.metadata.name;
}

/** Whether a class is what claims without one get. */
export function isDefault({ metadata }: StorageClass): boolean {
  return metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true";
}

interface VolumeRule {
  readonly category: "Error" | "Warn";
  readonly type: string;
  readonly reason?: string;
  readonly words: string;
  /** Whether a volume breaks it; `names` are the classes of the destination. */
  readonly broken: (volume: MigVolume, names: ReadonlySet<string>) => boolean;
}

const accessModes = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];
const isCopied = ({ selection }: MigVolume) => selection.action === "copy";
const rules: readonly VolumeRule[] = [
  {
    category: "Error",
    type: "PvInvalidAction",
    reason: "NotDone",
    words: "Volumes have an action that is not supported",
    broken: ({ selection, supported }) => !supported.actions.includes(selection.action ?? ""),
  },
  {
    category: "Error",
    type: "PvInvalidStorageClass",
    reason: "NotDone",
    words: "Volumes have a storage class that the destination lacks",
    broken: (volume, names) =>
      isCopied(volume) &&
      Boolean(volume.selection.storageClass) &&
      !names.has(volume.selection.storageClass ?? ""),
  },
  {
    category: "Error",
    type: "PvNoCopyMethodSelection",
    reason: "NotFound",
    words: "Volumes have no copy method",
    broken: (volume) => isCopied(volume) && !volume.selection.copyMethod,
  },
  {
    category: "Error",
    type: "PvInvalidCopyMethod",
    words: "Volumes have a copy method that is not supported",
    broken: (volume) =>
      isCopied(volume) &&
      Boolean(volume.selection.copyMethod) &&
      !volume.supported.copyMethods.includes(volume.selection.copyMethod ?? ""),
  },
  {
    category: "Error",
    type: "PvInvalidAccessMode",
    words: `Volumes have an access mode for the destination that is none of ${accessModes.join(", ")}`,
    broken: (volume) =>
      isCopied(volume) &&
      Boolean(volume.selection.accessMode) &&
      !accessModes.includes(volume.selection.accessMode ?? ""),
  },
  {
    category: "Warn",
    type: "PvNoStorageClassSelection",
    reason: "NotFound",
    words: "Volumes have no storage class for the destination",
    broken: (volume) => isCopied(volume) && !volume.selection.storageClass,
  },
  {
    category: "Warn",
    type: "PvNoSupportedAction",
    words: "Volumes can only be skipped",
    broken: ({ supported }) => supported.actions.length === 1,
  },
];

/** What can be chosen instead, and where. */
function advice(type: string, names: ReadonlySet<string>): string {
  if (!type.endsWith("StorageClass") && !type.endsWith("StorageClassSelection")) {
    return " It is chosen by the volume's selection in the plan's spec.persistentVolumes.";
  }
  const there = names.size === 0 ? "none" : [...names].toSorted().join(", ");
  return ` The destination has ${there}; selection.storageClass of the volume in the plan's spec.persistentVolumes chooses.`;
}

/** What is wrong with what was chosen for the volumes. */
export function volumeFaults(
  volumes: readonly MigVolume[],
  targets: readonly StorageClass[],
): readonly Wanted[] {
  const names = new Set(targets.map(({ metadata }) => metadata.name));
  return rules.flatMap(({ category, type, reason, words, broken }) => {
    const which = volumes.filter((volume) => broken(volume, names));
    if (which.length === 0) return [];
    const told = which.map(({ name, pvc }) => `${name} of claim ${pvc?.namespace}/${pvc?.name}`).join(", ");
    return [said(category, type, reason, `${words}: ${told}.${advice(type, names)}`)];
  });
}
