import {
  findCondition,
  formatTime,
  isTrue,
  itineraryOf,
  type MigCondition,
  type MigMigration,
  setMigCondition,
} from "../../api/index.ts";
import { settleConditions, type Wanted } from "./conditions.ts";
import {
  chooseItinerary,
  type Flags,
  failurePhases,
  type ItineraryName,
  itineraries,
  itineraryNamed,
  nextPhase,
  type PhaseName,
  phaseOf,
  position,
  stepOf,
} from "./itinerary.ts";
import {
  adoptPhases,
  beginPipeline,
  cancelStep,
  enterPhase,
  failStep,
  type Report,
  report as reportStep,
  warnStep,
} from "./pipeline.ts";

/** All that a run remembers; it is in the cluster, nowhere else. */
export type RunStatus = NonNullable<MigMigration["status"]>;

/** Where a run is: its itinerary and phase; the phase is absent while a failure waits for its itinerary. */
export interface Where {
  readonly itinerary: ItineraryName;
  readonly phase: PhaseName | undefined;
}

/** Where a run is; undefined before its begin. */
export function whereIs(status: RunStatus | undefined): Where | undefined {
  const itinerary = itineraryNamed(itineraryOf(status));
  return itinerary && { itinerary, phase: phaseOf(status?.phase) };
}

/** Whether nothing more will happen. */
export function isOver(status: RunStatus | undefined): boolean {
  return status?.phase === "Completed";
}

/** Which itinerary a run has to follow now. */
export function wantedItinerary(migration: Pick<MigMigration, "spec" | "status">): ItineraryName {
  const { spec, status } = migration;
  const has = (type: string) => isTrue(status?.conditions, type);
  return chooseItinerary({
    failed: (status?.errors?.length ?? 0) > 0 || has("Failed"),
    canceled: spec?.canceled === true || has("Canceling") || has("Canceled"),
    rollback: spec?.rollback === true,
    stage: spec?.stage === true,
  });
}

/** The first status of a run. */
export function beginRun(
  before: RunStatus,
  itinerary: ItineraryName,
  nowMs: number,
  flags?: Flags,
): RunStatus {
  // Stage pods come later; everything else is known from the start, and so is what will be passed over.
  const never = itineraries[itinerary]
    .filter(({ needs }) => flags && needs && !(needs === "stagePods" ? flags.volumes : flags[needs]))
    .map(({ phase }) => phase);
  const at = { itinerary, phase: "Created" as const, skipped: [] };
  return {
    ...before,
    itinerary,
    phase: "",
    step: "Prepare",
    startTimestamp: before.startTimestamp ?? formatTime(nowMs),
    pipeline: enterPhase(beginPipeline(itinerary, never), at, nowMs, ""),
  };
}

/** The run in its next phase, or in the one that is named. */
export function advanceRun(status: RunStatus, flags: Flags, nowMs: number, to?: PhaseName): RunStatus {
  const { itinerary, phase = "Created" } = whereIs(status) ?? { itinerary: "Final" };
  const next = nextPhase(itinerary, phase, flags);
  const skipped = to === undefined ? next.skipped : between(itinerary, phase, to);
  return enter(status, { itinerary, phase: to ?? next.phase, skipped }, nowMs, whySkipped(status, flags));
}

/** The run with a phase that failed; what follows is another itinerary. */
export function failRun(status: RunStatus, errors: readonly string[], nowMs: number): RunStatus {
  const { itinerary, phase = "Created" } = whereIs(status) ?? { itinerary: "Final" };
  const step = stepOf(itinerary, phase) ?? "Final";
  const all = [...new Set([...(status.errors ?? []), ...errors])].slice(0, 50);
  return {
    ...status,
    errors: all.length > 0 ? all : [`phase ${phase} failed`],
    phase: failurePhases[phase] ?? status.phase ?? "",
    pipeline: failStep(status.pipeline ?? [], step, phase, nowMs),
    conditions: setMigCondition(
      status.conditions,
      {
        type: "Failed",
        status: "True",
        category: "Advisory",
        reason: phase,
        message: "The migration has failed, see errors.",
        durable: true,
      },
      formatTime(nowMs),
    ),
  };
}

