import {
  type ActionSet,
  type ActionState,
  formatTime,
  parseTimeMs,
  readActionProgress,
  readActionState,
} from "../../api/index.ts";
import { almostWhole, hundredths, mean, type PercentFormat, percentText, whole } from "./percent.ts";
import type { FuncProgress } from "./phase-progress.ts";

export type Status = NonNullable<ActionSet["status"]>;
type WrittenAction = NonNullable<Status["actions"]>[number];
type WrittenPhase = NonNullable<WrittenAction["phases"]>[number];
export type Artifacts = NonNullable<WrittenAction["artifacts"]>;
export type Reference = NonNullable<WrittenAction["object"]>;
/** What a function put out. */
export type Output = Readonly<Record<string, unknown>>;

/** How far a phase is, as its ActionSet knows it. Times are epoch ms. */
export interface PhaseState {
  readonly name: string;
  readonly state: ActionState;
  readonly output?: Output | undefined;
  readonly progress?: FuncProgress | undefined;
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  /** When one of the numbers last changed. */
  readonly changedAt?: number | undefined;
}

export interface ActionRun {
  readonly name: string;
  readonly object: Reference;
  readonly blueprint: string;
  readonly artifacts: Artifacts;
  readonly phases: readonly PhaseState[];
  readonly deferPhase?: PhaseState | undefined;
}

/** An ActionSet on its way. */
export interface SetState {
  readonly state: ActionState;
  readonly actions: readonly ActionRun[];
  readonly error: string;
  readonly changedAt?: number | undefined;
}

/** How the status is written. */
export interface StatusFormat {
  readonly percent: PercentFormat;
}

/** The status of an ActionSet, field for field as the design and upstream have it. */
export function writeStatus(set: SetState, format: StatusFormat): Status {
  return {
    state: set.state,
    actions: set.actions.map((action) => writeAction(action, format)),
    error: { message: set.error },
    progress: writeProgress(set.actions, set.state, set.changedAt, format),
  };
}

/** The share of an ActionSet in hundredths: the mean of the phases of all its actions, without those that run in any case. */
export function shareOf(actions: readonly ActionRun[], state: ActionState): number {
  if (state === "complete") return whole;
  return Math.min(almostWhole, mean(actions.flatMap(({ phases }) => phases.map(phaseShare))));
}

function writeAction(action: ActionRun, format: StatusFormat): WrittenAction {
  const { name, object, blueprint, artifacts, phases, deferPhase } = action;
  const all = deferPhase ? [...phases, deferPhase] : phases;
  const changed = all.map(({ changedAt }) => changedAt ?? 0);
  return {
    name,
    object,
    blueprint,
    phases: phases.map((phase) => writePhase(phase, format)),
    ...(Object.keys(artifacts).length > 0 && { artifacts }),
    ...(deferPhase && { deferPhase: writePhase(deferPhase, format) }),
    progress: writeProgress([action], stateOf(all), Math.max(0, ...changed) || undefined, format),
  };
}

/** What the states of some phases make together. */
function stateOf(phases: readonly PhaseState[]): ActionState {
  const states = new Set(phases.map(({ state }) => state));
  if (states.has("failed")) return "failed";
  if (states.has("running")) return "running";
  if (!states.has("pending")) return "complete";
  return states.has("complete") ? "running" : "pending";
}

function writeProgress(
  actions: readonly ActionRun[],
  state: ActionState,
  changedAt: number | undefined,
  format: StatusFormat,
): NonNullable<Status["progress"]> {
  if (state === "pending") return {};
  const phases = actions.flatMap((action) => action.phases);
  const every = [...phases, ...actions.flatMap(({ deferPhase }) => deferPhase ?? [])];
  const running = every.filter((phase) => phase.state === "running").map(({ name }) => name);
  const sum = (read: (progress: FuncProgress) => number | undefined) =>
    every.reduce((all, { progress }) => all + (progress ? (read(progress) ?? 0) : 0), 0);
  return {
    ...(running[0] !== undefined && { runningPhase: running[0] }),
    percentCompleted: percentText(shareOf(actions, state), format.percent),
    ...positive({
      sizeUploadedB: sum(({ uploadedBytes }) => uploadedBytes),
      estimatedUploadSizeB: sum(({ uploadTotalBytes }) => uploadTotalBytes),
      sizeDownloadedB: sum(({ downloadedBytes }) => downloadedBytes),
      estimatedDownloadSizeB: sum(({ downloadTotalBytes }) => downloadTotalBytes),
    }),
    ...(running.length > 1 && { runningPhases: running }),
    ...(changedAt !== undefined && { lastTransitionTime: formatTime(changedAt) }),
  };
}

