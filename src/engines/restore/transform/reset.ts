import { veleroNames } from "../../../api/index.ts";
import type { Item } from "../archive/item-json.ts";
import { recordOf, update, without } from "../json.ts";

/** What belongs to the object that was backed up, not to the one that will be created. */
const ofTheOldObject = [
  "generateName",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "ownerReferences",
];

/** The item as a new object: no traces of the old one in its metadata, no status. */
export function reset(item: Item): Item {
  return without({ ...item, metadata: without(item.metadata, ...ofTheOldObject) }, "status");
}

/** The same without the record of who set which field, for comparing. */
export function comparable(item: Item): Item {
  const plain = reset(item);
  return { ...plain, metadata: without(plain.metadata, "managedFields") };
}

/** The two labels that every restored object carries. */
export interface RestoreLabels {
  readonly backup: string;
  readonly restore: string;
}

/** The item with the labels that say where it came from; the values are already shortened. */
export function labelled(item: Item, labels: RestoreLabels): Item {
  const all = {
    ...recordOf(item.metadata.labels),
    [veleroNames.backupName]: labels.backup,
    [veleroNames.restoreName]: labels.restore,
  };
  return update(item, ["metadata", "labels"], () => all);
}

/** The item in its target namespace. */
export function placed(item: Item, namespace: string): Item {
  return update(item, ["metadata", "namespace"], () => (namespace === "" ? undefined : namespace));
}

/** The item without some annotations; an empty map goes away. */
export function withoutAnnotations(item: Item, keys: readonly string[]): Item {
  return update(item, ["metadata", "annotations"], (old) => {
    const left = without(recordOf(old), ...keys);
    return Object.keys(left).length === 0 ? undefined : left;
  });
}
