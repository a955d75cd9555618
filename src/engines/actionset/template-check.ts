import { isRecord, plainText, recordOf } from "./args.ts";
import type { BlueprintAction, BlueprintPhase, Problem } from "./blueprint-check.ts";
import { signatures } from "./functions/arguments.ts";
import { topNames } from "./params.ts";
import { readTemplate } from "./render.ts";

/** Where a template stands: what has run before it, and what it may read. */
export interface Scope {
  readonly action: BlueprintAction;
  readonly phases: readonly BlueprintPhase[];
  readonly deferPhase?: BlueprintPhase | undefined;
  /** How many phases have ended before this one. */
  readonly before: number;
  /** The phase it belongs to. */
  readonly self?: BlueprintPhase | undefined;
  /** Everything has ended, the deferred phase too. */
  readonly ended?: boolean;
}

type Path = Problem["path"];
type Names = readonly string[];
interface Found {
  readonly message: string;
  readonly severity: Problem["severity"];
}

const inside: Readonly<Record<string, Names>> = {
  StatefulSet: ["Name", "Namespace", "Pods", "Containers", "PersistentVolumeClaims"],
  Deployment: ["Name", "Namespace", "Pods", "Containers", "PersistentVolumeClaims"],
  DeploymentConfig: ["Name", "Namespace", "Pods", "Containers", "PersistentVolumeClaims"],
  PVC: ["Name", "Namespace"],
  Namespace: ["Name", "Namespace"],
  Profile: ["Location", "Credential", "SkipSSLVerify"],
};
const workloads = ["StatefulSet", "Deployment", "DeploymentConfig"];

/** Templates that cannot be parsed, or read what cannot be there. */
export function templateProblems(path: Path, value: unknown, scope: Scope): Problem[] {
  return problemsIn(path, value, scope).map((problem) => ({ ...problem, inTemplate: true }));
}

function problemsIn(path: Path, value: unknown, scope: Scope): Problem[] {
  if (typeof value === "string") return textProblems(path, value, scope);
  if (Array.isArray(value)) return value.flatMap((one, i) => problemsIn([...path, i], one, scope));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    if (isCondition(path, key, scope)) return conditionProblems([...path, key], one, scope);
    return [...textProblems([...path, key], key, scope), ...problemsIn([...path, key], one, scope)];
  });
}

/** The conditions of the waiting functions are templates over other data. */
function isCondition(path: Path, key: string, { self }: Scope): boolean {
  return key === "condition" && path.includes("conditions") && /^Wait(V2)?$/.test(self?.func ?? "");
}

function conditionProblems(path: Path, value: unknown, { self }: Scope): Problem[] {
  if (typeof value !== "string") return [];
  const text = self?.func === "Wait" ? value.replaceAll(/\{\s*\$[^{}]*\}/g, "1") : value;
  const read = readTemplate(text);
  return "fault" in read ? [{ path, message: read.fault, severity: "error" }] : [];
}

function textProblems(path: Path, text: string, scope: Scope): Problem[] {
  if (!text.includes("{{")) return [];
  const read = readTemplate(text);
  if ("fault" in read) return [{ path, message: read.fault, severity: "error" }];
  return read.references.flatMap((names) => {
    const found = referenceFault(names, scope);
    return found ? [{ path, ...found }] : [];
  });
}

function referenceFault(names: Names, scope: Scope): Found | undefined {
  const [top = "", next, third, fourth] = names;
  const shown = `.${names.join(".")}`;
  if (!(topNames as Names).includes(top)) return error(`${shown}: there is no ".${top}"`);
  const fields = inside[top];
  if (fields && next !== undefined && !fields.includes(next)) {
    return error(`${shown}: ".${top}" has no "${next}", only ${fields.join(", ")}`);
  }
  if (top === "RepositoryServer" && next !== undefined)
    return error(`${shown}: there are no repository servers`);
  if (workloads.includes(top) && next !== undefined) return kindFault(top, shown, scope);
  if (next === undefined) return undefined;
  switch (top) {
    case "Phases":
      return phaseFault({ shown, name: next, part: third, key: fourth }, scope);
    case "DeferPhase":
      return scope.ended && scope.deferPhase
        ? undefined
        : error(`${shown}: no deferred phase has ended here`);
    case "ArtifactsIn":
      return listFault(shown, next, "inputArtifactNames", scope.action.inputArtifactNames);
    case "Secrets":
      return listFault(shown, next, "secretNames", scope.action.secretNames);
    case "ConfigMaps":
      return listFault(shown, next, "configMapNames", scope.action.configMapNames);
    default:
      return undefined;
  }
}

function kindFault(top: string, shown: string, { action }: Scope): Found | undefined {
  const kind = (action.kind ?? "").toLowerCase();
  if (!workloads.some((one) => one.toLowerCase() === kind) || kind === top.toLowerCase()) return undefined;
  return warning(`${shown}: the action is for a ${action.kind}`);
}

interface PhaseReading {
  readonly shown: string;
  readonly name: string;
  readonly part: string | undefined;
  readonly key: string | undefined;
}

function phaseFault({ shown, name, part, key }: PhaseReading, scope: Scope): Found | undefined {
  const at = scope.phases.findIndex((phase) => phase?.name === name);
  const isSelf = scope.self?.name === name;
  if (at < 0 && !isSelf) return error(`${shown}: the action has no phase "${name}"`);
  const phase = isSelf ? scope.self : scope.phases[at];
  if (part === undefined) return undefined;
  if (!["Output", "Secrets", "ConfigMaps"].includes(part)) {
    return error(`${shown}: a phase has Output, Secrets and ConfigMaps, no "${part}"`);
  }
  if (part === "Output") return outputFault(shown, phase, key, isSelf || at >= scope.before);
  if (at >= scope.before && !isSelf) return error(`${shown}: phase "${name}" runs later`);
  return objectFault(shown, phase, part === "Secrets" ? "secret" : "configmap", key);
}

function outputFault(
  shown: string,
  phase: BlueprintPhase | undefined,
  key: string | undefined,
  isLater: boolean,
): Found | undefined {
  if (isLater) return error(`${shown}: phase "${phase?.name}" has not ended here`);
  const func = phase?.func ?? "";
  const outputs = Object.hasOwn(signatures, func) ? signatures[func]?.outputs : undefined;
  if (key === undefined || outputs === undefined || outputs.includes(key)) return undefined;
  const has = outputs.length === 0 ? "nothing" : outputs.join(", ");
  return error(`${shown}: function "${func}" puts out ${has}, no "${key}"`);
}

function objectFault(
  shown: string,
  phase: BlueprintPhase | undefined,
  kind: string,
  key: string | undefined,
): Found | undefined {
  if (key === undefined) return undefined;
  const reference = recordOf(phase?.objects)[key];
  if (plainText(recordOf(reference)["kind"]).toLowerCase() === kind) return undefined;
  return error(`${shown}: the objects of phase "${phase?.name}" have no ${kind} "${key}"`);
}

/** What an ActionSet brings is not known here; a list that leaves it out is worth a word. */
function listFault(shown: string, name: string, list: string, names: Names | undefined): Found | undefined {
  if (!Array.isArray(names) || names.includes(name)) return undefined;
  return warning(`${shown}: "${name}" is not among the action's ${list}`);
}

function error(message: string): Found {
  return { message, severity: "error" };
}

function warning(message: string): Found {
  return { message, severity: "warning" };
}
