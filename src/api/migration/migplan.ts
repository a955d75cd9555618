import { labelSelector, objectReference } from "../core.ts";
import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import { bool, listOf, obj, quantity, str, strings, type Typed } from "../schema.ts";
import { conditions, observedDigest, readyColumn, unhealthyNamespaces, v1alpha1 } from "./group.ts";

const persistentVolume = obj(
  "A volume and what happens to it",
  {
    name: str("Name of the PersistentVolume"),
    capacity: quantity("Its size"),
    storageClass: str("Its StorageClass"),
    pvc: obj("The claim that uses it", {
      namespace: str("The claim's namespace, or source:destination"),
      name: str("The claim's name, or source:destination"),
      accessModes: strings("The claim's access modes"),
      hasReference: bool("Whether a pod uses the claim"),
      volumeMode: str("Filesystem or Block"),
    }),
    supported: obj(
      "What can be done with it",
      {
        actions: strings("Actions: move, copy, skip"),
        copyMethods: strings("Ways to copy: filesystem, snapshot, block"),
      },
      ["actions", "copyMethods"],
    ),
    selection: obj("What is to be done with it", {
      action: str("move, copy or skip"),
      storageClass: str("StorageClass on the destination"),
      accessMode: str("Access mode on the destination"),
      copyMethod: str("filesystem, snapshot or block"),
      verify: bool("Whether copied files are compared"),
    }),
    proposedCapacity: quantity("Size it should have on the destination"),
    capacityConfirmed: bool("Whether that size was confirmed"),
  },
  ["selection", "supported"],
);

const storageClasses = (description: string) =>
  listOf(
    description,
    obj("A StorageClass", {
      name: str("Its name"),
      provisioner: str("Its provisioner"),
      default: bool("Whether it is the default"),
      volumeAccessModes: listOf(
        "Access modes by volume mode",
        obj("Access modes of a volume mode", {
          volumeMode: str("Filesystem or Block"),
          accessModes: strings("The access modes"),
        }),
      ),
    }),
  );

/** The kind MigPlan. */
export const migPlan = defineKind({
  ...v1alpha1,
  kind: "MigPlan",
  plural: "migplans",
  description: "What to migrate, from where to where",
  fields: {
    spec: obj("What to migrate, from where to where", {
      namespaces: strings("Namespaces, each as name or source:destination"),
      srcMigClusterRef: objectReference("The MigCluster migrated from"),
      destMigClusterRef: objectReference("The MigCluster migrated to"),
      migStorageRef: objectReference("The MigStorage in between"),
      persistentVolumes: listOf("The volumes found, and what happens to them", persistentVolume),
      hooks: listOf(
        "Hooks, at most one a phase",
        obj(
          "A hook",
          {
            reference: objectReference("The MigHook"),
            phase: str("PreBackup, PostBackup, PreRestore or PostRestore"),
            executionNamespace: str("The namespace it runs in"),
            serviceAccount: str("The service account it runs as"),
          },
          ["executionNamespace", "phase", "reference", "serviceAccount"],
        ),
      ),
      closed: bool("Whether the plan is done with"),
      refresh: bool("Whether the plan is to be checked anew"),
      indirectImageMigration: bool("Whether images go through the storage; absent means directly"),
      indirectVolumeMigration: bool("Whether volumes go through the storage; absent means directly"),
      includedResources: listOf(
        "Kinds to include; empty means all",
        obj("A kind", { group: str("Its group"), kind: str("Its name") }, ["group", "kind"]),
      ),
      labelSelector: labelSelector("Labels an object must have"),
      liveMigrate: bool("Whether running virtual machines are migrated live"),
    }),
    status: obj("How the plan is", {
      conditions,
      observedDigest,
      excludedResources: strings("Resource types that are left out"),
      srcStorageClasses: storageClasses("StorageClasses of the source"),
      destStorageClasses: storageClasses("StorageClasses of the destination"),
      incompatibleNamespaces: listOf(
        "Namespaces with kinds that the destination lacks",
        obj(
          "A namespace",
          {
            name: str("Its name"),
            gvks: listOf(
              "The kinds",
              obj(
                "A kind",
                { group: str("Its group"), version: str("Its version"), kind: str("Its plural name") },
                ["group", "kind", "version"],
              ),
            ),
          },
          ["gvks", "name"],
        ),
      ),
      namespaces: unhealthyNamespaces,
    }),
  },
  columns: [
    readyColumn,
    column("Source", ".spec.srcMigClusterRef.name"),
    column("Target", ".spec.destMigClusterRef.name"),
    column("Storage", ".spec.migStorageRef.name"),
    ageColumn,
  ],
});

/** What to migrate, from where to where. */
export type MigPlan = ObjectOf<typeof migPlan>;

/** A volume of a plan and what happens to it. */
export type MigVolume = Typed<typeof persistentVolume>;
