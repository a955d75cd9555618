import { type Kind, type KubeObject, veleroPhaseOf } from "../../api/index.ts";
import { isVolumeEnded } from "../../kinds/index.ts";
import { type Cache, type Client, type Clock, resourceOf, sleep, type View } from "../../kube/index.ts";
import { givenUp } from "./quiet.ts";

/** The part that both kinds of copies have. */
export type CopyObject = KubeObject & {
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly progress?: { readonly totalBytes?: number; readonly bytesDone?: number };
  } | null;
};

/** What watching copies needs. */
export interface CopiesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly cache: Cache;
  readonly kind: Kind;
  readonly namespace: string;
  /** The label that those of the run have, and its value. */
  readonly label: readonly [key: string, value: string];
  /** Told after each change. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

/** The copies of one backup or one restore, as they are now. Bounded by their number. */
export class Copies<T extends CopyObject> {
  readonly #options: CopiesOptions;
  readonly #view: View<T>;
  /** Ones that were just made, until the watch has them. */
  readonly #made = new Map<string, T>();
  readonly #changedAt = new Map<string, number>();
  #wake = Promise.withResolvers<void>();

  constructor(options: CopiesOptions) {
    this.#options = options;
    const { cache, kind, namespace, label, onError } = options;
    const [key, value] = label;
    this.#view = cache.view<T>(kind, {
      namespace,
      where: ({ metadata }) => metadata.labels?.[key] === value,
      onError,
      onChange: (_key, now, before) => this.#changed(now ?? before, now === undefined),
    });
  }

  /** Watches until the signal fires; returns when what is there is known. */
  async open(signal: AbortSignal): Promise<void> {
    void this.#view.run(signal);
    await this.#view.synced(signal);
    // The watch is shared and may be a moment late; what was made a moment ago must not be missed.
    const { client, kind, namespace, label } = this.#options;
    const query = { namespace, labelSelector: label.join("=") };
    for (const object of await client.list<T>(resourceOf(kind), query, signal)) this.add(object);
  }

  /** Takes in one that was just made. */
  add(object: T): void {
    const { name } = object.metadata;
    if (this.#find(name) === undefined) this.#made.set(name, object);
    this.#changedAt.set(name, this.#options.clock.monotonic());
  }

  all(): readonly T[] {
    return [...this.#view.objects(), ...this.#made.values()];
  }

  /** Waits until those that are asked for have ended; returns those that were given up, by name. */
  async ended(
    which: (object: T) => boolean,
    limitMs: number,
    agentLives: (object: T) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<readonly T[]> {
    const { clock } = this.#options;
    for (;;) {
      const asked = this.all().filter(which);
      const open = asked.filter((object) => !isVolumeEnded(object.status));
      if (open.length === 0) return [];
      const now = clock.monotonic();
      const newest = Math.max(...asked.map(({ metadata }) => this.#changedAt.get(metadata.name) ?? now));
      if (now - newest >= limitMs) {
        const waited = new Map<T, { phase: string; changedAt: number; agentLives: boolean }>();
        for (const object of open) {
          const phase = veleroPhaseOf(object.status);
          waited.set(object, { phase, changedAt: newest, agentLives: await agentLives(object) });
        }
        const lost = givenUp(waited, limitMs, now);
        if (lost.length > 0) return lost;
      }
      // A look now and then beside the changes: silence is no change.
      await Promise.race([this.#wake.promise, sleep(clock, Math.min(10_000, limitMs), signal)]);
      signal.throwIfAborted();
    }
  }

  /** Asks those that have not ended to stop. */
  async cancel(which: readonly T[], signal: AbortSignal): Promise<void> {
    const { client, kind, namespace } = this.#options;
    const resource = resourceOf(kind);
    const open = which.filter((object) => !isVolumeEnded(object.status));
    await Promise.all(
      open.map(({ metadata }) =>
        client.patch(
          resource,
          metadata.name,
          { type: "merge", body: { spec: { cancel: true } } },
          { namespace },
          signal,
        ),
      ),
    );
  }

  #find(name: string): T | undefined {
    return this.#view.get(`${this.#options.namespace}/${name}`);
  }

  #changed(object: T | undefined, gone: boolean): void {
    const name = object?.metadata.name ?? "";
    this.#made.delete(name);
    if (gone) this.#changedAt.delete(name);
    else this.#changedAt.set(name, this.#options.clock.monotonic());
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
    this.#options.onChange();
  }
}
