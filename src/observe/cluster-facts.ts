import { type KubeObject, veleroNames } from "../api/index.ts";
import { isVolumeEnded, type VolumeObject } from "../kinds/index.ts";
import { builtIn, type Client, type Clock, Informer, type Resource, systemClock } from "../kube/index.ts";
import type { StallCause } from "../progress/index.ts";
import { AskedWatch } from "./asked-watch.ts";
import {
  causesOf,
  type Facts,
  type LeaseFacts,
  leaseSeen,
  nodeReady,
  type PodFacts,
  podFacts,
} from "./facts.ts";

/** What is looked at, and where. */
export interface ClusterFactsOptions {
  readonly client: Pick<Client, "pages" | "watch">;
  /** The namespace of the server, its agents and its movers. */
  readonly namespace: string;
  readonly clock?: Clock;
  readonly onError?: (kind: string, error: unknown) => void;
  /** It lives long: restored pods, which keep their label for ever, are watched only while a volume is restored into one. */
  readonly isLasting?: boolean;
}

const pods: Resource = builtIn.pods;
const nodes: Resource = builtIn.nodes;
const leases: Resource = builtIn.leases;
const agentLease = "headway-agent-";

/**
 * Watches what operations depend on: the server's own pods, restored pods, nodes, the agents' leases. Bounded by their
 * number: a few words are kept of each.
 */
export class ClusterFacts {
  readonly #clock: Clock;
  readonly #own: Informer<KubeObject, PodFacts>;
  readonly #restored: Informer<KubeObject, PodFacts> | AskedWatch<PodFacts>;
  readonly #nodes: Informer<KubeObject, boolean>;
  readonly #leases: Informer<KubeObject, LeaseFacts>;
  /** Settles when all of it has been listed once, or was refused, or nobody watches any more. */
  readonly known: Promise<unknown>;
  readonly #over = Promise.withResolvers<void>();
  #known: { readonly at: number; readonly isInto: boolean; readonly facts: Facts } | undefined;

  constructor(options: ClusterFactsOptions) {
    const { client, namespace, onError, isLasting = false, clock = systemClock } = options;
    this.#clock = clock;
    const answers: Promise<void>[] = [];
    const open = <P>(
      resource: Resource,
      project: (object: KubeObject) => P,
      query: object,
      isAwaited = true,
    ) => {
      const refused = Promise.withResolvers<void>();
      const informer = new Informer<KubeObject, P>({
        client,
        resource,
        query,
        project,
        clock,
        onError: (error) => {
          refused.resolve();
          onError?.(resource.kind, error);
        },
      });
      if (isAwaited) answers.push(Promise.race([informer.synced(), refused.promise]));
      return informer;
    };
    this.#own = open(pods, podFacts, { namespace });
    const restored = () => open(pods, podFacts, { labelSelector: veleroNames.restoreName }, !isLasting);
    this.#restored = isLasting ? new AskedWatch(restored, clock) : restored();
    this.#nodes = open(nodes, nodeReady, {});
    // Bounded by the Leases of the namespace: one for each node, and a few of controllers.
    const seen = new Map<string, LeaseFacts>();
    const project = (object: KubeObject) => {
      const lease = leaseSeen(object, seen.get(object.metadata.name), clock.now());
      seen.set(object.metadata.name, lease);
      return lease;
    };
    this.#leases = open(leases, project, { namespace });
    this.known = Promise.race([Promise.all(answers), this.#over.promise]);
  }

  /** Watches until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const all = [this.#own, this.#restored, this.#nodes, this.#leases];
    await Promise.all(all.map((informer) => informer.run(signal)));
    this.#over.resolve();
  }

  /** Why a volume may stand still. */
  readonly causes = (volume: VolumeObject): readonly StallCause[] => {
    const isInto = volume.kind === "PodVolumeRestore" && !isVolumeEnded(volume.status);
    return causesOf(volume, this.#facts(isInto), this.#clock.now());
  };

  /** One picture serves all volumes of the same moment. */
  #facts(isInto: boolean): Facts {
    const now = this.#clock.now();
    if (this.#known && this.#known.at === now && (this.#known.isInto || !isInto)) return this.#known.facts;
    const restored = isInto ? this.#restored.entries() : [];
    const facts: Facts = {
      // What may not be read is not known: restored pods alone would look like a server without agents.
      ...(this.#own.isSynced && { pods: new Map([...restored, ...this.#own.entries()]) }),
      ...(this.#nodes.isSynced && { nodes: new Map(this.#nodes.entries()) }),
      ...(this.#leases.isSynced && { agents: new Map(this.#agents()) }),
    };
    this.#known = { at: now, isInto, facts };
    return facts;
  }

  *#agents(): Generator<[string, LeaseFacts]> {
    for (const [key, lease] of this.#leases.entries()) {
      const name = key.slice(key.indexOf("/") + 1);
      if (name.startsWith(agentLease)) yield [name.slice(agentLease.length), lease];
    }
  }
}
