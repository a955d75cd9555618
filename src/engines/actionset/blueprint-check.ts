import type { Blueprint } from "../../api/index.ts";
import { isRecord, plainText, recordOf } from "./args.ts";
import { argumentFaults, signatures } from "./functions/arguments.ts";
import { keyFault, labelFault } from "./qualified-name.ts";
import { type Scope, templateProblems } from "./template-check.ts";

/** What is wrong with a blueprint, and where. A warning is about what runs but hardly as it was meant. */
export interface Problem {
  /** The way to it, such as ["actions", "backup", "phases", 0, "args", "image"]. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly severity: "error" | "warning";
  /** It is about a template, which upstream looks at only when it is rendered. */
  readonly inTemplate?: boolean;
}

export type BlueprintAction = NonNullable<Blueprint["actions"]>[string];
export type BlueprintPhase = NonNullable<BlueprintAction["phases"]>[number];
type Path = Problem["path"];

const actionKeys = [
  "name",
  "kind",
  "configMapNames",
  "secretNames",
  "inputArtifactNames",
  "outputArtifacts",
  "phases",
  "deferPhase",
];
const phaseKeys = ["func", "name", "objects", "args"];

/** Every problem of a blueprint, in the order of its text. */
export function blueprintProblems(blueprint: Pick<Blueprint, "actions">): Problem[] {
  const { actions } = blueprint;
  if (!isRecord(actions)) return [problem(["actions"], 'a blueprint needs "actions"')];
  const entries = Object.entries(actions);
  if (entries.length === 0) return [problem(["actions"], "there is no action")];
  return [
    ...entries.flatMap(([name, action]) => actionProblems(["actions", name], recordOf(action))),
    ...repeatedNames(entries),
  ];
}

function actionProblems(path: Path, action: BlueprintAction): Problem[] {
  const phases = (Array.isArray(action.phases) ? action.phases : []).map(withWords);
  const deferPhase = action.deferPhase && withWords(action.deferPhase);
  const scope = { action, phases, deferPhase };
  return [
    ...unknownKeys(path, action, actionKeys),
    ...(phases.length === 0 ? [problem([...path, "phases"], "the action has no phases", "warning")] : []),
    ...phases.flatMap((phase, i) => phaseProblems([...path, "phases", i], phase, { ...scope, before: i })),
    ...(deferPhase
      ? phaseProblems([...path, "deferPhase"], deferPhase, { ...scope, before: phases.length })
      : []),
    ...templateProblems([...path, "outputArtifacts"], action.outputArtifacts, {
      ...scope,
      before: phases.length,
      ended: true,
    }),
  ];
}

/** A review comes before the schema: what is no text names nothing, here and wherever the phase is looked at again. */
function withWords(phase: BlueprintPhase): BlueprintPhase {
  if (!isRecord(phase)) return phase;
  const wordOf = (value: unknown) => (typeof value === "string" ? value : "");
  return { ...phase, func: wordOf(phase.func), name: wordOf(phase.name) };
}

function phaseProblems(path: Path, phase: BlueprintPhase, scope: Scope): Problem[] {
  if (!isRecord(phase)) return [problem(path, "a phase is an object")];
  const { func = "", name = "" } = phase;
  const args = recordOf(phase.args);
  const own = { ...scope, self: phase };
  return [
    ...unknownKeys(path, phase, phaseKeys),
    ...(name === "" ? [problem([...path, "name"], "the phase has no name")] : []),
    ...(func === ""
      ? [problem([...path, "func"], "the phase names no function")]
      : functionProblems(path, func, args)),
    ...objectProblems([...path, "objects"], phase),
    ...templateProblems([...path, "objects"], phase.objects, { ...scope, before: 0 }),
    ...templateProblems([...path, "args"], args, own),
  ];
}

function functionProblems(path: Path, func: string, args: Readonly<Record<string, unknown>>): Problem[] {
  const known = Object.hasOwn(signatures, func);
  const at = known ? [...path, "args"] : [...path, "func"];
  const faults = argumentFaults(func, Object.keys(args)).map((message) => problem(at, message));
  return [
    ...faults,
    ...labelProblems([...path, "args", "podLabels"], args["podLabels"], true),
    ...labelProblems([...path, "args", "podAnnotations"], args["podAnnotations"], false),
    ...valueProblems([...path, "args"], func, args),
  ];
}

