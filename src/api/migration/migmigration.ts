import { objectReference } from "../core.ts";
import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import { bool, int64, listOf, num, obj, str, strings, type Typed, time } from "../schema.ts";
import { conditions, observedDigest, readyColumn, unhealthyNamespaces, v1alpha1 } from "./group.ts";

const step = obj(
  "A step of the pipeline",
  {
    name: str("The step's name"),
    phase: str("The phase the step is in"),
    message: str("Where the step stands, for a person"),
    progress: strings("How far each object is, for a person"),
    started: time("When the step began"),
    completed: time("When the step ended"),
    failed: bool("Whether the step failed"),
    skipped: bool("Whether the step was passed over"),
    canceled: bool("Whether the run was canceled during the step (Headway)"),
    reason: str("Why the step was passed over (Headway)"),
    details: listOf(
      "How far each object is, as numbers (Headway)",
      obj("One object's progress", {
        kind: str("The object's kind"),
        namespace: str("The object's namespace"),
        name: str("The object's name"),
        cluster: str("The cluster it is on"),
        claim: obj("The claim whose volume it is", {
          namespace: str("The claim's namespace"),
          name: str("The claim's name"),
        }),
        phase: str("The phase of the migration that it belongs to"),
        estimated: bool("Whether the total is a guess, from an earlier copy of the volume"),
        objectPhase: str("The object's own phase"),
        remark: bool("Whether it only says what is waited for or was done, without progress of its own"),
        state: str("Where it stands"),
        done: num("How much is done"),
        total: num("How much there is; absent while unknown"),
        unit: str("What is counted: bytes, items or steps"),
        startedAt: time("When it began"),
        completedAt: time("When it ended"),
        message: str("A remark"),
      }),
    ),
    phases: listOf(
      "The phases of the step (Headway)",
      obj("A phase", {
        name: str("The phase's name"),
        started: time("When it began"),
        completed: time("When it ended"),
        skipped: bool("Whether it was passed over"),
      }),
    ),
    warnings: strings("Warnings of the step (Headway)"),
    lastProgressAt: time("When the numbers last changed (Headway)"),
  },
  ["name"],
);

/** The kind MigMigration. */
export const migMigration = defineKind({
  ...v1alpha1,
  kind: "MigMigration",
  plural: "migmigrations",
  description: "One run of a migration plan",
  fields: {
    spec: obj(
      "Which plan, and how",
      {
        migPlanRef: objectReference("The MigPlan"),
        stage: bool("Whether volumes are copied ahead while the application goes on"),
        quiescePods: bool("Whether the application is scaled down before its volumes are copied"),
        keepAnnotations: bool("Whether temporary labels and annotations stay"),
        verify: bool("Whether the migrated workloads are checked"),
        canceled: bool("Whether the run is to be canceled"),
        rollback: bool("Whether an earlier run is undone"),
        migrateState: bool("Whether volumes only are migrated"),
        runAsRoot: bool("Whether transfer pods run as root"),
        runAsUser: int64("User of the transfer pods"),
        runAsGroup: int64("Group of the transfer pods"),
      },
      ["stage"],
    ),
    status: obj("How the migration goes", {
      conditions,
      namespaces: unhealthyNamespaces,
      observedDigest,
      startTimestamp: time("When the run began"),
      phase: str("The phase; empty means Created"),
      itinerary: str("The list of phases: Final, Stage, Failed, Cancel or Rollback"),
      itenerary: str("The same under the name that was used up to 1.2"),
      errors: strings("Why the run failed"),
      pipeline: listOf("The steps in their order", step),
      step: str("The step the run is in"),
    }),
  },
  columns: [
    readyColumn,
    column("Plan", ".spec.migPlanRef.name"),
    column("Stage", ".spec.stage"),
    column("Rollback", ".spec.rollback"),
    column("Itinerary", ".status.itinerary"),
    column("Phase", ".status.phase"),
    ageColumn,
  ],
});

/** One run of a migration plan. */
export type MigMigration = ObjectOf<typeof migMigration>;

/** A step of a migration's pipeline. */
export type MigStep = Typed<typeof step>;
