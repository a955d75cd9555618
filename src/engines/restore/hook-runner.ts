import type { Restore } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { findingPlace } from "../../kinds/index.ts";
import { builtIn, type Clock, isNotFound, patiently, type Resource, sleep } from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import { containerState, type ExecHook, type HookMark, hookAnnotation, hookMark } from "./hooks.ts";
import { inParallel } from "./parallel.ts";
import { title } from "./put.ts";
import type { RunLog } from "./run-log.ts";
import type { Cluster } from "./served.ts";

/** Runs a command in a container; rejects when it cannot be run or does not end in time. */
export type RunInPod = (
  where: { readonly namespace: string; readonly pod: string; readonly container: string },
  command: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
) => Promise<{ readonly exitCode: number; readonly stderr: string }>;

const pods: Resource = builtIn.pods;
const pollMs = 1000;
const podsAtATime = 10;

interface HookContext {
  readonly restore: Restore;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: RunLog;
  readonly run: RunInPod | undefined;
  readonly limitMs: number;
}

/** Runs the commands of restored pods, each pod's in order, some pods at a time. Bounded by the pods that have hooks. */
export class HookRunner {
  readonly #context: HookContext;
  readonly #work: { readonly pod: Item; readonly hooks: readonly ExecHook[] }[] = [];
  #done = 0;
  #failed = 0;

  constructor(context: HookContext) {
    this.#context = context;
  }

  add(pod: Item, hooks: readonly ExecHook[]): void {
    if (hooks.length > 0) this.#work.push({ pod, hooks });
  }

  get numbers(): { readonly done: number; readonly total: number; readonly failed: number } {
    const total = this.#work.reduce((sum, { hooks }) => sum + hooks.length, 0);
    return { done: this.#done, total, failed: this.#failed };
  }

  /** Runs all that was added; failures are written down. */
  async finish(moved: (waitingFor?: string) => void, signal: AbortSignal): Promise<void> {
    await inParallel(this.#work, podsAtATime, (one) => this.#pod(one.pod, one.hooks, moved, signal), signal);
  }

  async #pod(
    pod: Item,
    hooks: readonly ExecHook[],
    moved: (waitingFor?: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const before = hookMark(pod, this.#uid);
    this.#resume(pod, hooks, before);
    let { failed } = before;
    for (const [at, hook] of hooks.entries()) {
      if (at < before.begun) continue;
      const fault =
        (await this.#mark(pod, { begun: at + 1, done: at, failed }, signal)) ??
        (await this.#hook(pod, hook, moved, signal));
      this.#done += 1;
      if (fault !== undefined) {
        failed += 1;
        this.#fail(pod, `hook "${hook.name}" of ${title(pod)}: ${fault}`);
      }
      moved();
      if (fault !== undefined && hook.stops) {
        this.#done += hooks.length - at - 1;
        break;
      }
    }
    if (before.done < hooks.length) {
      await this.#mark(pod, { begun: hooks.length, done: hooks.length, failed }, signal);
    }
  }

  /** What processes before this one did is counted, and never done again. */
  #resume(pod: Item, hooks: readonly ExecHook[], { begun, done, failed }: HookMark): void {
    this.#done += Math.min(begun, hooks.length);
    for (let n = 0; n < failed; n += 1) {
      this.#fail(pod, `a hook of ${title(pod)} failed before the operator was started again`);
    }
    const open = done < begun ? hooks[done] : undefined;
    if (open !== undefined) {
      this.#fail(
        pod,
        `hook "${open.name}" of ${title(pod)} was running when the operator ended; how it ended is not known, and it is not run again`,
      );
    }
  }

  #fail(pod: Item, message: string): void {
    this.#failed += 1;
    this.#context.log.fail(findingPlace(pod.metadata.namespace ?? ""), message);
  }

  get #uid(): string {
    return this.#context.restore.metadata.uid ?? "";
  }

  /** Writes down on the pod how far its hooks are, before anything is run; why that failed, or undefined. */
  async #mark(pod: Item, mark: HookMark, signal: AbortSignal): Promise<string | undefined> {
    const { cluster, clock } = this.#context;
    const { name, namespace, uid } = pod.metadata;
    const annotations = { [hookAnnotation]: `${this.#uid}/${mark.begun}/${mark.done}/${mark.failed}` };
    const body = { metadata: { uid, annotations } };
    try {
      const patch = () => cluster.patch<Item>(pods, name, { type: "merge", body }, { namespace }, signal);
      await patiently(patch, clock, signal);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (isNotFound(error)) return "the pod is gone";
      return messageOf(error);
    }
  }

  /** Why a hook failed, or undefined. */
  async #hook(
    pod: Item,
    hook: ExecHook,
    moved: (waitingFor?: string) => void,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { run } = this.#context;
    if (run === undefined) return "commands cannot be run here";
    const namespace = pod.metadata.namespace ?? "";
    try {
      moved(`container "${hook.container}" of ${title(pod)}`);
      const fault = await this.#ready(pod, hook, signal);
      if (fault !== undefined) return fault;
      const where = { namespace, pod: pod.metadata.name, container: hook.container };
      const { exitCode, stderr } = await run(where, hook.command, hook.execTimeoutMs, signal);
      return exitCode === 0 ? undefined : `it ended with ${exitCode}: ${stderr.trim().slice(0, 300)}`;
    } catch (error) {
      signal.throwIfAborted();
      return messageOf(error);
    }
  }

  async #ready(pod: Item, hook: ExecHook, signal: AbortSignal): Promise<string | undefined> {
    const { cluster, clock, limitMs } = this.#context;
    const { name, namespace } = pod.metadata;
    const until = clock.monotonic() + (hook.waitTimeoutMs === 0 ? limitMs : hook.waitTimeoutMs);
    for (;;) {
      try {
        const now = await patiently(
          () => cluster.get<Item>(pods, name, { namespace }, signal),
          clock,
          signal,
        );
        const state = containerState(now, hook.container, hook.waitForReady);
        if (state === "ready") return undefined;
        if (state === "over") return "the pod has ended";
      } catch (error) {
        if (isNotFound(error)) return "the pod is gone";
        throw error;
      }
      if (clock.monotonic() >= until)
        return `container "${hook.container}" was not ${hook.waitForReady ? "ready" : "running"} in time`;
      await sleep(clock, pollMs, signal);
    }
  }
}
