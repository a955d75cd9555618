import type { MergePatch } from "../../kube/index.ts";
import { annotations, quiesceSelector } from "./names.ts";
import type { Workload } from "./shapes.ts";

/** A change of a workload, and what it is for a person. */
export interface Change {
  readonly patch: MergePatch;
  readonly words: string;
}

/** How to stop a workload; undefined when it is stopped, also when its owner did that. What was before is written on it. */
export function quiesce(workload: Workload): Change | undefined {
  const { kind, metadata, spec = {} } = workload;
  if (kind === "CronJob") {
    // One that its owner suspended must not be resumed later: it gets no mark.
    return spec.suspend === true
      ? undefined
      : change({ suspend: true }, { [annotations.suspend]: "true" }, "suspended");
  }
  if (kind === "DaemonSet") {
    const selector = spec.template?.spec?.nodeSelector ?? {};
    if (quiesceSelector in selector) return undefined;
    return change(
      { template: { spec: { nodeSelector: { [quiesceSelector]: "true" } } } },
      { [annotations.nodeSelector]: JSON.stringify(selector) },
      "taken off its nodes",
    );
  }
  // What owns it scales it.
  if (kind === "ReplicaSet" && metadata.ownerReferences?.some(({ controller }) => controller))
    return undefined;
  const field = kind === "Job" ? "parallelism" : "replicas";
  const now = spec[field] ?? 1;
  if (now === 0) return undefined;
  return change({ [field]: 0 }, { [annotations.replicas]: String(now) }, `scaled ${now} -> 0`);
}

/** How to start a workload that was stopped by a migration; undefined when none did. */
export function unquiesce(workload: Workload): Change | undefined {
  const { kind, metadata, spec = {} } = workload;
  const marks = metadata.annotations ?? {};
  if (kind === "CronJob") {
    if (marks[annotations.suspend] === undefined) return undefined;
    return change({ suspend: false }, { [annotations.suspend]: null }, "resumed");
  }
  if (kind === "DaemonSet") {
    const before = marks[annotations.nodeSelector];
    if (before === undefined) return undefined;
    const isQuiesced = quiesceSelector in (spec.template?.spec?.nodeSelector ?? {});
    const nodeSelector = { ...readSelector(before), [quiesceSelector]: null };
    return change(
      isQuiesced ? { template: { spec: { nodeSelector } } } : {},
      { [annotations.nodeSelector]: null },
      "put back on its nodes",
    );
  }
  const before = marks[annotations.replicas];
  if (before === undefined) return undefined;
  const field = kind === "Job" ? "parallelism" : "replicas";
  const count = Number(before);
  const isStopped = (spec[field] ?? 1) === 0 && Number.isSafeInteger(count) && count >= 0;
  return change(
    isStopped ? { [field]: count } : {},
    { [annotations.replicas]: null },
    isStopped ? `scaled 0 -> ${count}` : "already scaled",
  );
}

function change(spec: object, marks: Readonly<Record<string, string | null>>, words: string): Change {
  return { patch: { metadata: { annotations: marks }, spec }, words };
}

function readSelector(text: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return {}; // changed by hand: the selector of the migration is still taken away
  }
}
