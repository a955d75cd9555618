import { type ActionSet, type Blueprint, kinds } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, isNotFound, resourceOf } from "../../kube/index.ts";
import type { BlueprintAction, BlueprintPhase } from "./blueprint-check.ts";
import type { ActionRun, PhaseState, SetState } from "./status.ts";
import type { ActionSpec } from "./validate.ts";

/** An action with what its blueprint says about it. */
export interface PlannedAction {
  readonly spec: ActionSpec;
  readonly plan: BlueprintAction;
  readonly blueprint: Blueprint;
}

/** Reads the blueprint of every action; one that is missing is an error that names it. */
export async function planActions(
  client: Pick<Client, "get">,
  set: ActionSet,
  signal: AbortSignal,
): Promise<PlannedAction[]> {
  const { namespace = "" } = set.metadata;
  const read = new Map<string, Promise<Blueprint>>();
  const planned = (set.spec?.actions ?? []).map(async (spec) => {
    const name = spec.blueprint ?? "";
    const known = read.get(name) ?? readBlueprint(client, namespace, name, signal);
    read.set(name, known);
    const blueprint = await known;
    const action = spec.name ?? "";
    const plan = Object.hasOwn(blueprint.actions ?? {}, action) ? blueprint.actions?.[action] : undefined;
    if (!plan) {
      const has = Object.keys(blueprint.actions ?? {}).join(", ") || "none";
      throw bad(`blueprint "${name}" has no action "${action}"; it has ${has}`);
    }
    return { spec, plan, blueprint };
  });
  return Promise.all(planned);
}

/** The state in which an ActionSet begins: everything waits. */
export function initialState(planned: readonly PlannedAction[]): SetState {
  return { state: "pending", error: "", actions: planned.map(initialAction) };
}

/** The state of an ActionSet that cannot begin. */
export function refusedState(set: ActionSet, error: string): SetState {
  const actions = (set.spec?.actions ?? []).map(({ name = "", object = {}, blueprint = "" }) => ({
    name,
    object,
    blueprint,
    artifacts: {},
    phases: [],
  }));
  return { state: "failed", error, actions };
}

function initialAction({ spec, plan }: PlannedAction): ActionRun {
  const pending = ({ name = "" }: BlueprintPhase): PhaseState => ({ name, state: "pending" });
  return {
    name: spec.name ?? "",
    object: spec.object ?? {},
    blueprint: spec.blueprint ?? "",
    artifacts: plan.outputArtifacts ?? {},
    phases: (plan.phases ?? []).map(pending),
    ...(plan.deferPhase && { deferPhase: pending(plan.deferPhase) }),
  };
}

async function readBlueprint(
  client: Pick<Client, "get">,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<Blueprint> {
  try {
    return await client.get<Blueprint>(resourceOf(kinds.Blueprint), name, { namespace }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw bad(`there is no blueprint "${name}" in namespace "${namespace}"`, error);
  }
}

function bad(message: string, cause?: unknown): AppError {
  return new AppError("ACTION_BLUEPRINT", message, { cause, retry: false });
}
