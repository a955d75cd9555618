import type { Backup } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import type { ClaimSnapshots } from "./claim-snapshots.ts";
import { type Hook, type HookPhase, hooksOf } from "./hooks.ts";
import { type LeftClaim, noteLeft } from "./protection.ts";
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

/** A pod and what stores it. */
export interface PodStep {
  readonly pod: PodItem;
  readonly store: () => Promise<void>;
}

/** What handling pods is given. */
export interface PodItemsOptions {
  readonly backup: Backup;
  readonly volumes: PodVolumes;
  readonly claimSnapshots?: Pick<ClaimSnapshots, "taken"> | undefined;
  readonly runInPod: RunInPod;
  readonly found: VolumeFindings;
  readonly info: (message: string, pod: { readonly namespace: string; readonly name: string }) => void;
  /** Told when the turn of a pod has come. */
  readonly onPod: (pod: { readonly namespace: string; readonly name: string }) => void;
  /** Told while the backup does nothing but wait for a hook or a volume. */
  readonly onWait: (what: string | undefined) => void;
}

/** Pods are more than their JSON: commands run around them, and their volumes are copied. */
export class PodItems {
  readonly #options: PodItemsOptions;
  /** Claims (`namespace/name`) whose files are copied, and why others are not; as many as there are claims of pods. */
  readonly copied = new Set<string>();
  readonly left = new Map<string, LeftClaim>();
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
    return claimRef !== undefined && this.copied.has(`${claimRef.namespace}/${claimRef.name}`);
  }

  /**
   * Runs the hooks of some pods around all of them, with the copies of their volumes started, and returns the pods that
   * were not stored because a hook forbids it. What is stored `beside` them is stored in any case.
   */
  async around(
    block: readonly PodStep[],
    signal: AbortSignal,
    beside?: () => Promise<void>,
  ): Promise<readonly PodItem[]> {
    const { backup, volumes, found } = this.#options;
    const refused: PodItem[] = [];
    const kept: PodStep[] = [];
    for (const step of block) {
      const hooks = hooksOf(backup.spec, step.pod, "pre");
      if (await this.#run("pre", hooks, placeOf(step.pod), signal)) kept.push(step);
      else refused.push(step.pod);
    }
    for (const { pod } of kept) {
      this.#options.onPod(placeOf(pod));
      const { copied, left } = await volumes.start(pod, found, signal);
      for (const claim of copied) this.copied.add(claim);
      for (const one of left) noteLeft(this.left, one);
    }
    for (const { store } of kept) await store();
    await beside?.();
    const post = kept.map(({ pod }) => ({
      where: placeOf(pod),
      hooks: hooksOf(backup.spec, pod, "post"),
      claims: claimsOf(pod),
    }));
    if (post.every(({ hooks }) => hooks.length === 0)) return refused;
    for (const { where, claims } of post) {
      // What a pre hook froze may thaw only when every copy has ended, and every snapshot has had its moment.
      this.#options.onWait(`volumes of pod ${where.namespace}/${where.name}`);
      await volumes.settled(where, signal);
      await this.#options.claimSnapshots?.taken(claims, signal);
      this.#options.onWait(undefined);
    }
    for (const { where, hooks } of post) await this.#run("post", hooks, where, signal);
    return refused;
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
      return messageOf(error);
    }
  }
}

/** `namespace/name` of the claims that a pod mounts. */
function claimsOf(pod: PodItem): readonly string[] {
  const needs = podNeeds(pod as unknown as Item); // the same object by its other name
  return needs.flatMap(({ plural, namespace, name }) =>
    plural === "persistentvolumeclaims" ? [`${namespace}/${name}`] : [],
  );
}

function placeOf({ metadata }: PodItem): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? "", name: metadata.name };
}
