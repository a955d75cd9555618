import type { Backup } from "../../api/index.ts";
import { type Hook, type HookPhase, hooksOf } from "./hooks.ts";
import { podNeeds, type Related } from "./related.ts";
import type { Item } from "./source.ts";
import type { PodItem, PodVolumes, VolumeFindings } from "./volumes.ts";

/** Runs a command in a container and tells how it ended; throws when it could not be run or took too long. */
export type RunInPod = (
  where: { readonly namespace: string; readonly pod: string; readonly container: string },
  command: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
) => Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;

/** What handling pods is given. */
export interface PodItemsOptions {
  readonly backup: Backup;
  readonly volumes: PodVolumes;
  readonly runInPod: RunInPod;
  readonly found: VolumeFindings;
  readonly info: (message: string, pod: { readonly namespace: string; readonly name: string }) => void;
  /** Told while the backup does nothing but wait for a hook or a volume. */
  readonly onWait: (what: string | undefined) => void;
}

/** Pods are more than their JSON: commands run around them, and their volumes are copied. */
export class PodItems {
  readonly #options: PodItemsOptions;
  readonly #copied = new Set<string>();
  #attempted = 0;
  #failed = 0;

  constructor(options: PodItemsOptions) {
    this.#options = options;
  }

  /** Hooks so far, as the backup's status counts them. */
  get hookStatus(): { readonly hooksAttempted?: number; readonly hooksFailed?: number } {
    return {
      ...(this.#attempted > 0 && { hooksAttempted: this.#attempted }),
      ...(this.#failed > 0 && { hooksFailed: this.#failed }),
    };
  }

  needs(pod: Item): Related[] {
    return podNeeds(pod);
  }

  /** Whether the files of a volume are copied out of a pod already. */
  copies(volume: Item): boolean {
    const { claimRef } = (volume["spec"] ?? {}) as { claimRef?: { namespace?: string; name?: string } }; // the server's own shape
    return claimRef !== undefined && this.#copied.has(`${claimRef.namespace}/${claimRef.name}`);
  }

  /** Runs `inside` between the pod's hooks, with the copies of its volumes started; false when the pod must not be stored. */
  async around(pod: PodItem, inside: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    const { backup, volumes, found } = this.#options;
    const where = { namespace: pod.metadata.namespace ?? "", name: pod.metadata.name };
    if (!(await this.#run("pre", hooksOf(backup.spec, pod, "pre"), where, signal))) return false;
    for (const claim of await volumes.start(pod, found, signal)) this.#copied.add(claim);
    await inside();
    const post = hooksOf(backup.spec, pod, "post");
    if (post.length > 0) {
      // What a pre hook froze may thaw only when the copy has ended.
      this.#options.onWait(`volumes of pod ${where.namespace}/${where.name}`);
      await volumes.settled(where, signal);
      this.#options.onWait(undefined);
      await this.#run("post", post, where, signal);
    }
    return true;
  }

  async #run(
    phase: HookPhase,
    hooks: readonly Hook[],
    where: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<boolean> {
    for (const hook of hooks) {
      this.#attempted += 1;
      this.#options.onWait(`${phase} hook of pod ${where.namespace}/${where.name}`);
      const why = await this.#one(hook, where, signal);
      this.#options.onWait(undefined);
      if (why === undefined) continue;
      this.#failed += 1;
      const subject = { resource: "pods", ...where };
      this.#options.found.errors.add(subject, `${phase} hook "${hook.name}" failed`, why);
      if (hook.fatal) return phase === "post";
    }
    return true;
  }

  async #one(
    hook: Hook,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const where = { namespace, pod: name, container: hook.container };
    try {
      const { exitCode, stdout, stderr } = await this.#options.runInPod(
        where,
        hook.command,
        hook.timeoutMs,
        signal,
      );
      this.#options.info(`hook "${hook.name}" printed: ${stdout}${stderr}`.slice(0, 4096), {
        namespace,
        name,
      });
      return exitCode === 0 ? undefined : `the command ended with exit code ${exitCode}`;
    } catch (error) {
      signal.throwIfAborted();
      return error instanceof Error ? error.message : String(error);
    }
  }
}