/** Values that can be judged before they are rendered. */
function valueProblems(path: Path, func: string, args: Readonly<Record<string, unknown>>): Problem[] {
  const { operation, spec, conditions } = args;
  if (func === "KubeOps" && typeof operation === "string" && !operation.includes("{{")) {
    if (!["create", "delete", "patch"].includes(operation)) {
      return [problem([...path, "operation"], `"${operation}" is none of create, delete, patch`)];
    }
    if (operation !== "delete" && spec === undefined)
      return [problem(path, `operation "${operation}" needs "spec"`)];
    if (operation === "delete" && args["objectReference"] === undefined) {
      return [problem(path, 'operation "delete" needs "objectReference"')];
    }
  }
  if ((func === "Wait" || func === "WaitV2") && conditions !== undefined) {
    const { anyOf, allOf } = recordOf(conditions);
    if (!Array.isArray(anyOf) && !Array.isArray(allOf)) {
      return [problem([...path, "conditions"], 'conditions need a list "anyOf" or "allOf"')];
    }
  }
  if (func === "RestoreData" && args["backupTag"] !== undefined && args["backupIdentifier"] !== undefined) {
    return [problem(path, 'only one of "backupTag" and "backupIdentifier" may be given')];
  }
  if (func === "RestoreData" && args["pod"] !== undefined && args["volumes"] !== undefined) {
    return [problem(path, 'only one of "pod" and "volumes" may be given')];
  }
  return [];
}

function labelProblems(path: Path, value: unknown, areLabels: boolean): Problem[] {
  if (value === undefined) return [];
  if (!isRecord(value)) return typeof value === "string" ? [] : [problem(path, "takes an object with texts")];
  return Object.entries(value).flatMap(([key, one]) => {
    if (key.includes("{{")) return [];
    const fault =
      keyFault(key) ??
      (areLabels && typeof one === "string" && !one.includes("{{") ? labelFault(one) : undefined);
    return fault === undefined ? [] : [problem([...path, key], fault)];
  });
}

function objectProblems(path: Path, { objects }: BlueprintPhase): Problem[] {
  return Object.entries(recordOf(objects)).flatMap(([name, reference]) => {
    const kind = plainText(recordOf(reference)["kind"]);
    if (["secret", "configmap"].includes(kind.toLowerCase())) return [];
    return [
      problem(
        [...path, name],
        `only objects of kind Secret and ConfigMap are read, not "${kind}"`,
        "warning",
      ),
    ];
  });
}

function unknownKeys(path: Path, value: object, known: readonly string[]): Problem[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) =>
      problem([...path, key], `"${key}" is not known here and is dropped by the cluster`, "warning"),
    );
}

/** Names are unique in the whole blueprint, not only in their action: that is what upstream's webhook wants. */
function repeatedNames(entries: readonly (readonly [string, BlueprintAction])[]): Problem[] {
  const seen = new Map<string, string>();
  const found: Problem[] = [];
  const see = (path: Path, name: string | undefined) => {
    if (!name) return;
    const first = seen.get(name);
    if (first !== undefined)
      found.push(problem([...path, "name"], `the name "${name}" is taken by ${first} already`));
    else seen.set(name, pathText(path));
  };
  for (const [name, action] of entries) {
    const { phases, deferPhase } = recordOf(action) as BlueprintAction; // read, never trusted
    (Array.isArray(phases) ? phases : []).forEach((phase, i) =>
      see(["actions", name, "phases", i], phase?.name),
    );
    if (isRecord(deferPhase)) see(["actions", name, "deferPhase"], (deferPhase as BlueprintPhase).name);
  }
  return found;
}

/** A way as people write it: `actions.backup.phases[0].args`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    "",
  );
}

function problem(path: Path, message: string, severity: Problem["severity"] = "error"): Problem {
  return { path, message, severity };
}
