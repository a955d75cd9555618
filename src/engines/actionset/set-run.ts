import { type ActionSet, kinds } from "../../api/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import { tellActionSet, writeActionSet } from "../../kinds/index.ts";
import { type EventRecorder, isConflict, isNotFound, Mask, patiently, resourceOf } from "../../kube/index.ts";
import { track } from "../../progress/index.ts";
import { ActionRun } from "./action-run.ts";
import { initialState, type PlannedAction, planActions, refusedState } from "./begin.ts";
import { CanceledByRequest, canceledMessage, isCanceled } from "./canceled.ts";
import { resources } from "./core-objects.ts";
import type { ActionSetDeps } from "./deps.ts";
import { Announce } from "./events.ts";
import type { FunctionDeps } from "./functions/call.ts";
import type { PodWatch } from "./pod/pod-watch.ts";
import { factsOf, StateKeeper } from "./state-keeper.ts";
import { readStatus, type SetState } from "./status.ts";
import { actionSetFaults } from "./validate.ts";

const actionSets = resourceOf(kinds.ActionSet);

/** Takes one ActionSet from whatever state it is in to its end. */
export class SetRun {
  readonly #deps: ActionSetDeps;
  readonly #pods: PodWatch;
  readonly #set: ActionSet;
  readonly #announce: Announce;
  readonly #mask = new Mask();

  constructor(deps: ActionSetDeps, pods: PodWatch, events: Pick<EventRecorder, "record">, set: ActionSet) {
    this.#deps = deps;
    this.#pods = pods;
    this.#set = { ...set, apiVersion: "cr.kanister.io/v1alpha1", kind: "ActionSet" };
    this.#announce = new Announce(events, this.#set);
  }

  /** Runs it; returns when its last status is stored. `stopped` fires only when the operator stops. */
  async run(signal: AbortSignal, stopped: AbortSignal): Promise<void> {
    try {
      await this.#run(signal, stopped);
    } catch (error) {
      this.#deps.report.forget(this.#set); // it goes on elsewhere, or never
      throw this.#mask.error(error); // it is logged
    }
  }

  async #run(signal: AbortSignal, stopped: AbortSignal): Promise<void> {
    const [fault] = actionSetFaults(this.#set);
    if (fault !== undefined) return this.#refuse(fault);
    let planned: PlannedAction[];
    try {
      planned = await patiently(
        () => planActions(this.#deps.client, this.#set, signal),
        this.#deps.clock,
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      return this.#refuse(messageOf(error));
    }
    const known = readStatus(this.#set.status);
    const state = known ?? (await this.#claim(initialState(planned), signal));
    // Somebody else was faster: the watch brings what became of it.
    if (state === undefined) return;
    const mismatch = known && misfit(known, planned);
    if (mismatch) return this.#refuse(mismatch, known);
    await this.#work(new StateKeeper(this.#deps, this.#set, state, this.#mask), planned, signal, stopped);
  }

  /** Ends one that was canceled while nothing of it ran here. */
  async cancel(): Promise<void> {
    await this.#sweep();
    await this.#refuse(canceledMessage, readStatus(this.#set.status));
  }

  async #work(
    keeper: StateKeeper,
    planned: readonly PlannedAction[],
    signal: AbortSignal,
    stopped: AbortSignal,
  ): Promise<void> {
    keeper.begin();
    const { name, namespace = "", uid = "", labels = {} } = this.#set.metadata;
    const context = {
      deps: this.#functionDeps(),
      keeper,
      set: { namespace, name, uid },
      setLabels: labels,
      announce: this.#announce,
      mask: this.#mask,
      stopped,
    };
    const results = await Promise.allSettled(
      planned.map((action, i) => new ActionRun(context, i, action).run(signal)),
    );
    if (isCanceled(signal)) await this.#sweep();
    if (signal.reason instanceof CanceledByRequest) return this.#refuse(canceledMessage, keeper.state);
    signal.throwIfAborted();
    const bug = results.find((one) => one.status === "rejected");
    if (bug) {
      const words = messageOf(bug.reason);
      keeper.addError(this.#mask.text(words));
    }
    const isWell = results.every((one) => one.status === "fulfilled" && one.value);
    await keeper.finish(isWell ? "complete" : "failed");
    if (isWell) this.#announce.normal("Update Complete", `Updated ActionSet '${name}' Status->complete`);
    await this.#sweep();
  }

  #functionDeps(): FunctionDeps {
    const { client, clock, namespace, actions } = this.#deps;
    return { client, clock, namespace, pods: this.#pods, options: actions };
  }

  /** The first status, written only if nobody else has changed the object: where upstream's controller also runs, only one of the two takes it. */
  async #claim(state: SetState, signal: AbortSignal): Promise<SetState | undefined> {
    const { name, namespace, resourceVersion } = this.#set.metadata;
    const { operation } = track(undefined, tellActionSet(this.#set, state), this.#deps.clock.now());
    const status = writeActionSet(operation, factsOf(state, this.#deps));
    const body = { metadata: { resourceVersion }, status };
    try {
      await this.#deps.client.patch(actionSets, name, { type: "merge", body }, { namespace }, signal);
      return state;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #refuse(message: string, known?: SetState): Promise<void> {
    const state = known
      ? { ...known, state: "failed" as const, error: message }
      : refusedState(this.#set, message);
    this.#announce.warning("Error", message);
    await new StateKeeper(this.#deps, this.#set, state, this.#mask).finish("failed");
  }

  /** Pods that are left: of functions that were cut off, or of creates whose answer was lost. */
  async #sweep(): Promise<void> {
    const late = AbortSignal.timeout(60_000);
    for (const pod of this.#pods.of(this.#set.metadata.uid ?? "")) {
      const { name, namespace, uid } = pod.metadata;
      const options = { namespace, uid, gracePeriodSeconds: 0 };
      await this.#deps.client.delete(resources.pods, name, options, late).catch((error: unknown) => {
        if (!isNotFound(error))
          this.#deps.log("warning", `pod "${namespace}/${name}" cannot be deleted`, { error });
      });
    }
  }
}

/** A blueprint that was changed under a running ActionSet: its phases are not those of the status any more. */
function misfit(state: SetState, planned: readonly PlannedAction[]): string | undefined {
  const odd = planned.find(({ plan }, i) => {
    const written = state.actions[i]?.phases.map(({ name }) => name).join("\n");
    return (plan.phases ?? []).map(({ name }) => name).join("\n") !== written;
  });
  if (!odd) return undefined;
  return new AppError(
    "ACTION_BLUEPRINT",
    `blueprint "${odd.spec.blueprint}" was changed while action "${odd.spec.name}" ran; its phases are not those that were begun`,
  ).message;
}
