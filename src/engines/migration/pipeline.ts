import { currentLines, formatTime, type MigStep, resultLines } from "../../api/index.ts";
import { description } from "./descriptions.ts";
import {
  type ItineraryName,
  itineraries,
  type PhaseName,
  type StepName,
  stepOf,
  stepsOf,
} from "./itinerary.ts";
import { withoutDuration } from "./lines.ts";

/** The steps of a run in their order. */
export type Pipeline = readonly MigStep[];

/** How far one object is, as numbers. */
export type Detail = NonNullable<MigStep["details"]>[number];

/** What a phase tells of itself. */
export interface Report {
  readonly lines?: readonly string[];
  readonly details?: readonly Detail[];
}

/** At most so many lines and details a step; the worst come first, so that what is cut is well. */
const kept = 200;

/** The steps of the itinerary that a run begins with, none of them started; `never` are phases that will not be done. */
export function beginPipeline(itinerary: ItineraryName, never: readonly PhaseName[] = []): Pipeline {
  return stepsOf(itinerary).map((name) => ({
    name,
    message: "Not started",
    phases: phasesOf(itinerary, name).map((phase) =>
      never.some((other) => other === phase.name) ? { ...phase, skipped: true } : phase,
    ),
  }));
}

/** The pipeline when a phase becomes the current one. `why` tells the reason of a step that is passed over. */
export function enterPhase(
  pipeline: Pipeline,
  at: {
    readonly itinerary: ItineraryName;
    readonly phase: PhaseName;
    readonly skipped: readonly PhaseName[];
  },
  nowMs: number,
  why: string,
): Pipeline {
  const { itinerary, phase, skipped } = at;
  const current = stepOf(itinerary, phase) ?? "Final";
  const now = formatTime(nowMs);
  const place = pipeline.findIndex(({ name }) => name === current);
  const isEnd = phase === "Completed";
  return pipeline.map((step, i) => {
    // What happens later is no matter of a step that is over, also where it has a phase of the same name.
    const marked = step.completed
      ? step
      : { ...step, phases: passed(step, phase, skipped, now, isEnd && i === place) };
    if (i === place) return isEnd ? ended(begun(marked, now), now) : entered(marked, phase, now);
    if (i < place || isEnd) return step.started ? ended(marked, now) : passedOver(marked, why);
    return marked;
  });
}

/** A phase of this step failed: its name is kept, and nothing between here and the clean-up will be done. */
export function failStep(pipeline: Pipeline, name: StepName, phase: PhaseName, nowMs: number): Pipeline {
  return pipeline.map((step) =>
    step.name === name
      ? withoutOpen(
          {
            ...begun(step, formatTime(nowMs)),
            failed: true,
            phase,
            message: "Failed",
            completed: formatTime(nowMs),
          },
          "failed",
        )
      : step,
  );
}

/** The run was canceled during this step. */
export function cancelStep(pipeline: Pipeline, name: StepName, nowMs: number): Pipeline {
  return pipeline.map((step) => {
    if (step.name !== name || !step.started || step.failed) return step;
    const { phase: _, ...rest } = step;
    const over = { ...rest, message: "Canceled", canceled: true, completed: formatTime(nowMs) };
    return withoutOpen(over, "canceled");
  });
}

/** Nobody looks at the objects of a step that is over: none of them is said to be at work. */
function withoutOpen(step: MigStep, state: "canceled" | "failed"): MigStep {
  if (!step.details) return step;
  const isOpen = (detail: Detail) => detail.state === "running" || detail.state === "pending";
  return { ...step, details: step.details.map((one) => (isOpen(one) ? { ...one, state } : one)) };
}

/** The last step goes on with the phases of another itinerary; what it has done already stays. */
export function adoptPhases(pipeline: Pipeline, itinerary: ItineraryName): Pipeline {
  const last = pipeline.length - 1;
  return pipeline.map((step, i) => {
    if (i !== last) return step;
    const { completed: _, ...open } = step;
    const done = (step.phases ?? []).filter(({ started }) => started);
    return { ...open, phases: [...done, ...phasesOf(itinerary, "Final")] };
  });
}

/**
 * What the current phase tells, beside the results of the step's earlier phases; the time moves only when more than durations
 * changed.
 */
