import { column } from "../kind.ts";
import { bool, listOf, obj, str, strings, type Typed, time } from "../schema.ts";

/** Group and version of the kinds of migration. */
export const v1alpha1 = { group: "migration.openshift.io", version: "v1alpha1" } as const;

const condition = obj(
  "A condition",
  {
    type: str("What it is about"),
    status: str("True or False"),
    reason: str("Why, in one word"),
    category: str("Critical, Error, Warn, Required or Advisory"),
    message: str("Why, for a person"),
    lastTransitionTime: time("When it last changed"),
    durable: bool("Whether it outlives the check that set it"),
    progress: str("How far the work is, for a person"),
  },
  ["category", "lastTransitionTime", "status", "type"],
);

/** A condition of a migration's kinds. */
export type MigCondition = Typed<typeof condition>;

/** The conditions that every kind of migration has. */
export const conditions = listOf("What holds at the moment", condition);

/** Workloads that are not well, by namespace. */
export const unhealthyNamespaces = listOf(
  "Namespaces with workloads that are not well",
  obj(
    "A namespace",
    {
      name: str("Its name"),
      workloads: listOf(
        "Its workloads",
        obj("A workload", { name: str("Its name"), resources: strings("What belongs to it") }, ["name"]),
      ),
    },
    ["name", "workloads"],
  ),
);

/** Digest of the spec that the status is about. */
export const observedDigest = str("SHA-256 of the spec that this status is about");

/** Whether the object is ready to be used. */
export const readyColumn = column("Ready", ".status.conditions[?(@.type=='Ready')].status");
