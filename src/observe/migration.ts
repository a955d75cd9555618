import {
  allKinds,
  apiVersionOf,
  findCondition,
  type MigMigration,
  type MigStep,
  migPhaseOf,
  stepCount,
} from "../api/index.ts";
import type { Observation, Ref, Sample, State } from "../progress/index.ts";
import { idOf, messageOf, refOf, timeOf, timesOf } from "./reading.ts";

/** A migration: its pipeline of steps, in the order and with the names its controller gave them. */
export function observeMigration(migration: MigMigration, cluster?: string): Observation {
  const { status, spec } = migration;
  const ref = refOf(migration, cluster);
  const state = migrationState(migration);
  const steps = status?.pipeline ?? [];
  const finished = state === "running" || state === "pending" ? undefined : lastEnd(steps);
  return {
    id: idOf(migration),
    ref,
    kind: spec?.stage ? "stage" : "migration",
    title: `${spec?.stage ? "Stage" : "Migration"} ${migration.metadata.name}`,
    state,
    rule: "steps",
    ...timesOf(status?.startTimestamp, undefined),
    ...(finished !== undefined && { finishedAt: finished }),
    ...messageOf(status?.errors?.join("; "), running(migration)?.message),
    errors: status?.errors?.length ?? 0,
    ...(steps.length > 0
      ? { children: steps.map((step) => observeStep(step, state, ref)) }
      : { progress: countedSteps(migration) }),
  };
}

function running(migration: MigMigration) {
  return findCondition(migration.status?.conditions, "Running");
}

/** Migrations without a pipeline tell only `Step: 7/33`. */
function countedSteps(migration: MigMigration): Sample {
  const count = stepCount(running(migration)?.message);
  return count
    ? { unit: "steps", done: Math.max(0, count.step - 1), total: count.of }
    : { unit: "steps", done: 0 };
}

function migrationState(migration: MigMigration): State {
  const { status } = migration;
  const is = (type: string) => findCondition(status?.conditions, type)?.status === "True";
  const over = migPhaseOf(status) === "Completed";
  if (is("Canceled")) return over ? "canceled" : "running";
  if (is("Failed")) return over ? "failed" : "running";
  if (is("SucceededWithWarnings")) return "partially-failed";
  if (is("Succeeded") || over) return (status?.errors?.length ?? 0) > 0 ? "failed" : "completed";
  return status?.startTimestamp ? "running" : "pending";
}

function observeStep(step: MigStep, whole: State, ref: Ref): Observation {
  const details = step.details ?? [];
  const children = details.map((detail, i): Observation => {
    const total = detail.total === undefined ? {} : { total: detail.total };
    const unit = detail.unit === "bytes" || detail.unit === "items" ? detail.unit : "steps";
    return {
      // The same name may stand on both clusters.
      id: `${detail.kind ?? "object"}/${detail.namespace ?? ""}/${detail.name ?? i}${detail.cluster ? `@${detail.cluster}` : ""}`,
      ref: refOfDetail(detail, ref),
      kind: (detail.kind ?? "object").toLowerCase(),
      title: [detail.kind, detail.name].filter(Boolean).join(" "),
      state: detailState(detail.state, detail.completedAt),
      ...(detail.done !== undefined && { progress: { unit, done: detail.done, ...total } }),
      ...timesOf(detail.startedAt, detail.completedAt),
      ...messageOf(detail.message),
    };
  });
  return {
    id: step.name,
    ref,
    kind: "step",
    title: step.name,
    state: stepState(step, whole),
    ...timesOf(step.started, step.completed),
    ...messageOf(step.progress?.at(-1), step.message),
    warnings: step.warnings?.length ?? 0,
    ...(children.length > 0 && { rule: "mean", children }),
  };
}

/** The object of a detail, on the cluster it names; the migration itself where it names none. */
function refOfDetail(detail: NonNullable<MigStep["details"]>[number], ref: Ref): Ref {
  const { kind, namespace, name, cluster } = detail;
  if (kind === undefined || name === undefined) return ref;
  const known = allKinds.find((each) => each.kind === kind);
  return {
    ...(cluster !== undefined && { cluster }),
    apiVersion: known ? apiVersionOf(known) : "v1",
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
  };
}

function stepState(step: MigStep, whole: State): State {
  if (step.skipped) return "skipped";
  if (step.failed) return "failed";
  if (step.completed) return "completed";
  if (!step.started) return whole === "failed" || whole === "canceled" ? "skipped" : "pending";
  return whole === "failed" || whole === "canceled" ? whole : "running";
}

function detailState(text: string | undefined, completedAt: string | undefined): State {
  const known: readonly State[] = [
    "pending",
    "running",
    "completed",
    "partially-failed",
    "failed",
    "canceled",
    "skipped",
  ];
  return known.find((state) => state === text) ?? (completedAt ? "completed" : "running");
}

function lastEnd(steps: readonly MigStep[]): number | undefined {
  const ends = steps.map((step) => timeOf(step.completed)).filter((at) => at !== undefined);
  return ends.length > 0 ? Math.max(...ends) : undefined;
}
