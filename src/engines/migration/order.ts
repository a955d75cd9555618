import { findCondition, isTrue, type MigMigration, type MigPlan } from "../../api/index.ts";
import { critical, type Wanted } from "./conditions.ts";
import { isOver } from "./run-state.ts";

/** A migration that waits for its turn looks again after so long per place. */
const placeMs = 10_000;

/** What keeps a migration from going on, and how long it waits for its turn. */
export interface Turn {
  readonly blockers: readonly Wanted[];
  readonly againAfterMs?: number;
}

/** Whether a migration of a plan may go on; `siblings` are all migrations of the plan. */
export function turnOf(
  migration: MigMigration,
  plan: MigPlan | undefined,
  siblings: readonly MigMigration[],
): Turn {
  const ref = migration.spec?.migPlanRef;
  if (!ref?.name) return { blockers: [critical("InvalidPlanRef", "NotSet", "migPlanRef names no MigPlan")] };
  if (!plan) {
    const words = `MigPlan ${ref.namespace ?? migration.metadata.namespace}/${ref.name} does not exist`;
    return { blockers: [critical("InvalidPlanRef", "NotFound", words)] };
  }
  const blockers: Wanted[] = [...specFaults(migration)];
  if (plan.spec?.closed === true) blockers.push(critical("PlanClosed", undefined, "The plan is closed."));
  else if (!isTrue(plan.status?.conditions, "Ready")) {
    blockers.push(critical("PlanNotReady", undefined, `The plan is not ready${why(plan)}.`));
  }
  const final = finalBefore(migration, siblings);
  if (final) {
    const words = `The plan already has the final migration "${final.metadata.name}"; another may follow when a run with rollback has undone it ("headway migration create --plan ${plan.metadata.name} --rollback").`;
    blockers.push(critical("HasFinalMigration", undefined, words));
  }
  if (blockers.length > 0) return { blockers };
  const place = queueOf(siblings).findIndex(({ metadata }) => metadata.uid === migration.metadata.uid);
  if (place <= 0) return { blockers: [] };
  const againAfterMs = place * placeMs;
  const words = `Postponed ${againAfterMs / 1000} seconds, to ensure that the plan's migrations run one by one and in order.`;
  return { blockers: [critical("Postponed", undefined, words)], againAfterMs };
}

/** The migrations of a plan that are not over, in the order in which they run: stage ones first, each by age. */
function queueOf(siblings: readonly MigMigration[]): readonly MigMigration[] {
  const open = siblings.filter(
    ({ status, metadata }) => !isOver(status) && metadata.deletionTimestamp === undefined,
  );
  // One that has begun goes on, whatever came later.
  const rank = ({ spec, status }: MigMigration) =>
    status?.startTimestamp ? 0 : spec?.stage === true ? 1 : 2;
  const age = ({ metadata }: MigMigration) => `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
  return open.toSorted((a, b) => rank(a) - rank(b) || (age(a) < age(b) ? -1 : 1));
}

/** Another final migration that makes this one pointless. */
function finalBefore(migration: MigMigration, siblings: readonly MigMigration[]): MigMigration | undefined {
  if (migration.spec?.rollback === true || migration.status?.startTimestamp) return undefined;
  return siblings.find((other) => {
    if (other.metadata.uid === migration.metadata.uid || other.spec?.stage === true || other.spec?.rollback)
      return false;
    const has = (type: string) => isTrue(other.status?.conditions, type);
    if (isUndone(other, siblings)) return false;
    if (has("Canceled") || has("Canceling") || other.spec?.canceled === true) return false;
    const succeeded = has("Succeeded") || has("SucceededWithWarnings");
    return migration.spec?.stage === true ? succeeded || has("Running") || has("Failed") : succeeded;
  });
}

/** Whether a roll-back that came later has succeeded. */
function isUndone({ metadata }: MigMigration, siblings: readonly MigMigration[]): boolean {
  return siblings.some(
    (other) =>
      other.spec?.rollback === true &&
      ["Succeeded", "SucceededWithWarnings"].some((type) => isTrue(other.status?.conditions, type)) &&
      (other.metadata.creationTimestamp ?? "") >= (metadata.creationTimestamp ?? ""),
  );
}

/** Wishes that exclude each other, or that nobody fulfils here: to do something else instead would be worse. */
function specFaults({ spec }: MigMigration): readonly Wanted[] {
  const bad = (words: string) => [critical("InvalidSpec", "NotSupported", words)];
  if (spec?.rollback && spec.stage) return bad("A run is either a stage run or a roll-back.");
  if (spec?.migrateState) return bad("migrateState is not supported: a stage run copies volumes alone.");
  return [];
}

function why(plan: MigPlan): string {
  const faults = (plan.status?.conditions ?? []).filter(
    ({ category, status }) => status === "True" && (category === "Critical" || category === "Error"),
  );
  return faults.length === 0
    ? ""
    : `: ${faults.map(({ type, message }) => `${type}${message ? ` (${message})` : ""}`).join(", ")}`;
}

/** Whether a plan rests: one of its migrations runs, or its final one has succeeded. */
export function isSuspended(siblings: readonly MigMigration[]): boolean {
  return siblings.some((migration) => {
    const { spec, status } = migration;
    if (status?.startTimestamp && !isOver(status)) return true;
    if (spec?.rollback === true || isUndone(migration, siblings)) return false;
    const ended =
      findCondition(status?.conditions, "Succeeded") ??
      findCondition(status?.conditions, "SucceededWithWarnings");
    return spec?.stage !== true && ended?.status === "True";
  });
}
