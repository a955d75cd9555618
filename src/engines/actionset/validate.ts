import { type ActionSet, readActionState } from "../../api/index.ts";
import { isRecord, plainText, recordOf } from "./args.ts";
import { keyFault, labelFault } from "./qualified-name.ts";

export type ActionSpec = NonNullable<NonNullable<ActionSet["spec"]>["actions"]>[number];

/** Kinds that need no group, version and resource. */
const knownKinds = ["statefulset", "deployment", "deploymentconfig", "pvc", "namespace"];
/** Actions of one ActionSet; each is a task of its own. */
const mostActions = 1_000;

/** What is wrong with an ActionSet before anything of it is run. The webhook may be asked about one that no schema has seen. */
export function actionSetFaults({ spec, status }: Pick<ActionSet, "spec" | "status">): string[] {
  if (!spec) return ["an ActionSet needs a spec"];
  const actions = spec.actions ?? [];
  if (!isList(actions)) return ["spec.actions is no list of objects"];
  if (actions.length > mostActions) return [`${actions.length} actions are more than ${mostActions}`];
  return [
    ...actions.flatMap((action, i) => actionFaults(action, i)),
    ...statusFaults(actions.length, status),
  ];
}

function actionFaults(action: ActionSpec, index: number): string[] {
  const [own, blueprint, version] = [
    plainText(action.name),
    plainText(action.blueprint),
    plainText(action.preferredVersion),
  ];
  const of = `action ${index}${own ? ` ("${own}")` : ""}`;
  const object = recordOf(action.object);
  const [kind, apiVersion, resource, name] = [
    object["kind"],
    object["apiVersion"],
    object["resource"],
    object["name"],
  ].map(plainText) as [string, string, string, string]; // as many as are asked for
  const faults: string[] = [];
  if (!own) faults.push(`${of} has no name`);
  if (!blueprint) faults.push(`${of} names no blueprint`);
  if (!knownKinds.includes(kind.toLowerCase()) && (apiVersion === "" || resource === "")) {
    faults.push(
      `${of}: an object of kind "${kind}" needs apiVersion and resource; known kinds are ${knownKinds.join(", ")}`,
    );
  }
  if (name === "") faults.push(`${of}: the object has no name`);
  if (version && !/^v?\d+\.\d+\.\d+/.test(version)) {
    faults.push(`${of}: "${version}" is no version such as v0.0.0`);
  }
  for (const [key, value] of Object.entries(action.podLabels ?? {})) {
    const fault = keyFault(key) ?? labelFault(plainText(value));
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
  if (readActionState(status.state) === undefined)
    return [`the state "${plainText(status.state)}" is not known`];
  const written = status.actions ?? [];
  if (!isList(written)) return ["status.actions is no list of objects"];
  if (written.length !== actions && !(status.state === "failed" && written.length === 0)) {
    return [`the status has ${written.length} actions, the spec ${actions}`];
  }
  const open = written
    .flatMap(({ phases }) => (isList(phases) ? phases : []))
    .find(({ state }) => readActionState(state) !== "complete");
  return readActionState(status.state) === "complete" && open
    ? [`the state is complete, but phase "${plainText(open.name)}" is ${plainText(open.state)}`]
    : [];
}

function isList(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every(isRecord);
}
