import { type ActionSet, parseTimeMs, readActionState } from "../../api/index.ts";
import type { ActionTold, PhaseTold, SetTold } from "../../kinds/index.ts";

type Status = NonNullable<ActionSet["status"]>;
type WrittenAction = NonNullable<Status["actions"]>[number];
type WrittenPhase = NonNullable<WrittenAction["phases"]>[number];
export type Artifacts = NonNullable<WrittenAction["artifacts"]>;
export type Reference = NonNullable<WrittenAction["object"]>;
/** What a function put out. */
export type Output = Readonly<Record<string, unknown>>;

/** A phase: what is told of it, and what later phases need. */
export interface PhaseState extends PhaseTold {
  readonly output?: Output | undefined;
}

export interface ActionRun extends ActionTold {
  readonly object: Reference;
  readonly blueprint: string;
  readonly artifacts: Artifacts;
  readonly phases: readonly PhaseState[];
  readonly deferPhase?: PhaseState | undefined;
}

/** An ActionSet on its way. */
export interface SetState extends SetTold {
  readonly actions: readonly ActionRun[];
}

/**
 * What an earlier process left to go on with: states, outputs, artifacts and times. Numbers are not among it, whoever folds
 * them reads them himself. Undefined when the status says nothing to go on with.
 */
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
  };
}

function readPhase(phase: WrittenPhase): PhaseState {
  return {
    name: phase.name ?? "",
    state: readActionState(phase.state) ?? "pending",
    output: phase.output,
    // By its step a phase is known to have begun its work.
    work: phase.step ? { step: phase.step } : {},
    startedAt: parseTimeMs(phase.startTime),
    endedAt: parseTimeMs(phase.endTime),
  };
}