function writePhase(phase: PhaseState, format: StatusFormat): WrittenPhase {
  const { name, state, output, startedAt, endedAt } = phase;
  const step = state === "running" ? (phase.progress?.waitingFor ?? phase.progress?.step) : undefined;
  const progress = writePhaseProgress(phase, format);
  return {
    name,
    state,
    ...(output && Object.keys(output).length > 0 && { output }),
    ...(progress && { progress }),
    ...(startedAt !== undefined && { startTime: formatTime(startedAt) }),
    ...(endedAt !== undefined && { endTime: formatTime(endedAt) }),
    ...(step !== undefined && { step }),
  };
}

function writePhaseProgress(phase: PhaseState, format: StatusFormat): WrittenPhase["progress"] {
  const { state, progress = {}, changedAt } = phase;
  if (state === "pending") return undefined;
  const eta = state === "running" && progress.etaSeconds !== undefined ? Math.ceil(progress.etaSeconds) : 0;
  return {
    progressPercent: percentText(phaseShare(phase), format.percent),
    ...positive({
      sizeUploadedB: progress.uploadedBytes,
      estimatedUploadSizeB: progress.uploadTotalBytes,
      sizeDownloadedB: progress.downloadedBytes,
      estimatedDownloadSizeB: progress.downloadTotalBytes,
      estimatedTimeSeconds: eta,
      // Upstream's own Go types misspell it; whoever needs whole percents is one of them.
      ...(format.percent === "integer" && { estinatedTimeSeconds: eta }),
    }),
    ...(changedAt !== undefined && { lastTransitionTime: formatTime(changedAt) }),
  };
}

/** Only the end of a phase makes it whole; one that failed keeps what it had. */
function phaseShare({ state, progress }: PhaseState): number {
  if (state === "complete") return whole;
  return Math.min(almostWhole, hundredths(progress?.percent ?? 0) ?? 0);
}

/** Zero and absent are the same for upstream's types, and absent is what it writes. */
function positive<K extends string>(
  numbers: { readonly [P in K]?: number | undefined },
): {
  [P in K]?: number;
} {
  const kept = Object.entries(numbers).filter(([, value]) => typeof value === "number" && value > 0);
  return Object.fromEntries(kept) as { [P in K]?: number }; // only numbers are left
}

/** Reads a status that an earlier process wrote, so that its work goes on; undefined when it says nothing to go on with. */
export function readStatus(status: Status | undefined | null): SetState | undefined {
  const state = readActionState(status?.state);
  if (!status || state === undefined) return undefined;
  return {
    state,
    actions: (status.actions ?? []).map((action) => ({
      name: action.name ?? "",
      object: action.object ?? {},
      blueprint: action.blueprint ?? "",
      artifacts: action.artifacts ?? {},
      phases: (action.phases ?? []).map(readPhase),
      // Go writes an empty one where the blueprint has none.
      ...(action.deferPhase?.name && { deferPhase: readPhase(action.deferPhase) }),
    })),
    error: status.error?.message ?? "",
    changedAt: parseTimeMs(status.progress?.lastTransitionTime),
  };
}

function readPhase(phase: WrittenPhase): PhaseState {
  const { fraction, changedAt, ...numbers } = readActionProgress(phase.progress);
  return {
    name: phase.name ?? "",
    state: readActionState(phase.state) ?? "pending",
    output: phase.output,
    progress: {
      ...numbers,
      ...(fraction !== undefined && { percent: fraction * 100 }),
      ...(phase.step && { step: phase.step }),
    },
    startedAt: parseTimeMs(phase.startTime),
    endedAt: parseTimeMs(phase.endTime),
    changedAt,
  };
}
