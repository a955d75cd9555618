import { type ActionSet, cancelAnnotation, kinds } from "../../api/index.ts";
import { isActionEnded } from "../../kinds/index.ts";
import {
  Canceled,
  Controller,
  EventRecorder,
  isNotFound,
  keyOf,
  Tasks,
  type View,
} from "../../kube/index.ts";
import { CanceledByRequest, canceledMessage } from "./canceled.ts";
import { resources } from "./core-objects.ts";
import type { ActionSetDeps } from "./deps.ts";
import { labels } from "./pod/identity.ts";
import { PodWatch } from "./pod/pod-watch.ts";
import { SetRun } from "./set-run.ts";

/** Runs ActionSets until the signal fires. */
export async function startActionSetController(deps: ActionSetDeps, signal: AbortSignal): Promise<void> {
  await new ActionSetQueue(deps, signal).work();
}

/** One look decides about all ActionSets; each run is a task of its own that a deletion stops. */
class ActionSetQueue {
  readonly #deps: ActionSetDeps;
  readonly #signal: AbortSignal;
  readonly #tasks: Tasks<ActionSet>;
  readonly #controller: Controller;
  readonly #sets: View<ActionSet>;
  readonly #pods: PodWatch;
  readonly #events: EventRecorder;
  /** Uids of those whose run failed for a reason of its own; each leaves when it is settled. */
  readonly #failed = new Set<string>();
  #isSwept = false;

  constructor(deps: ActionSetDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#events = new EventRecorder({
      client: deps.client,
      component: "headway-actionset",
      clock: deps.clock,
    });
    this.#pods = new PodWatch(deps.client, deps.namespace, (error) =>
      deps.log("warning", "cannot watch the pods of actions", { error }),
    );
    this.#controller = new Controller({
      workers: 1,
      reconcile: () => this.#look(),
      onError: (_name, error) => deps.log("error", "the queue of ActionSets cannot be looked at", { error }),
    });
    this.#sets = deps.cache.view<ActionSet>(kinds.ActionSet, {
      namespace: deps.namespace,
      onChange: (_key, now, before) => this.#changed(now, before),
      onError: (error) => deps.log("warning", "cannot watch ActionSets", { error }),
    });
    this.#tasks = new Tasks<ActionSet>({
      isEnded: ({ status }) => isActionEnded(status),
      seen: (set) => this.#sets.get(keyOf(set)),
      onSettled: (set) => this.#again(set),
      onError: (set, error) => {
        this.#failed.add(set.metadata.uid ?? "");
        deps.log("error", `ActionSet "${set.metadata.name}" stopped`, { error });
      },
    });
  }

  async work(): Promise<void> {
    await Promise.all([
      this.#sets.run(this.#signal),
      this.#pods.run(this.#signal),
      this.#controller.run(this.#signal),
    ]);
    await this.#tasks.idle();
    this.#events.close();
  }

  #changed(now: ActionSet | undefined, before: ActionSet | undefined): void {
    this.#tasks.changed(now, before);
    const isGone = now === undefined || now.metadata.deletionTimestamp !== undefined;
    // One of the same name took its place between two looks.
    const isReplaced = before !== undefined && now !== undefined && before.metadata.uid !== now.metadata.uid;
    if (before && (isGone || isReplaced)) this.#tasks.stop(before, new Canceled("the ActionSet was deleted"));
    if (now && !isGone && isUnwanted(now)) this.#tasks.stop(now, new CanceledByRequest(canceledMessage));
    this.#controller.add("queue");
  }

  async #look(): Promise<void> {
    await this.#sets.synced(this.#signal);
    await this.#pods.synced(this.#signal);
    await this.#sweepOnce();
    const waiting = [...this.#sets.objects()]
      .filter((set) => !isActionEnded(set.status) && set.metadata.deletionTimestamp === undefined)
      .filter((set) => !this.#tasks.isRunning(set) && this.#tasks.isOpen(set))
      .toSorted(byAge);
    for (const set of waiting) {
      if (this.#tasks.size >= this.#deps.actions.concurrent) return;
      this.#start(set);
    }
  }

  #start(set: ActionSet): void {
    const run = new SetRun(this.#deps, this.#pods, this.#events, set);
    const work = (signal: AbortSignal) => (isUnwanted(set) ? run.cancel() : run.run(signal, this.#signal));
    this.#tasks.start(set, work, this.#signal);
  }

  /** Somebody else may have a turn; one that could not be ended gets another one later. */
  #again({ metadata }: ActionSet): void {
    const isLater = this.#failed.delete(metadata.uid ?? "");
    if (isLater) this.#deps.clock.after(5_000, () => this.#controller.add("queue"));
    else this.#controller.add("queue");
  }

  /** Pods of ActionSets that were deleted while nobody looked. */
  async #sweepOnce(): Promise<void> {
    if (this.#isSwept) return;
    this.#isSwept = true;
    const alive = new Set([...this.#sets.objects()].map(({ metadata }) => metadata.uid ?? ""));
    for (const pod of this.#pods.all()) {
      const { name, namespace, uid, labels: has = {} } = pod.metadata;
      if (alive.has(has[labels.set] ?? "")) continue;
      const options = { namespace, uid, gracePeriodSeconds: 0 };
      await this.#deps.client.delete(resources.pods, name, options, this.#signal).catch((error: unknown) => {
        if (!isNotFound(error))
          this.#deps.log("warning", `pod "${namespace}/${name}" cannot be deleted`, { error });
      });
    }
  }
}

/** Whether somebody asked for its end. */
function isUnwanted({ metadata }: ActionSet): boolean {
  return metadata.annotations?.[cancelAnnotation] === "true";
}

function byAge(a: ActionSet, b: ActionSet): number {
  const [x, y] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  return x < y ? -1 : x > y ? 1 : 0;
}
