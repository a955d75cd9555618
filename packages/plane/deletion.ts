import { copy, type KubeObject, numberAt, stamp, textAt } from "./object.ts";
import type { Resource } from "./resources.ts";

/** Holds a definition that goes until its objects are gone. */
export const definitionFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** What is to be deleted and how. */
export interface DeleteOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** What a delete makes of an object: gone now, or marked and waiting. */
export function deletion(
  resource: Resource,
  old: KubeObject,
  options: DeleteOptions,
  nowMs: number,
): { readonly object: KubeObject; readonly gone: boolean } {
  const object = copy(old);
  const meta = object.metadata;
  const graceSeconds = graceOf(resource, old, options);
  const isDefinition = resource.storage === "customresourcedefinitions.apiextensions.k8s.io";
  const own = isDefinition && meta.deletionTimestamp === undefined ? [definitionFinalizer] : [];
  const held = [...new Set([...(meta.finalizers ?? []), ...own])];
  const finalizers = finalizersAfter(held, policyOf(resource, options));
  if (finalizers.length > 0) meta.finalizers = finalizers;
  const isNamespace = resource.storage === "namespaces";
  const waits = finalizers.length > 0 || graceSeconds > 0 || (isNamespace && hasSpecFinalizers(old));
  if (!waits && meta.deletionTimestamp === undefined) {
    if (resource.storage === "pods") mark(object, nowMs, 0);
    return { object, gone: true };
  }
  const shorter =
    meta.deletionGracePeriodSeconds !== undefined && graceSeconds < meta.deletionGracePeriodSeconds;
  if (meta.deletionTimestamp === undefined || shorter) mark(object, nowMs, graceSeconds);
  if (isNamespace) object.status = { ...object.status, phase: "Terminating" };
  return { object, gone: !waits };
}

function mark(object: KubeObject, nowMs: number, graceSeconds: number): void {
  const meta = object.metadata;
  meta.deletionTimestamp = stamp(nowMs + graceSeconds * 1000);
  meta.deletionGracePeriodSeconds = graceSeconds;
  if (meta.generation !== undefined) meta.generation += 1;
}

/** Only pods have a grace period, and only those that a node has to stop. */
function graceOf(resource: Resource, old: KubeObject, options: DeleteOptions): number {
  if (resource.storage !== "pods") return 0;
  const phase = textAt(old.status, "phase");
  if (textAt(old.spec, "nodeName") === undefined || phase === "Succeeded" || phase === "Failed") return 0;
  return options.gracePeriodSeconds ?? numberAt(old.spec, "terminationGracePeriodSeconds") ?? 30;
}

function policyOf(resource: Resource, options: DeleteOptions): string {
  // Jobs of batch/v1 leave their pods behind unless told otherwise.
  return options.propagationPolicy ?? (resource.storage === "jobs.batch" ? "Orphan" : "");
}

function finalizersAfter(finalizers: readonly string[], policy: string): string[] {
  switch (policy) {
    case "Foreground":
      return [...new Set([...finalizers, "foregroundDeletion"])].filter((f) => f !== "orphan");
    case "Orphan":
      return [...new Set([...finalizers, "orphan"])].filter((f) => f !== "foregroundDeletion");
    case "Background":
      return finalizers.filter((f) => f !== "orphan" && f !== "foregroundDeletion");
    default:
      return [...finalizers];
  }
}

function hasSpecFinalizers(object: KubeObject): boolean {
  const finalizers = object.spec?.["finalizers"];
  return Array.isArray(finalizers) && finalizers.length > 0;
}
