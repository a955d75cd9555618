import { parseGoDurationMs } from "../../api/index.ts";
import { builtIn, type Client, type Outcome, type Resource } from "../../kube/index.ts";
import type { Failure } from "./blame.ts";
import { longestTryMs, tryCheck, type UserCheck } from "./checks.ts";
import type { Desk } from "./desk.ts";
import { toCleanUp } from "./to-clean-up.ts";
import { type PodFacts, podFailure, type Readiness, readinessOf, type Workload } from "./workloads.ts";

const pollMs = 1_000;
const tenMinutesMs = 10 * 60_000;
const twoMinutesMs = 2 * 60_000;
const workloadKinds: readonly Resource[] = [
  builtIn.deployments,
  builtIn.statefulSets,
  builtIn.daemonSets,
  builtIn.replicaSets,
];

/** Waits until the workloads are ready, then does the user's checks one after the other. */
export async function checking(desk: Desk, begun: CheckClock, signal: AbortSignal): Promise<Outcome> {
  const actor = desk.deps.actorOf(desk.drill);
  if ("fault" in actor) {
    return toCleanUp(desk, "ready", [{ part: "cluster", reason: "NotAllowed", message: actor.fault }]);
  }
  return desk.step("ready")?.state === "completed"
    ? userChecks(desk, actor, begun, signal)
    : ready(desk, actor, signal);
}

async function ready(desk: Desk, actor: Client, signal: AbortSignal): Promise<Outcome> {
  const { clock } = desk.deps;
  const since = desk.step("ready")?.startedAt ?? clock.now();
  const found = await lookAt(desk, actor, signal);
  const missing = found.filter(({ ready: is }) => !is);
  const now = clock.now();
  if (missing.length === 0) {
    const workloads = found.map(({ source, object }) => ({
      name: object,
      kind: "workload" as const,
      namespace: source,
      result: "Passed" as const,
      message: "ready",
    }));
    const { result = {}, checks = [] } = desk.status;
    await desk.put(
      {
        checks: [...checks, ...workloads.slice(0, 200)],
        result: { ...result, readySeconds: seconds(since, now) },
      },
      {
        ready: { state: "completed", finishedAt: now },
        checks: { state: "running", startedAt: now },
      },
    );
    return { againAfterMs: 0 };
  }
  const first = missing[0];
  const message = `${first?.object ?? ""} in ${first?.source ?? ""}: ${first?.words ?? ""}`;
  if (now - since < (parseGoDurationMs(desk.drill.spec?.readyTimeout ?? "") ?? tenMinutesMs)) {
    const waitingFor = { reason: "workloads", message };
    desk.tell({ ready: { state: "running", startedAt: since, waitingFor } });
    return { againAfterMs: pollMs };
  }
  return toCleanUp(desk, "ready", failuresOf(missing, since, now), failedChecks(desk, missing));
}

interface Found extends Readiness {
  readonly source: string;
  readonly target: string;
  readonly pods: readonly PodFacts[];
}

async function lookAt({ status }: Desk, actor: Client, signal: AbortSignal): Promise<readonly Found[]> {
  const all: Found[] = [];
  for (const { source, target } of status.namespaces ?? []) {
    const query = { namespace: target };
    const workloads: Workload[] = [];
    for (const resource of workloadKinds) {
      const { kind } = resource;
      workloads.push(
        ...(await actor.list<Workload>(resource, query, signal)).map((one) => ({ ...one, kind })),
      );
    }
    const pods = await actor.list<PodFacts>(builtIn.pods, query, signal);
    all.push(...readinessOf(workloads, pods).map((one) => ({ ...one, source, target, pods })));
  }
  return all;
}

/** What keeps the pods from becoming ready; a workload without pods is told by itself. */
function failuresOf(missing: readonly Found[], since: number, now: number): readonly Failure[] {
  const namespaces = new Map(missing.map(({ target, pods }) => [target, pods]));
  const pods = [...namespaces].flatMap(([target, all]) =>
    all.flatMap((pod) => podFailure(target, pod) ?? []),
  );
  if (pods.length > 0) return pods;
  return missing.map(({ object, target, words }) => ({
    part: "application",
    reason: "NotReady",
    object: `${object} in ${target}`,
    message: `it did not become ready within ${Math.round((now - since) / 1000)} s: ${words}`,
  }));
}

