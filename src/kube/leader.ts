import type { KubeObject } from "../api/index.ts";
import { isNotFound } from "./api-error.ts";
import { builtIn } from "./built-in.ts";
import type { Client } from "./client.ts";
import { type Clock, sleep, systemClock } from "./clock.ts";
import {
  type Candidate,
  decide,
  type LeaseRecord,
  type LeaseTimes,
  leads,
  lost,
  observe,
  wrote,
} from "./lease.ts";
import type { Resource } from "./resource.ts";

/** What an elector needs. */
export interface LeaderElectorOptions {
  readonly client: Pick<Client, "get" | "create" | "replace">;
  readonly namespace: string;
  /** The lease's name. */
  readonly name: string;
  /** Ours, unlike any other candidate's: mostly the pod's name and something random. */
  readonly identity: string;
  readonly times?: LeaseTimes;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onError?: (error: unknown) => void;
}

const leases: Resource = builtIn.leases;

interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string | null;
    readonly leaseDurationSeconds?: number | null;
    readonly acquireTime?: string | null;
    readonly renewTime?: string | null;
    readonly leaseTransitions?: number | null;
  };
}

const usual: LeaseTimes = { durationMs: 15_000, renewWithinMs: 10_000, everyMs: 2_000 };

/** Lets one of several processes work: whoever holds the lease. */
export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #clock: Clock;
  readonly #times: LeaseTimes;
  #candidate: Candidate;
  /** The lease as it was read or written last. */
  #lease: Lease | undefined;

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#times = options.times ?? usual;
    this.#candidate = { me: options.identity };
  }

  /** Whether this process may act as the leader at this moment. */
  get leads(): boolean {
    return leads(this.#candidate, this.#times, this.#clock.monotonic());
  }

  /**
   * Competes until the signal fires. Each time the lease is won, `work` runs with a signal of its own that fires when
   * the lease is lost; the next try begins only after `work` has ended. At the end the lease is given back.
   */
  async run(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#step(signal);
      if (this.leads) await this.#reign(work, signal);
      else await this.#wait(signal);
    }
  }

  async #reign(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const mine = AbortSignal.any([signal, over.signal]);
    const working = work(mine).finally(() => over.abort(new Error("the work of the leader ended")));
    working.catch(() => undefined); // thrown below
    while (!mine.aborted && this.leads) {
      await this.#wait(mine, this.#until() - this.#clock.monotonic());
      if (!mine.aborted && this.leads) await this.#renewInTime(mine);
    }
    over.abort(new Error("the lease was lost"));
    await working;
    await this.#giveBack();
  }

  /** One renewal, but never waiting past the moment at which we must step down. */
  async #renewInTime(signal: AbortSignal): Promise<void> {
    const late = new AbortController();
    const cancel = this.#clock.after(this.#until() - this.#clock.monotonic(), () =>
      late.abort(new Error("too late")),
    );
    try {
      await this.#step(AbortSignal.any([signal, late.signal]));
    } finally {
      cancel();
    }
  }

  /** Reads the lease and does what `decide` says; whatever fails is seen by the next step. */
  async #step(signal: AbortSignal): Promise<void> {
    try {
      this.#lease = await this.#read(signal);
      this.#candidate = observe(this.#candidate, recordOf(this.#lease), this.#clock.monotonic());
      const step = decide(this.#candidate, this.#clock.monotonic());
      if (this.#candidate.heldSince !== undefined && step.do !== "renew")
        this.#candidate = lost(this.#candidate);
      if (step.do !== "wait") await this.#write(this.#options.identity, signal);
    } catch (error) {
      if (!signal.aborted) this.#options.onError?.(error);
    }
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { client, name, namespace } = this.#options;
    try {
      return await client.get<Lease>(leases, name, { namespace }, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** The resource version of what was read guards the write: of two candidates one gets a conflict. */
  async #write(holder: string, signal?: AbortSignal): Promise<void> {
    const begunMs = this.#clock.monotonic();
    const { client, name, namespace } = this.#options;
    const before = this.#lease?.spec;
    const time = new Date(this.#clock.now()).toISOString().replace("Z", "000Z"); // MicroTime has six digits
    const changes = before?.holderIdentity !== holder;
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: this.#lease?.metadata ?? { name, namespace },
      spec: {
        holderIdentity: holder,
        leaseDurationSeconds: Math.max(1, Math.round(this.#times.durationMs / 1000)),
        acquireTime: changes ? time : (before?.acquireTime ?? time),
        renewTime: time,
        leaseTransitions: (before?.leaseTransitions ?? 0) + (changes && before && holder !== "" ? 1 : 0),
      },
    };
    this.#lease = this.#lease
      ? await client.replace<Lease>(leases, lease, {}, signal)
      : await client.create<Lease>(leases, lease, { namespace }, signal);
    const record = recordOf(this.#lease);
    if (record) this.#candidate = wrote(this.#candidate, record, begunMs);
  }

  async #giveBack(): Promise<void> {
    const mayGive = this.leads;
    this.#candidate = lost(this.#candidate);
    if (!mayGive) return;
    try {
      await this.#write("", AbortSignal.timeout(5_000));
    } catch (error) {
      this.#options.onError?.(error); // it runs out by itself
    }
    this.#candidate = lost(this.#candidate);
  }

  /** When a leader must step down unless it renews before. */
  #until(): number {
    return (this.#candidate.heldSince ?? 0) + this.#times.renewWithinMs;
  }

  async #wait(signal: AbortSignal, atMostMs = Number.POSITIVE_INFINITY): Promise<void> {
    const { random = Math.random } = this.#options;
    try {
      await sleep(this.#clock, Math.min(atMostMs, this.#times.everyMs * (0.8 + 0.4 * random())), signal);
    } catch {
      // told to stop: the caller looks at the signal
    }
  }
}

function recordOf(lease: Lease | undefined): LeaseRecord | undefined {
  if (!lease) return undefined;
  return {
    holder: lease.spec?.holderIdentity ?? "",
    durationMs: (lease.spec?.leaseDurationSeconds ?? 0) * 1000,
    version: lease.metadata.resourceVersion ?? "",
  };
}
