/** A VolumeSnapshotClass as far as the choice looks at it. */
export interface SnapshotClass {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>> | null;
    readonly annotations?: Readonly<Record<string, string>> | null;
  };
  readonly driver?: string;
}

/** What the choice depends on beside the classes. */
export interface ClassWishes {
  /** The provisioner of the claim's StorageClass. */
  readonly driver: string;
  readonly claim?: Readonly<Record<string, string>> | null | undefined;
  /** The class that the backup's resource policy names for the volume. */
  readonly policy?: string | undefined;
  readonly backup?: Readonly<Record<string, string>> | null | undefined;
}

/** The class, with what was odd about finding it; or why there is none. */
export type ClassChoice = { readonly name: string; readonly remark?: string } | { readonly fault: string };

/** Label of a class, annotation of a claim, and with `_DRIVER` behind it annotation of a backup. */
const classKey = "velero.io/csi-volumesnapshot-class";
const defaultKey = "snapshot.storage.kubernetes.io/is-default-class";

/**
 * Chooses the VolumeSnapshotClass of a claim by upstream's rules, the first that hits: the claim's annotation, the
 * resource policy's word, the backup's annotation, the class with Velero's label (its value does not matter), the cluster's default, the only one. A name that
 * fits no class of the driver is passed over, as upstream does it, but not silently.
 */
export function chooseClass(all: readonly SnapshotClass[], wishes: ClassWishes): ClassChoice {
  const own = all.filter(({ driver }) => driver === wishes.driver).toSorted(byName);
  const remarks: string[] = [];
  for (const wish of wishesOf(wishes)) {
    const found = own.find(({ metadata }) => metadata.name.toLowerCase() === wish.name.toLowerCase());
    if (found) return chosen(found.metadata.name, remarks);
    remarks.push(
      `${wish.by} asks for VolumeSnapshotClass "${wish.name}", which ${whyNot(all, wish.name, wishes)}`,
    );
  }
  const labelled = own.filter(({ metadata }) => metadata.labels?.[classKey] !== undefined);
  const defaults = own.filter(({ metadata }) => metadata.annotations?.[defaultKey] !== undefined);
  for (const [group, what] of [
    [labelled, `have the label ${classKey}`],
    [defaults, "are the default"],
  ] as const) {
    const [first, ...others] = group;
    if (!first) continue;
    if (others.length > 0)
      remarks.push(`several VolumeSnapshotClasses of "${wishes.driver}" ${what} (${names(group)})`);
    return chosen(first.metadata.name, remarks);
  }
  const [only, ...more] = own;
  if (only && more.length === 0) return chosen(only.metadata.name, remarks);
  const why = only
    ? `${own.length} VolumeSnapshotClasses are of driver "${wishes.driver}" (${names(own)}) and none is marked: give one of them the label ${classKey}: "true"`
    : `no VolumeSnapshotClass is of driver "${wishes.driver}": create one, or copy the files of the volume instead`;
  return { fault: [why, ...remarks].join("; ") };
}

function wishesOf({ claim, policy, backup, driver }: ClassWishes) {
  const ofClaim = claim?.[classKey];
  const ofBackup = backup?.[`${classKey}_${driver.toLowerCase()}`];
  return [
    ...(ofClaim ? [{ by: "the claim", name: ofClaim }] : []),
    ...(policy ? [{ by: "the resource policy", name: policy }] : []),
    ...(ofBackup ? [{ by: "the backup", name: ofBackup }] : []),
  ];
}

function whyNot(all: readonly SnapshotClass[], name: string, { driver }: ClassWishes): string {
  const found = all.find(({ metadata }) => metadata.name.toLowerCase() === name.toLowerCase());
  return found ? `is of driver "${found.driver ?? ""}", not "${driver}"` : "does not exist";
}

function chosen(name: string, remarks: readonly string[]): ClassChoice {
  return { name, ...(remarks.length > 0 && { remark: `${remarks.join("; ")}; "${name}" is taken` }) };
}

function byName(a: SnapshotClass, b: SnapshotClass): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

function names(classes: readonly SnapshotClass[]): string {
  return classes.map(({ metadata }) => metadata.name).join(", ");
}
