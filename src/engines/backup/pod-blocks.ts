import type { Backup } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { type HookedPod, hooksOf } from "./hooks.ts";
import { podNeeds } from "./related.ts";
import type { Findings } from "./results.ts";
import { fetchOne, type Item, type ResourceType, readItem, type Source } from "./source.ts";
import { isFatal } from "./trouble.ts";

/** What finding pods that belong together needs. */
export interface PodBlocksOptions {
  readonly backup: Backup;
  readonly source: Source;
  readonly errors: Pick<Findings, "add">;
}

/** What is remembered of a pod for a moment. */
export interface PodFacts {
  readonly name: string;
  readonly claims: readonly string[];
  readonly hooked: boolean;
}

/**
 * Pods that share a claim, where one of them has hooks: what freezes one must hold while the others are copied.
 *
 * A namespace is looked through when the first pod with a claim is met in it; only the names of pods that belong together stay.
 */
export class PodBlocks {
  readonly #options: PodBlocksOptions;
  readonly #mates = new Map<string, Promise<ReadonlyMap<string, readonly string[]>>>();

  constructor(options: PodBlocksOptions) {
    this.#options = options;
  }

  /** The text of the pods that are stored together with this one; most have none. */
  async mates(type: ResourceType, pod: Item, signal: AbortSignal): Promise<readonly Buffer[]> {
    const { namespace = "", name } = pod.metadata;
    if (claimsOf(pod).length === 0) return [];
    const known = this.#mates.get(namespace) ?? this.#look(type, namespace, signal);
    this.#mates.set(namespace, known);
    const found: Buffer[] = [];
    for (const mate of (await known).get(name) ?? []) {
      // One that is gone by now is told by the list of pods, which meets it or does not.
      const raw = await fetchOne(this.#options.source, type, { namespace, name: mate }, signal);
      if (raw !== undefined) found.push(raw);
    }
    return found;
  }

  async #look(
    type: ResourceType,
    namespace: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const { backup, source, errors } = this.#options;
    const facts: PodFacts[] = [];
    try {
      for await (const page of source.rawPages(type, { namespace }, signal)) {
        for (const raw of page.items) {
          const pod = readItem(raw);
          const claims = claimsOf(pod);
          if (claims.length === 0) continue;
          const seen = pod as unknown as HookedPod; // the API server checked its shape
          const hooked = (["pre", "post"] as const).some(
            (when) => hooksOf(backup.spec, seen, when).length > 0,
          );
          facts.push({ name: pod.metadata.name, claims, hooked });
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      errors.add({ resource: "pods", namespace }, "cannot list for pods that share claims", messageOf(error));
    }
    return matesOf(facts);
  }
}

/** For each pod of a group that shares claims, directly or through others, and has a hook somewhere: the rest of the group. */
export function matesOf(pods: readonly PodFacts[]): ReadonlyMap<string, readonly string[]> {
  const groups: { claims: Set<string>; pods: PodFacts[] }[] = [];
  for (const pod of pods) {
    const joined = groups.filter(({ claims }) => pod.claims.some((claim) => claims.has(claim)));
    const whole = {
      claims: new Set([...joined.flatMap(({ claims }) => [...claims]), ...pod.claims]),
      pods: [...joined.flatMap((group) => group.pods), pod],
    };
    for (const group of joined) groups.splice(groups.indexOf(group), 1);
    groups.push(whole);
  }
  const shared = groups.filter((group) => group.pods.length > 1 && group.pods.some(({ hooked }) => hooked));
  return new Map(
    shared.flatMap((group) => {
      const names = group.pods.map(({ name }) => name);
      return names.map((name) => [name, names.filter((other) => other !== name)] as const);
    }),
  );
}

function claimsOf(pod: Item): string[] {
  return podNeeds(pod)
    .filter(({ plural }) => plural === "persistentvolumeclaims")
    .map(({ name }) => name);
}
