import { formatTime, type MigStep } from "../../api/index.ts";
import { type MigDetail, writeLines } from "../../kinds/index.ts";
import { description } from "./descriptions.ts";
import {
  type ItineraryName,
  itineraries,
  type PhaseName,
  type StepName,
  stepOf,
  stepsOf,
} from "./itinerary.ts";

/** The steps of a run in their order. */
export type Pipeline = readonly MigStep[];

/** What a phase tells of itself: all of it, each time. */
export interface Report {
  readonly details: readonly MigDetail[];
}

/** At most so many details a step; a phase tells what has failed first, so that what is cut off is well. */
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
  const isOpen = (detail: MigDetail) => detail.state === "running" || detail.state === "pending";
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

/** What the current phase tells, beside the results of the step's earlier phases; the time moves with anything but the clock. */
export function report(
  pipeline: Pipeline,
  at: { readonly step: StepName; readonly phase: PhaseName },
  told: Report,
  nowMs: number,
): Pipeline {
  return pipeline.map((step) => {
    if (step.name !== at.step) return step;
    const now = told.details.slice(0, kept).map((detail) => ({ ...detail, phase: at.phase }));
    const earlier = (step.details ?? []).filter(({ phase }) => phase !== at.phase);
    // Where there are too many, the results of earlier phases give way.
    const details = [...earlier.slice(0, kept - now.length), ...now];
    const moved = text(details.map(countsOf)) !== text((step.details ?? []).map(countsOf));
    return {
      ...withLines({ ...step, details }, at.phase, nowMs),
      ...(moved && { lastProgressAt: formatTime(nowMs) }),
    };
  });
}

/** The step with the lines that are printed from its details. */
function withLines(step: MigStep, phase: string | undefined, nowMs: number): MigStep {
  const { progress: _, details = [], ...rest } = step;
  const lines = writeLines(details, phase, nowMs);
  return { ...rest, ...(details.length > 0 && { details }), ...(lines.length > 0 && { progress: lines }) };
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
  const open = step.phase === phase ? step : withResults(step, now);
  return { ...withoutEnd(begun(open, now)), phase, message: description(phase) };
}

function withoutEnd(step: MigStep): MigStep {
  const { completed: _, ...open } = step;
  return open;
}

/** A step whose phase is over: remarks about waiting go, results stay. */
function withResults(step: MigStep, now: string): MigStep {
  const details = (step.details ?? []).filter(({ remark }) => !remark);
  return withLines({ ...step, details }, undefined, Date.parse(now));
}

function ended(step: MigStep, now: string): MigStep {
  const over = { ...step, completed: step.completed ?? now };
  if (step.failed || step.completed) return over;
  const { phase: _, ...rest } = withResults(over, now);
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

function countsOf(detail: MigDetail): object {
  const { startedAt: _, completedAt: __, ...rest } = detail;
  return rest;
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
