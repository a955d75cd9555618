import { podLost } from "./move.ts";

interface Watched {
  readonly key: string;
  readonly uid: string;
  readonly stop: AbortController;
}

/** Ends what depends on a pod when the pod goes. Bounded by the copies that run. */
export class LostPods {
  readonly #namespace: string;
  readonly #watched = new Set<Watched>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** A signal that fires with the given one, or when the pod goes away. */
  signal(pod: { readonly name: string; readonly uid: string }, signal: AbortSignal): AbortSignal {
    const stop = new AbortController();
    const one = { key: `${this.#namespace}/${pod.name}`, uid: pod.uid, stop };
    // A copy has one pod at a time: what an earlier try watched is over.
    for (const other of this.#watched) if (other.key === one.key) this.#watched.delete(other);
    this.#watched.add(one);
    signal.addEventListener("abort", () => this.#watched.delete(one), { once: true });
    return AbortSignal.any([signal, stop.signal]);
  }

  /** A pod of this node changed; `uid` is that of the one that is there and runs. */
  changed(key: string, uid: string | undefined): void {
    for (const one of this.#watched) {
      if (one.key !== key || one.uid === uid) continue;
      this.#watched.delete(one);
      one.stop.abort(podLost(key));
    }
  }
}