/** The run at the first phase of another itinerary. */
export function switchRun(
  status: RunStatus,
  itinerary: ItineraryName,
  flags: Flags,
  nowMs: number,
): RunStatus {
  const first = itineraries[itinerary][0]?.phase ?? "Completed";
  const before = status.pipeline ?? [];
  const stopped =
    itinerary === "Cancel" && status.step !== "Final"
      ? cancelStep(before, (status.step ?? "Prepare") as Parameters<typeof cancelStep>[1], nowMs)
      : before;
  const moved = { ...status, itinerary, pipeline: adoptPhases(stopped, itinerary) };
  return enter(moved, { itinerary, phase: first, skipped: [] }, nowMs, whySkipped(moved, flags));
}

/** What the current phase tells. */
export function reportRun(status: RunStatus, told: Report, nowMs: number): RunStatus {
  const { itinerary, phase } = whereIs(status) ?? { itinerary: "Final" };
  const step = phase && stepOf(itinerary, phase);
  return step && phase
    ? { ...status, pipeline: reportStep(status.pipeline ?? [], { step, phase }, told, nowMs) }
    : status;
}

/** The run with a warning: a durable condition, and a remark at the current step. */
export function warnRun(
  status: RunStatus,
  { type, reason, message }: { readonly type: string; readonly reason?: string; readonly message: string },
  nowMs: number,
): RunStatus {
  const { itinerary, phase } = whereIs(status) ?? { itinerary: "Final" };
  const step = phase && stepOf(itinerary, phase);
  const condition = {
    type,
    status: "True",
    category: "Warn",
    ...(reason !== undefined && { reason }),
    message,
    durable: true,
  };
  return {
    ...status,
    conditions: setMigCondition(status.conditions, condition, formatTime(nowMs)),
    ...(step && { pipeline: warnStep(status.pipeline ?? [], step, message) }),
  };
}

/** The conditions at the end of a look: those that are wanted, and what tells how far the run is or how it ended. */
export function settle(status: RunStatus, wanted: readonly Wanted[], nowMs: number): readonly MigCondition[] {
  const all = isOver(status) ? [...wanted, ...outcome(status)] : [...wanted, ...running(status)];
  return settleConditions(status.conditions, all, nowMs);
}

/** The condition that tells which phase is done at the moment; in a phase of failure the count of the failed one stays. */
function running(status: RunStatus): readonly Wanted[] {
  const where = whereIs(status);
  if (!where) return [];
  const failed = findCondition(status.conditions, "Failed")?.reason;
  const counted = where.phase ?? phaseOf(failed) ?? "Created";
  const { at, of } = position(where.itinerary, counted);
  const old = findCondition(status.conditions, "Running");
  const reason = status.phase || "Created";
  return [
    {
      type: "Running",
      status: "True",
      category: "Advisory",
      reason,
      message: `Step: ${at}/${of}`,
      ...(old?.progress && old.reason === reason && { progress: old.progress }),
    },
  ];
}

function outcome(status: RunStatus): readonly Wanted[] {
  if (isTrue(status.conditions, "Failed") || isTrue(status.conditions, "Canceled")) return [];
  const warned = (status.conditions ?? []).some(
    ({ category, durable, status: is }) => category === "Warn" && durable && is === "True",
  );
  return [
    {
      type: warned ? "SucceededWithWarnings" : "Succeeded",
      status: "True",
      category: "Advisory",
      reason: "Completed",
      message: warned
        ? "The migration has completed with warnings, see the conditions of category Warn."
        : "The migration has completed successfully.",
      durable: true,
    },
  ];
}

function enter(
  status: RunStatus,
  at: Parameters<typeof enterPhase>[1],
  nowMs: number,
  why: string,
): RunStatus {
  return {
    ...status,
    phase: at.phase,
    step: stepOf(at.itinerary, at.phase) ?? "Final",
    pipeline: enterPhase(status.pipeline ?? [], at, nowMs, why),
  };
}

function between(itinerary: ItineraryName, from: PhaseName, to: PhaseName): readonly PhaseName[] {
  const all = itineraries[itinerary].map(({ phase }) => phase);
  return all.slice(all.indexOf(from) + 1, all.indexOf(to));
}

function whySkipped(status: RunStatus, flags: Flags): string {
  const itinerary = itineraryOf(status);
  if (itinerary === "Failed") return "an earlier step failed";
  if (itinerary === "Cancel") return "the migration was canceled";
  return flags.volumes ? "" : "the plan moves no persistent volumes";
}
