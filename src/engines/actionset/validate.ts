import { type ActionSet, readActionState } from "../../api/index.ts";
import { keyFault, labelFault } from "./qualified-name.ts";

export type ActionSpec = NonNullable<NonNullable<ActionSet["spec"]>["actions"]>[number];

/** Kinds that need no group, version and resource. */
const knownKinds = ["statefulset", "deployment", "deploymentconfig", "pvc", "namespace"];
/** Actions of one ActionSet; each is a task of its own. */
const mostActions = 1_000;

/** What is wrong with an ActionSet before anything of it is run. */
export function actionSetFaults({ spec, status }: Pick<ActionSet, "spec" | "status">): string[] {
  if (!spec) return ["an ActionSet needs a spec"];
  const actions = spec.actions ?? [];
  if (actions.length > mostActions) return [`${actions.length} actions are more than ${mostActions}`];
  return [
    ...actions.flatMap((action, i) => actionFaults(action, i)),
    ...statusFaults(actions.length, status),
  ];
}

function actionFaults(action: ActionSpec, index: number): string[] {
  const of = `action ${index}${action.name ? ` ("${action.name}")` : ""}`;
  const { kind = "", apiVersion = "", resource = "", name = "" } = action.object ?? {};
  const faults: string[] = [];
  if (!action.name) faults.push(`${of} has no name`);
  if (!action.blueprint) faults.push(`${of} names no blueprint`);
  if (!knownKinds.includes(kind.toLowerCase()) && (apiVersion === "" || resource === "")) {
    faults.push(
      `${of}: an object of kind "${kind}" needs apiVersion and resource; known kinds are ${knownKinds.join(", ")}`,
    );
  }
  if (name === "") faults.push(`${of}: the object has no name`);
  if (action.preferredVersion && !/^v?\d+\.\d+\.\d+/.test(action.preferredVersion)) {
    faults.push(`${of}: "${action.preferredVersion}" is no version such as v0.0.0`);
  }
  for (const [key, value] of Object.entries(action.podLabels ?? {})) {
    const fault = keyFault(key) ?? labelFault(value);
    if (fault) faults.push(`${of}: podLabels: ${fault}`);
  }
  for (const key of Object.keys(action.podAnnotations ?? {})) {
    const fault = keyFault(key);
    if (fault) faults.push(`${of}: podAnnotations: ${fault}`);
  }
  return faults;
}

/** A status that no program of ours or upstream's can have written. */
function statusFaults(actions: number, status: ActionSet["status"]): string[] {
  if (!status?.state) return [];
  if (readActionState(status.state) === undefined) return [`the state "${status.state}" is not known`];
  const written = status.actions ?? [];
  if (written.length !== actions && !(status.state === "failed" && written.length === 0)) {
    return [`the status has ${written.length} actions, the spec ${actions}`];
  }
  const open = written
    .flatMap(({ phases = [] }) => phases)
    .find(({ state }) => readActionState(state) !== "complete");
  return readActionState(status.state) === "complete" && open
    ? [`the state is complete, but phase "${open.name}" is ${open.state}`]
    : [];
}
