import { findCondition, type MigMigration, type MigStep, migPhaseOf, stepCount } from "../../api/index.ts";
import {
  type Observation,
  type Ref,
  type Sample,
  type State,
  stepWeight,
  type WaitingFor,
} from "../../progress/index.ts";
import { idOf, messageOf, refOf, timeOf, timesOf } from "../reading.ts";
import { readObjects } from "./objects.ts";
import { migrationStateOf } from "./phase.ts";
import { lineOf } from "./write.ts";

/** A migration: its pipeline of steps, in the order and with the names its controller gave them. */
export function readMigration(migration: MigMigration, cluster?: string): Observation {
  const { status, spec } = migration;
  const ref = refOf(migration, cluster);
  const state = migrationStateOf(migration);
  const steps = status?.pipeline ?? [];
  const finished = state === "running" || state === "pending" ? undefined : lastEnd(steps);
  const waitingFor = state === "running" || state === "pending" ? heldBy(migration) : undefined;
  return {
    id: idOf(migration),
    ref,
    kind: spec?.stage ? "stage" : "migration",
    title: `${spec?.stage ? "Stage" : "Migration"} ${migration.metadata.name}`,
    state,
    rule: "steps",
    ...timesOf(status?.startTimestamp, undefined),
    ...(finished !== undefined && { finishedAt: finished }),
    ...messageOf(status?.errors?.join("; "), ending(migration), headline(migration)),
    errors: status?.errors?.length ?? 0,
    ...(waitingFor && { waitingFor }),
    ...(steps.length > 0
      ? { children: steps.map((step) => readStep(step, state, ref)) }
      : { progress: countedSteps(migration) }),
  };
}

/** The words for the running phase, with the numbers that its controller gives. */
function headline(migration: MigMigration): string | undefined {
  const { progress, message } = findCondition(migration.status?.conditions, "Running") ?? {};
  const step = migration.status?.pipeline?.find(({ name }) => name === migration.status?.step);
  const words = step && !step.completed ? step.message : undefined;
  return [words ?? message, progress].filter(Boolean).join(": ") || undefined;
}

/** How it ended, where that is worth words. */
function ending(migration: MigMigration): string | undefined {
  const { conditions = [] } = migration.status ?? {};
  if (migPhaseOf(migration.status) !== "Completed") return undefined;
  const warnings = conditions.filter(({ category, status }) => category === "Warn" && status === "True");
  const words = warnings.map(({ type, message }) => message || type).join(" ");
  return findCondition(conditions, "Canceled")?.message || words || undefined;
}

/** What keeps a migration from going on, such as a plan that is not ready, another migration before it, or a request that is refused. */
function heldBy(migration: MigMigration): WaitingFor | undefined {
  const held = migration.status?.conditions?.find(
    ({ category, status }) => category === "Critical" && status === "True",
  );
  if (held) return { reason: "plan", message: held.message || held.type };
  const retrying = findCondition(migration.status?.conditions, "Retrying");
  return retrying?.status === "True"
    ? { reason: "retry", message: retrying.message || retrying.type }
    : undefined;
}

/** Migrations without a pipeline tell only `Step: 7/33`. */
function countedSteps(migration: MigMigration): Sample {
  const count = stepCount(findCondition(migration.status?.conditions, "Running")?.message);
  return count
    ? { unit: "steps", done: Math.max(0, count.step - 1), total: count.of }
    : { unit: "steps", done: 0 };
}

const weightOf = (phase: string) => stepWeight("migration", phase);

function readStep(step: MigStep, whole: State, ref: Ref): Observation {
  const state = stepState(step, whole);
  const phases = step.phases ?? [];
  const children =
    phases.length > 0
      ? phases.map((phase) => readPhase(phase, step, state, ref))
      : readObjects(step.details ?? [], ref);
  const weights = phases.filter(({ skipped }) => !skipped).map(({ name }) => weightOf(name ?? ""));
  const reason = step.skipped ? step.reason : undefined;
  return {
    id: step.name,
    ref,
    kind: "step",
    title: step.name,
    state,
    ...timesOf(step.started, step.completed),
    ...messageOf(reason, step.canceled ? step.message : undefined, step.progress?.at(-1), step.message),
    warnings: step.warnings?.length ?? 0,
    ...(phases.length > 0 && { weight: weights.reduce((sum, weight) => sum + weight, 0) }),
    ...(children.length > 0 && { rule: phases.length > 0 ? "steps" : "mean", children }),
  };
}

type Phase = NonNullable<MigStep["phases"]>[number];

function readPhase(phase: Phase, step: MigStep, stepIs: State, ref: Ref): Observation {
  const name = phase.name ?? "";
  const details = (step.details ?? []).filter((detail) => detail.phase === name);
  const children = readObjects(details, ref);
  const state = phaseState(phase, step, stepIs);
  const line = state === "running" && children.length === 0 ? waitOf(step, details) : undefined;
  return {
    id: name,
    ref,
    kind: "phase",
    title: name,
    state,
    weight: phase.skipped ? 0 : weightOf(name),
    ...timesOf(phase.started, phase.completed),
    ...(line !== undefined && { waitingFor: { reason: "phase", message: line } }),
    ...(children.length > 0 && { rule: "mean", children }),
  };
}

/** What a phase without objects waits for; whoever keeps no details may still have written lines. */
function waitOf(step: MigStep, details: NonNullable<MigStep["details"]>): string | undefined {
  const remark = details.find((detail) => detail.remark);
  return remark ? lineOf(remark) : step.details ? undefined : step.progress?.[0];
}

function phaseState(phase: Phase, step: MigStep, stepIs: State): State {
  if (phase.skipped) return "skipped";
  if (step.failed && step.phase === phase.name) return "failed";
  if (phase.completed) return "completed";
  const isOver = stepIs !== "running" && stepIs !== "pending";
  if (phase.started) return isOver ? (stepIs === "failed" ? "failed" : "canceled") : "running";
  return isOver ? "skipped" : "pending";
}

function stepState(step: MigStep, whole: State): State {
  if (step.skipped) return "skipped";
  if (step.failed) return "failed";
  if (step.completed) return step.canceled ? "canceled" : "completed";
  if (!step.started) return whole === "failed" || whole === "canceled" ? "skipped" : "pending";
  return whole === "failed" || whole === "canceled" ? whole : "running";
}

function lastEnd(steps: readonly MigStep[]): number | undefined {
  const ends = steps.map((step) => timeOf(step.completed)).filter((at) => at !== undefined);
  return ends.length > 0 ? Math.max(...ends) : undefined;
}