function failedChecks({ status }: Desk, missing: readonly Found[]) {
  const failed = missing.slice(0, 100).map(({ source, object, words }) => ({
    name: object,
    kind: "workload" as const,
    namespace: source,
    result: "Failed" as const,
    message: words,
  }));
  return { checks: [...(status.checks ?? []), ...failed] };
}

/** When each check of a drill was begun in this process; a drill that ended is forgotten. */
export type CheckClock = Map<string, number>;

async function userChecks(
  desk: Desk,
  actor: Client,
  begun: CheckClock,
  signal: AbortSignal,
): Promise<Outcome> {
  const { clock, runInPodAs } = desk.deps;
  const { checks = [], namespaces = [] } = desk.status;
  const kindOf = (check: UserCheck) => (check.exec ? "exec" : check.http ? "http" : "job");
  const done = new Set(
    checks.flatMap(({ name, kind }) => (kind === "volume" || kind === "workload" ? [] : [name])),
  );
  const next = (desk.drill.spec?.checks ?? []).find(({ name }) => !done.has(name));
  const stepSince = desk.step("checks")?.startedAt ?? clock.now();
  if (!next) return allChecked(desk, stepSince);
  const key = `${desk.uid}/${next.name}`;
  const since = begun.get(key) ?? clock.now();
  begun.set(key, since);
  const left = since + (parseGoDurationMs(next.timeout ?? "") ?? twoMinutesMs) - clock.now();
  const source = next.namespace ?? namespaces[0]?.source ?? "";
  const target = namespaces.find((one) => one.source === source)?.target;
  desk.tell({ checks: { state: "running", startedAt: stepSince, message: `check "${next.name}"` } });
  const attempt =
    target === undefined
      ? { passed: false, over: true, message: `the backup has no namespace "${source}"` }
      : await tryCheck(
          next,
          {
            actor,
            run: runInPodAs(actor),
            namespace: target,
            uid: desk.uid,
            tryMs: Math.max(1_000, Math.min(left, longestTryMs)),
          },
          signal,
        );
  const isLate = since + (parseGoDurationMs(next.timeout ?? "") ?? twoMinutesMs) <= clock.now();
  if (!attempt.over && !isLate) return { againAfterMs: pollMs };
  const message = attempt.over ? attempt.message : `not within its time-out: ${attempt.message}`;
  const verdict = {
    name: next.name,
    kind: kindOf(next),
    namespace: source,
    result: attempt.passed ? ("Passed" as const) : ("Failed" as const),
    message,
    seconds: seconds(since, clock.now()),
  } as const;
  begun.delete(key);
  await desk.put({ checks: [...checks, verdict] });
  return { againAfterMs: 0 };
}

/** The user's checks are over: what they came to, and how long recovery took. */
function allChecked(desk: Desk, since: number): Promise<Outcome> {
  const { checks = [], result = {} } = desk.status;
  const now = desk.deps.clock.now();
  const failed = checks.filter((one) => one.result === "Failed");
  const failures = failed.map(({ name, message = "" }) => failureOf(name, message));
  const parts = { ...result, checksSeconds: seconds(since, now) };
  const { objectsSeconds = 0, volumesSeconds = 0, readySeconds = 0, checksSeconds } = parts;
  const rtoSeconds = round(objectsSeconds + volumesSeconds + readySeconds + checksSeconds);
  if (failures.length > 0) return toCleanUp(desk, "checks", failures, { result: parts });
  const none = (desk.drill.spec?.checks ?? []).length === 0;
  const state = none ? ("skipped" as const) : ("completed" as const);
  const changes = { result: { ...parts, rtoSeconds } };
  return toCleanUp(desk, undefined, [], changes, { checks: { state, finishedAt: now } });
}

function failureOf(name: string, message: string): Failure {
  return {
    part: "check",
    reason: "CheckFailed",
    object: `check ${name}`,
    message: `check "${name}" failed: ${message}`,
  };
}

function seconds(fromMs: number, toMs: number): number {
  return round(Math.max(0, toMs - fromMs) / 1000);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