export function report(pipeline: Pipeline, name: StepName, told: Report, nowMs: number): Pipeline {
  return pipeline.map((step) => {
    if (step.name !== name) return step;
    const lines = told.lines && withEarlier(step, bounded(told.lines));
    const details = told.details && merged(step.details ?? [], told.details);
    const moved =
      (lines && text(lines.map(withoutDuration)) !== text(step.progress?.map(withoutDuration))) ||
      (details && text(details.map(countsOf)) !== text(step.details?.map(countsOf)));
    return {
      ...step,
      ...(lines && { progress: lines }),
      ...(details && { details }),
      ...(moved && { lastProgressAt: formatTime(nowMs) }),
    };
  });
}

/** A warning is told at the step it belongs to, once. */
export function warnStep(pipeline: Pipeline, name: StepName, warning: string): Pipeline {
  return pipeline.map((step) =>
    step.name !== name || step.warnings?.includes(warning)
      ? step
      : { ...step, warnings: [...(step.warnings ?? []), warning].slice(-20) },
  );
}

function phasesOf(itinerary: ItineraryName, name: StepName): NonNullable<MigStep["phases"]> {
  return itineraries[itinerary].filter(({ step }) => step === name).map(({ phase }) => ({ name: phase }));
}

function begun(step: MigStep, now: string): MigStep {
  const { skipped: _, reason: __, ...rest } = step;
  return { ...rest, started: step.started ?? now };
}

function entered(step: MigStep, phase: PhaseName, now: string): MigStep {
  // A step that failed runs the clean-up, and stays one that failed.
  if (step.failed) return withoutEnd(begun(step, now));
  const open = step.phase === phase ? step : withResults(step);
  return { ...withoutEnd(begun(open, now)), phase, message: description(phase) };
}

function withoutEnd(step: MigStep): MigStep {
  const { completed: _, ...open } = step;
  return open;
}

/** Objects whose last line is worth keeping: what was made of them is the result of a step. */
const resultKinds = ["Backup", "PodVolumeBackup", "Restore", "PodVolumeRestore", "Job"];

/** A step whose phase is over: lines about waiting go, results stay. */
function withResults(step: MigStep): MigStep {
  const { progress: _, ...rest } = step;
  const results = resultLines(step, ({ kind }) => resultKinds.includes(kind ?? ""));
  return results.length > 0 ? { ...rest, progress: results } : rest;
}

/** Results of earlier phases, then the lines of the current one; where there are too many, the results give way. */
function withEarlier(step: MigStep, lines: readonly string[]): readonly string[] {
  const current = currentLines(step);
  const earlier = (step.progress ?? []).filter((line) => !current.includes(line));
  return [...earlier.slice(0, Math.max(0, kept - lines.length)), ...lines];
}

function ended(step: MigStep, now: string): MigStep {
  const over = { ...step, completed: step.completed ?? now };
  if (step.failed || step.completed) return over;
  const { phase: _, ...rest } = withResults(over);
  return { ...rest, message: "Completed" };
}

function passedOver(step: MigStep, why: string): MigStep {
  if (step.skipped) return step;
  return { ...step, skipped: true, message: "Skipped", ...(why !== "" && { reason: why }) };
}

/** Times of the phases: what was under way ends, what was passed over is marked, the new one begins. */
function passed(
  step: MigStep,
  phase: PhaseName,
  skipped: readonly PhaseName[],
  now: string,
  isEnd: boolean,
): NonNullable<MigStep["phases"]> {
  const all = step.phases ?? [];
  const at = all.findLastIndex(({ name }) => name === phase);
  return all.map((each, i) => {
    if (i === at && stepHas(step, phase)) {
      return { ...each, started: each.started ?? now, ...(isEnd && { completed: now }) };
    }
    if (each.started) return each.completed ? each : { ...each, completed: now };
    return skipped.some((name) => name === each.name) ? { ...each, skipped: true } : each;
  });
}

/** The same phase may be in another step's list under another itinerary, but never started in two. */
function stepHas(step: MigStep, phase: PhaseName): boolean {
  return step.skipped !== true && step.phases?.some(({ name }) => name === phase) === true;
}

/** Details of earlier phases of the step stay; those of the same objects are replaced. */
function merged(before: readonly Detail[], now: readonly Detail[]): readonly Detail[] {
  const phases = new Set(now.map(({ phase }) => phase));
  return bounded([...before.filter(({ phase }) => !phases.has(phase)), ...now]);
}

function bounded<T>(list: readonly T[]): readonly T[] {
  return list.length <= kept ? list : list.slice(0, kept);
}

function countsOf({ state, done, total, message }: Detail): readonly unknown[] {
  return [state, done, total, message && withoutDuration(message)];
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
