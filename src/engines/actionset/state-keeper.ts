import type { ActionSet } from "../../api/index.ts";
import { type ActionSetFacts, type Part, tellActionSet, type Work } from "../../kinds/index.ts";
import type { Mask } from "../../kube/index.ts";
import type { ActionSetDeps } from "./deps.ts";
import type { PhaseProgress } from "./phase-progress.ts";
import { startingStep } from "./pod/job.ts";
import type { ActionRun, PhaseState, SetState } from "./status.ts";

/** Which phase of which action. */
export interface PhaseKey {
  readonly action: number;
  readonly phase: number | "defer";
}

/** The state of one ActionSet while it runs here: the only place that changes it, and that tells of it. */
export class StateKeeper {
  readonly #deps: ActionSetDeps;
  readonly #set: ActionSet;
  readonly #mask: Pick<Mask, "text">;
  #state: SetState;

  constructor(deps: ActionSetDeps, set: ActionSet, state: SetState, mask: Pick<Mask, "text">) {
    this.#deps = deps;
    this.#set = set;
    this.#mask = mask;
    this.#state = state;
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
    const next = { ...this.phase(key), ...news };
    const actions = this.#state.actions.map((action, i) => {
      if (i !== key.action) return action;
      if (key.phase === "defer") return { ...action, deferPhase: next };
      return { ...action, phases: action.phases.with(key.phase, next) };
    });
    this.#change({ ...this.#state, actions });
  }

  /** What the function of a phase says. */
  setProgress(key: PhaseKey, { work, parts }: Pick<PhaseProgress, "work" | "parts">): void {
    if (this.phase(key).state !== "running") return;
    this.setPhase(key, {
      work: this.#masked(work),
      ...(parts.length > 0 && { parts: parts.map((part) => this.#maskedPart(part)) }),
    });
  }

  #maskedPart({ name, state, work }: Part): Part {
    return { name: this.#mask.text(name), state, work: this.#masked(work) };
  }

  /** What a function says may quote a command. The step by which a restart knows that nothing ran yet stays as it is. */
  #masked(work: Work): Work {
    const { step, waitingFor } = work;
    return {
      ...work,
      ...(step !== undefined && step !== startingStep && { step: this.#mask.text(step) }),
      ...(waitingFor !== undefined && { waitingFor: this.#mask.text(waitingFor) }),
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
    await this.#deps.report.settled(this.#set);
  }

  /** The last status; returns when it is stored. */
  async finish(state: "complete" | "failed"): Promise<void> {
    this.#state = { ...this.#state, state };
    await this.#deps.report.end(this.#set, tellActionSet(this.#set, this.#state), { status: this.#facts() });
  }

  #change(next: SetState): void {
    this.#state = next;
    const states = next.actions.map(({ phases, deferPhase }) =>
      [...phases, ...(deferPhase ? [deferPhase] : [])]
        .map(({ state, output }) => `${state}${output ? "+" : ""}`)
        .join(),
    );
    this.#deps.report.tell(this.#set, tellActionSet(this.#set, next), {
      status: this.#facts(),
      urgent: `${next.state} ${states.join(" ")}`,
    });
  }

  #facts(): ActionSetFacts & Readonly<Record<string, unknown>> {
    return factsOf(this.#state, this.#deps);
  }
}

/** What the status holds besides what is folded. */
export function factsOf(
  { actions, error }: SetState,
  deps: Pick<ActionSetDeps, "clock" | "actions">,
): ActionSetFacts & Readonly<Record<string, unknown>> {
  return { actions, error, percent: deps.actions.percent, at: deps.clock.now() };
}
