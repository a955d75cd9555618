import { type ActionSet, cancelAnnotation, kinds } from "../../api/index.ts";
import { isActionEnded } from "../../kinds/index.ts";
import { Controller, EventRecorder, Informer, isNotFound, resourceOf } from "../../kube/index.ts";
import { Canceled, CanceledByRequest, canceledMessage } from "./canceled.ts";
import { resources } from "./core-objects.ts";
import type { ActionSetDeps } from "./deps.ts";
import { labels } from "./pod/identity.ts";
import { PodWatch } from "./pod/pod-watch.ts";
import { SetRun } from "./set-run.ts";

/** Runs ActionSets until the signal fires. */
export async function startActionSetController(deps: ActionSetDeps, signal: AbortSignal): Promise<void> {
  await new ActionSetQueue(deps, signal).work();
}

interface Running {
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** One look decides about all ActionSets; each run is a task of its own that a deletion stops. */
class ActionSetQueue {
  readonly #deps: ActionSetDeps;
  readonly #signal: AbortSignal;
  readonly #running = new Map<string, Running>();
  /** Uids of ActionSets that ended here while the watch still shows them as they were; each leaves with its next change. */
  readonly #ended = new Set<string>();
  readonly #controller: Controller;
  readonly #informer: Informer<ActionSet, ActionSet>;
  readonly #pods: PodWatch;
  readonly #events: EventRecorder;
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
    this.#informer = new Informer<ActionSet, ActionSet>({
      client: deps.client,
      resource: resourceOf(kinds.ActionSet),
      query: { namespace: deps.namespace },
      project: slim,
      onChange: (_key, now, before) => this.#changed(now, before),
      onError: (error) => deps.log("warning", "cannot watch ActionSets", { error }),
    });
  }

  async work(): Promise<void> {
    await Promise.all([
      this.#informer.run(this.#signal),
      this.#pods.run(this.#signal),
      this.#controller.run(this.#signal),
    ]);
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    this.#events.close();
  }

  #changed(now: ActionSet | undefined, before: ActionSet | undefined): void {
    const uid = (now ?? before)?.metadata.uid ?? "";
    if (!now || isActionEnded(now.status)) this.#ended.delete(uid);
    const gone = now === undefined || now.metadata.deletionTimestamp !== undefined;
    if (gone) this.#running.get(uid)?.stop.abort(new Canceled("the ActionSet was deleted"));
    else if (isUnwanted(now)) this.#running.get(uid)?.stop.abort(new CanceledByRequest(canceledMessage));
    // One of the same name took its place between two looks.
    const old = before?.metadata.uid;
    if (old !== undefined && old !== uid)
      this.#running.get(old)?.stop.abort(new Canceled("the ActionSet was deleted"));
    this.#controller.add("queue");
  }

  async #look(): Promise<void> {
    await this.#informer.synced(this.#signal);
    await this.#pods.synced(this.#signal);
    await this.#sweepOnce();
    const waiting = [...this.#informer.entries()]
      .map(([, set]) => set)
      .filter((set) => !isActionEnded(set.status) && set.metadata.deletionTimestamp === undefined)
      .filter(
        ({ metadata }) => !this.#running.has(metadata.uid ?? "") && !this.#ended.has(metadata.uid ?? ""),
      )
      .toSorted(byAge);
    for (const set of waiting) {
      if (this.#running.size >= this.#deps.actions.concurrent) return;
      this.#start(set);
    }
  }

  #start(set: ActionSet): void {
    const uid = set.metadata.uid ?? "";
    const stop = new AbortController();
    const run = new SetRun(this.#deps, this.#pods, this.#events, set);
    const signal = AbortSignal.any([this.#signal, stop.signal]);
    let again = false;
    const work = isUnwanted(set) ? run.cancel() : run.run(signal, this.#signal);
    const done = work
      .then(() => this.#settle(set))
      .catch((error: unknown) => {
        if (signal.aborted) return;
        again = true;
        this.#deps.log("error", `ActionSet "${set.metadata.name}" stopped`, { error });
      })
      .finally(() => {
        this.#running.delete(uid);
        if (again) this.#deps.clock.after(5_000, () => this.#controller.add("queue"));
        else this.#controller.add("queue");
      });
    this.#running.set(uid, { stop, done });
  }

  /** Its last status is written; what the watch still says about it is old. */
  #settle({ metadata }: ActionSet): void {
    const heard = this.#informer.get(`${metadata.namespace}/${metadata.name}`);
    if (heard && heard.metadata.uid === metadata.uid && !isActionEnded(heard.status))
      this.#ended.add(metadata.uid ?? "");
  }

  /** Pods of ActionSets that were deleted while nobody looked. */
  async #sweepOnce(): Promise<void> {
    if (this.#isSwept) return;
    this.#isSwept = true;
    const alive = new Set([...this.#informer.entries()].map(([, { metadata }]) => metadata.uid ?? ""));
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

/** What the queue keeps of an ActionSet: everything but the history of its fields. */
function slim(set: ActionSet): ActionSet {
  const { managedFields: _history, ...metadata } = set.metadata;
  return { ...set, metadata };
}
