import type { Api } from "../api.ts";
import { type JsonMap, type KubeObject, listAt, numberAt, stamp, textAt } from "../object.ts";
import { type Controller, keyOf, ownerKeys } from "./controller.ts";
import { createPod, deletePod, isActive, isReady, noteOn, podsOf, setStatus } from "./pods.ts";

/** Runs pods until enough of them succeeded or too many failed. */
export const jobs: Controller = {
  name: "jobs",
  watches: { "jobs.batch": (o) => [keyOf(o)], pods: ownerKeys("jobs.batch", "Job") },
  reconcile(api, namespace, name) {
    const job = api.read("jobs.batch", namespace, name);
    if (!job || job.metadata.deletionTimestamp !== undefined) return undefined;
    const finished = endedAt(job);
    if (finished !== undefined) return expire(api, job, finished);
    const pods = podsOf(api, job);
    const facts = count(pods);
    const deadline = numberAt(job.spec, "activeDeadlineSeconds");
    const started = textAt(job.status, "startTime");
    const waitMs =
      deadline === undefined || started === undefined
        ? undefined
        : Date.parse(started) + deadline * 1000 - api.now();
    const verdict = judge(job, facts, waitMs !== undefined && waitMs <= 0);
    if (verdict) end(api, job, pods, verdict);
    else if (job.spec?.["suspend"] !== true) start(api, job, facts);
    report(api, namespace, name, verdict);
    return waitMs;
  },
};

interface Facts {
  readonly active: number;
  readonly ready: number;
  readonly succeeded: number;
  readonly failed: number;
}

interface Verdict {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

function count(pods: readonly KubeObject[]): Facts {
  const inPhase = (phase: string): number => pods.filter((p) => textAt(p.status, "phase") === phase).length;
  const active = pods.filter(isActive);
  return {
    active: active.length,
    ready: active.filter(isReady).length,
    succeeded: inPhase("Succeeded"),
    failed: inPhase("Failed"),
  };
}

function endedAt(job: KubeObject): string | undefined {
  const over = listAt(job.status, "conditions").find(
    (c) =>
      (textAt(c, "type") === "Complete" || textAt(c, "type") === "Failed") && textAt(c, "status") === "True",
  );
  return textAt(over, "lastTransitionTime");
}

/** Whether a job is over, and how. */
export function judge(job: KubeObject, facts: Facts, late: boolean): Verdict | undefined {
  const completions = numberAt(job.spec, "completions");
  const enough =
    completions === undefined ? facts.succeeded > 0 && facts.active === 0 : facts.succeeded >= completions;
  if (enough)
    return {
      type: "Complete",
      reason: "CompletionsReached",
      message: "Reached expected number of succeeded pods",
    };
  if (late)
    return {
      type: "Failed",
      reason: "DeadlineExceeded",
      message: "Job was active longer than specified deadline",
    };
  if (facts.failed > (numberAt(job.spec, "backoffLimit") ?? 6)) {
    return {
      type: "Failed",
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
    };
  }
  return undefined;
}

function start(api: Api, job: KubeObject, facts: Facts): void {
  const parallelism = numberAt(job.spec, "parallelism") ?? 1;
  const left = (numberAt(job.spec, "completions") ?? Number.MAX_SAFE_INTEGER) - facts.succeeded;
  const queueDone = numberAt(job.spec, "completions") === undefined && facts.succeeded > 0;
  const target = queueDone ? facts.active : Math.min(parallelism, left);
  for (let i = facts.active; i < target; i++) createPod(api, "jobs.batch", job);
}

function end(api: Api, job: KubeObject, pods: readonly KubeObject[], verdict: Verdict): void {
  for (const pod of pods.filter(isActive)) deletePod(api, job, pod);
  if (verdict.type === "Complete") noteOn(api, job, "Completed", "Job completed");
  else noteOn(api, job, verdict.reason, verdict.message, "Warning");
}

function report(api: Api, namespace: string, name: string, verdict: Verdict | undefined): void {
  const job = api.read("jobs.batch", namespace, name);
  if (!job) return;
  const facts = count(podsOf(api, job));
  const now = stamp(api.now());
  const suspended = job.spec?.["suspend"] === true;
  const conditions: JsonMap[] = [];
  const add = (type: string, reason: string, message: string): void => {
    const before = listAt(job.status, "conditions").find((c) => textAt(c, "type") === type);
    conditions.push(
      before
        ? (before as JsonMap)
        : { type, status: "True", lastProbeTime: now, lastTransitionTime: now, reason, message },
    );
  };
  if (suspended) add("Suspended", "JobSuspended", "Job suspended");
  if (verdict) {
    add(
      verdict.type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget",
      verdict.reason,
      verdict.message,
    );
    add(verdict.type, verdict.reason, verdict.message);
  }
  const startTime = textAt(job.status, "startTime") ?? (suspended ? undefined : now);
  setStatus(api, "jobs.batch", job, {
    ...(conditions.length > 0 && { conditions }),
    ...(startTime !== undefined && { startTime }),
    ...(verdict?.type === "Complete" && { completionTime: now }),
    ...(facts.active > 0 && !verdict && { active: facts.active }),
    ...(facts.succeeded > 0 && { succeeded: facts.succeeded }),
    ...(facts.failed > 0 && { failed: facts.failed }),
    terminating: 0,
    uncountedTerminatedPods: {},
    ready: verdict ? 0 : facts.ready,
  });
}

/** Deletes a finished job when its time is up. */
function expire(api: Api, job: KubeObject, finished: string): number | undefined {
  const ttl = numberAt(job.spec, "ttlSecondsAfterFinished");
  if (ttl === undefined) return undefined;
  const waitMs = Date.parse(finished) + ttl * 1000 - api.now();
  if (waitMs > 0) return waitMs;
  api.delete(api.resource("jobs.batch"), job.metadata.namespace ?? "", job.metadata.name, {
    propagationPolicy: "Foreground",
  });
  return undefined;
}
