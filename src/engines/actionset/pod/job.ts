import { AppError, messageOf } from "../../../errors.ts";
import { isNotFound, patiently, sleep } from "../../../kube/index.ts";
import type { StallCause } from "../../../progress/index.ts";
import type { Json } from "../args.ts";
import { isCanceled } from "../canceled.ts";
import { type PodObject, resources } from "../core-objects.ts";
import type { Call } from "../functions/call.ts";
import { labelsOf, selectorOf } from "./identity.ts";
import { followLog } from "./pod-log.ts";
import { exitCodeOf, podState } from "./pod-state.ts";

/** A pod to run to its end. */
export interface Job {
  /** The manifest, made only when there is no such pod yet. */
  readonly manifest: () => Json | Promise<Json>;
  readonly namespace: string;
  /** The container whose log is read. */
  readonly container: string;
  /** Whether the end of that container is the end, or that of all containers. A failure of that container always is. */
  readonly waitsForAll?: boolean;
  /** Doing it twice does no harm: one that is lost is made again. */
  readonly repeatable?: boolean | undefined;
  /** Tells apart several pods of one phase. */
  readonly part?: string | undefined;
  readonly onLine: (line: string) => void;
  /** What is waited for, and what is broken if something is; undefined when the wait is over. */
  readonly onWaiting: (why: string | undefined, cause?: StallCause) => void;
  readonly onRunning: () => void;
  /** Called when the pod has ended, before it is deleted. */
  readonly onEnded?: (end: JobEnd) => Promise<void>;
}

/** How it ended. */
export interface JobEnd {
  readonly pod: string;
  /** Absent when it ended well. */
  readonly failure?: string;
}

/** What the step of a phase says before its pod was seen running. */
export const startingStep = "starting";

/**
 * Runs a pod to its end, or goes on with the one that an earlier process made, and deletes it.
 *
 * When the operator stops, the pod stays: the next one finds it by its labels.
 */
export async function runJob(call: Call, job: Job): Promise<JobEnd> {
  const pod = await ensurePod(call, job);
  try {
    await started(call, job, pod);
    const end = await ended(call, job, pod);
    await job.onEnded?.(end);
    return end;
  } finally {
    const { signal } = call;
    if (!signal.aborted || isCanceled(signal)) await deletePod(call, pod);
  }
}

async function ensurePod(call: Call, job: Job): Promise<PodObject> {
  const { deps, identity, signal, before } = call;
  const wanted = labelsOf(identity, job.part);
  const labelSelector = selectorOf(wanted);
  const { namespace } = job;
  const find = async () => {
    const all = await deps.client.list<PodObject>(resources.pods, { namespace, labelSelector }, signal);
    return all.find(({ metadata }) => metadata.deletionTimestamp === undefined);
  };
  if (before) {
    const found = await patiently(find, deps.clock, signal);
    if (found) return found;
    if (before.step !== "" && before.step !== startingStep && job.repeatable !== true) {
      throw new AppError(
        "ACTION_LOST",
        `the operator was restarted while this phase ran, and its pod in namespace "${namespace}" is gone; what it did is not known`,
        { retry: false },
      );
    }
  }
  const manifest = await job.manifest();
  let tried = false;
  return patiently(
    async () => {
      // A create whose answer was lost may have made the pod.
      const found = tried ? await find() : undefined;
      tried = true;
      return found ?? (await deps.client.create<PodObject>(resources.pods, manifest, { namespace }, signal));
    },
    deps.clock,
    signal,
  ).catch((error: unknown) => {
    signal.throwIfAborted();
    const words = messageOf(error);
    throw new AppError("ACTION_POD", `the pod cannot be created: ${words}`, { cause: error, retry: false });
  });
}

async function started({ deps, signal }: Call, job: Job, pod: PodObject): Promise<void> {
  const late = new AbortController();
  const cancel = deps.clock.after(deps.options.podReadyMs, () => late.abort());
  let why = "";
  try {
    await deps.pods.until(
      pod,
      (now) => {
        const state = podState(now);
        if (state.is !== "waiting") return true;
        why = state.why;
        job.onWaiting(why, state.cause);
        if (state.hopeless) late.abort();
        return undefined;
      },
      AbortSignal.any([signal, late.signal]),
    );
    job.onWaiting(undefined);
    job.onRunning();
  } catch (error) {
    if (signal.aborted || !late.signal.aborted) throw error;
    throw new AppError("ACTION_POD", `pod "${nameOf(pod)}" does not start: ${why}`, { retry: false });
  } finally {
    cancel();
  }
}

async function ended({ deps, signal }: Call, job: Job, pod: PodObject): Promise<JobEnd> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  let isOver = false;
  const over = deps.pods.until(
    pod,
    (now) => {
      const state = podState(now);
      if (state.is === "failed") return { pod: nameOf(pod), failure: state.why };
      const exitCode = exitCodeOf(now, job.container);
      if (exitCode !== undefined && exitCode !== 0) {
        return { pod: nameOf(pod), failure: `container "${job.container}" exited with ${exitCode}` };
      }
      // A sidecar that somebody's webhook put there never ends, and is nobody's work.
      const isOver = state.is === "succeeded" || (exitCode === 0 && job.waitsForAll !== true);
      return isOver ? { pod: nameOf(pod) } : undefined;
    },
    both,
  );
  over.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  const reading = followLog(deps, { pod, container: job.container, ended: () => isOver }, job.onLine, both);
  try {
    const [end] = await Promise.all([over, reading]);
    return end;
  } finally {
    stop.abort();
    await Promise.allSettled([over, reading]);
  }
}

async function deletePod({ deps, signal }: Call, pod: PodObject): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  // A canceled run still tidies up, within limits.
  const until = signal.aborted ? AbortSignal.timeout(60_000) : signal;
  const options = { namespace, uid, gracePeriodSeconds: 0 };
  await patiently(() => deps.client.delete(resources.pods, name, options, until), deps.clock, until).catch(
    (error: unknown) => {
      if (!isNotFound(error)) throw error;
    },
  );
}

function nameOf({ metadata }: PodObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Waits for the next look, the same everywhere. */
export function pause({ deps, signal }: Call, ms = 1_000): Promise<void> {
  return sleep(deps.clock, ms, signal);
}
