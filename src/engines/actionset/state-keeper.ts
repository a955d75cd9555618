import { type ActionSet, kinds } from "../../api/index.ts";
import { type Mask, resourceOf, type StatusTarget } from "../../kube/index.ts";
import type { ActionSetDeps } from "./deps.ts";
import { observation } from "./observation.ts";
import type { FuncProgress } from "./phase-progress.ts";
import { startingStep } from "./pod/job.ts";
import {
  type ActionRun,
  type PhaseState,
  type SetState,
  type Status,
  shareOf,
  writeStatus,
} from "./status.ts";

/** Which phase of which action. */
export interface PhaseKey {
  readonly action: number;
  readonly phase: number | "defer";
}

/** Fields of progress objects: in a merge patch what is absent stays, so what is gone must be said. */
const progressKeys = [
  "runningPhase",
  "runningPhases",
  "percentCompleted",
  "sizeUploadedB",
  "sizeDownloadedB",
  "estimatedUploadSizeB",
  "estimatedDownloadSizeB",
  "estimatedTimeSeconds",
  "lastTransitionTime",
];

/** The state of one ActionSet while it runs here: the only place that changes it, and what is written of it. */
export class StateKeeper {
  readonly #deps: ActionSetDeps;
  readonly #set: ActionSet;
  readonly #mask: Pick<Mask, "text">;
  #state: SetState;
  #numbers = "";

  constructor(deps: ActionSetDeps, set: ActionSet, state: SetState, mask: Pick<Mask, "text">) {
    this.#deps = deps;
    this.#set = set;
    this.#mask = mask;
    this.#state = state;
    this.#numbers = this.#numbersOf(state);
  }

  get state(): SetState {
    return this.#state;
  }

  action(index: number): ActionRun {
    const found = this.#state.actions[index];
    if (!found) throw new Error(`there is no action ${index}`);
    return found;
  }

  phase({ action, phase }: PhaseKey): PhaseState {
    const { phases, deferPhase } = this.action(action);
    const found = phase === "defer" ? deferPhase : phases[phase];
    if (!found) throw new Error(`action ${action} has no phase ${phase}`);
    return found;
  }

  /** Something about a phase is new; a new state is written at once. */
  setPhase(key: PhaseKey, news: Partial<PhaseState>): void {
    const before = this.phase(key);
    const changedAt = this.#deps.clock.now();
    const next = { ...before, ...news, changedAt };
    const actions = this.#state.actions.map((action, i) => {
      if (i !== key.action) return action;
      if (key.phase === "defer") return { ...action, deferPhase: next };
      return { ...action, phases: action.phases.with(key.phase, next) };
    });
    this.#change({ ...this.#state, actions });
  }

  setProgress(key: PhaseKey, progress: FuncProgress): void {
    if (this.phase(key).state === "running") this.setPhase(key, { progress: this.#masked(progress) });
  }

  /** What a function says may quote a command. The step by which a restart knows that nothing ran yet stays as it is. */
  #masked(progress: FuncProgress): FuncProgress {
    const { step, waitingFor, parts } = progress;
    const text = (words: string) => this.#mask.text(words);
    return {
      ...progress,
      ...(step !== undefined && step !== startingStep && { step: text(step) }),
      ...(waitingFor !== undefined && { waitingFor: text(waitingFor) }),
      ...(parts && { parts: parts.map((part) => ({ ...part, name: text(part.name) })) }),
    };
  }

  setArtifacts(index: number, artifacts: ActionRun["artifacts"]): void {
    const actions = this.#state.actions.map((action, i) => (i === index ? { ...action, artifacts } : action));
    this.#change({ ...this.#state, actions });
  }

  /** A failure is told at once; the end of the whole comes when everything has ended. */
  addError(message: string): void {
    const error = [this.#state.error, message].filter((text) => text !== "").join("\n");
    this.#change({ ...this.#state, error: error.slice(0, 8_192) });
  }

  begin(): void {
    this.#change({ ...this.#state, state: "running" });
  }

  /** Writes what is pending, and waits until the cluster has it. */
  async settled(): Promise<void> {
    await this.#deps.status.forget(this.#target);
  }

  /** The last status; returns when it is stored. */
  async finish(state: "complete" | "failed"): Promise<void> {
    this.#state = { ...this.#state, state, changedAt: this.#deps.clock.now() };
    this.#report();
    await this.#deps.status.finish(this.#target, this.#patch());
  }

  #change(next: SetState): void {
    const numbers = this.#numbersOf(next);
    const isNew = numbers !== this.#numbers;
    this.#numbers = numbers;
    this.#state = isNew ? { ...next, changedAt: this.#deps.clock.now() } : next;
    this.#report();
    const states = this.#state.actions.map(({ phases, deferPhase }) =>
      [...phases, ...(deferPhase ? [deferPhase] : [])]
        .map(({ state, output }) => `${state}${output ? "+" : ""}`)
        .join(),
    );
    this.#deps.status.offer(this.#target, this.#patch(), `${this.#state.state} ${states.join(" ")}`);
  }

  /** What makes the time of the last change move: the share and the sizes. */
  #numbersOf(state: SetState): string {
    const {
      lastTransitionTime: _time,
      runningPhase: _phase,
      ...numbers
    } = writeStatus(state, this.#format).progress ?? {};
    return `${shareOf(state.actions, state.state)} ${JSON.stringify(numbers)}`;
  }

  get #format() {
    return { percent: this.#deps.actions.percent };
  }

  get #target(): StatusTarget {
    const { name, namespace, uid } = this.#set.metadata;
    return { resource: resourceOf(kinds.ActionSet), name, namespace, uid };
  }

  #patch(): { status: Status } {
    const status = writeStatus(this.#state, this.#format);
    const gone = Object.fromEntries(progressKeys.map((key) => [key, null]));
    const progress = { ...gone, ...status.progress } as Status["progress"]; // null removes in a merge patch
    return { status: { ...status, ...(progress && { progress }) } };
  }

  #report(): void {
    this.#deps.report.tell(this.#set, observation(this.#set, this.#state));
  }
}
