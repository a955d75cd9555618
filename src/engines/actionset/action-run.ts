import { formatTime } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import type { Mask } from "../../kube/index.ts";
import { rightsAdvice } from "./advice.ts";
import { Args } from "./args.ts";
import type { PlannedAction } from "./begin.ts";
import type { BlueprintPhase } from "./blueprint-check.ts";
import { isCanceled } from "./canceled.ts";
import type { Announce } from "./events.ts";
import type { FunctionDeps } from "./functions/call.ts";
import { functionFor, rendersItself } from "./functions/registry.ts";
import { type ActionParams, type PhaseParams, templateData } from "./params.ts";
import { PhaseProgress } from "./phase-progress.ts";
import type { Identity } from "./pod/identity.ts";
import { startingStep } from "./pod/job.ts";
import { renderArgs, renderDeep } from "./render.ts";
import { resolveAction, resolveObjects } from "./resolve.ts";
import { learnParams } from "./secret-values.ts";
import type { PhaseKey, StateKeeper } from "./state-keeper.ts";
import type { Artifacts, Output, Reference } from "./status.ts";

/** What the run of an action needs besides the action. */
export interface ActionContext {
  readonly deps: FunctionDeps;
  readonly keeper: StateKeeper;
  readonly set: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly setLabels: Readonly<Record<string, string>>;
  readonly announce: Announce;
  /** Learns the secret values that are read for this ActionSet. */
  readonly mask: Mask;
  /** Fires when the operator stops; an ActionSet that is deleted fires only the signal of the run. */
  readonly stopped: AbortSignal;
}

/** What deferred phases of deleted ActionSets may take. */
const lastRitesMs = 10 * 60_000;

/** One action of an ActionSet: its phases in order, the deferred one in any case. */
export class ActionRun {
  readonly #context: ActionContext;
  readonly #index: number;
  readonly #action: PlannedAction;
  #params: ActionParams | undefined;

  constructor(context: ActionContext, index: number, action: PlannedAction) {
    this.#context = context;
    this.#index = index;
    this.#action = action;
  }

  /** Runs, or goes on with, the action; returns whether it ended well. Throws only when the signal fires. */
  async run(signal: AbortSignal): Promise<boolean> {
    const { announce } = this.#context;
    announce.normal("Started Action", `Executing action ${this.#action.spec.name}`);
    const references = await this.#prepared(signal);
    if (!references) return false;
    let isWell: boolean;
    try {
      isWell = await this.#phases(references, signal);
    } catch (error) {
      if (!isCanceled(signal)) throw error;
      await this.#lastRites(references);
      throw error;
    }
    isWell = (await this.#deferred(references, signal)) && isWell;
    return isWell && this.#artifacts();
  }

  async #phases(references: References, signal: AbortSignal): Promise<boolean> {
    const phases = this.#action.plan.phases ?? [];
    for (const [i, phase] of phases.entries()) {
      const key = { action: this.#index, phase: i };
      const { state, output } = this.#context.keeper.phase(key);
      if (state === "failed") return false;
      if (state === "complete") await this.#recall(phase, references.phases[i] ?? {}, output ?? {}, signal);
      else if (!(await this.#phase(key, phase, references.phases[i] ?? {}, signal))) return false;
    }
    return true;
  }

  async #deferred(references: References, signal: AbortSignal): Promise<boolean> {
    const { deferPhase } = this.#action.plan;
    if (!deferPhase) return true;
    const key = { action: this.#index, phase: "defer" } as const;
    const { state } = this.#context.keeper.phase(key);
    if (state === "complete" || state === "failed") return state === "complete";
    return this.#phase(key, deferPhase, references.deferPhase, signal);
  }

  /** The ActionSet is gone, but what its first phases did (a quiesced database) must not stay. */
  async #lastRites(references: References): Promise<void> {
    const late = AbortSignal.any([this.#context.stopped, AbortSignal.timeout(lastRitesMs)]);
    await this.#deferred(references, late).catch(() => undefined); // nobody is left to be told
  }

  /** Reads the parameters; when that fails, the phase that would come next is what failed. */
  async #prepared(signal: AbortSignal): Promise<References | undefined> {
    const { deps, keeper } = this.#context;
    try {
      const begun = keeper.action(this.#index).phases[0]?.startedAt ?? deps.clock.now();
      this.#params = await resolveAction(deps.client, this.#action.spec, formatTime(begun), signal);
      learnParams(this.#context.mask, this.#params);
      const data = templateData(this.#params);
      const { phases = [], deferPhase } = this.#action.plan;
      const render = ({ objects, name }: BlueprintPhase) =>
        renderDeep(objects ?? {}, data, `objects of phase "${name}"`) as Readonly<Record<string, Reference>>; // texts stay texts
      for (const phase of [...phases, ...(deferPhase ? [deferPhase] : [])]) {
        functionFor(phase.func ?? "", Object.keys(phase.args ?? {}));
      }
      return { phases: phases.map(render), deferPhase: deferPhase ? render(deferPhase) : {} };
    } catch (error) {
      signal.throwIfAborted();
      const { phases } = keeper.action(this.#index);
      const next = phases.findIndex(({ state }) => state !== "complete");
      if (next >= 0) this.#fail({ action: this.#index, phase: next }, error);
      else this.#told(error);
      return undefined;
    }
  }

  async #phase(
    key: PhaseKey,
    phase: BlueprintPhase,
    references: Readonly<Record<string, Reference>>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { deps, keeper, announce } = this.#context;
    const isDeferred = key.phase === "defer";
    const what = isDeferred ? "deferPhase" : "Phase";
    const { state, output = {}, work = {}, startedAt = deps.clock.now() } = keeper.phase(key);
    const before = state === "running" ? { output, step: work.step ?? "" } : undefined;
    announce.normal(`Started ${what}`, `Executing ${isDeferred ? what : "phase"} ${phase.name}`);
    keeper.setPhase(key, {
      state: "running",
      startedAt,
      work: { ...work, step: work.step ?? startingStep },
    });
    try {
      await keeper.settled();
      const own = await this.#objects(references, signal);
      this.#remember(phase, { ...own, output: {} }, isDeferred);
      const result = await this.#execute({ key, phase, startedAt, before }, signal);
      this.#remember(phase, { ...own, output: result }, isDeferred);
      keeper.setPhase(key, { state: "complete", output: result, endedAt: deps.clock.now() });
      announce.normal(`Ended ${what}`, `Completed ${isDeferred ? what : "phase"} ${phase.name}`);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      this.#fail(key, error);
      return false;
    }
  }

  async #execute({ key, phase, startedAt, before }: PhaseStart, signal: AbortSignal): Promise<Output> {
    const { deps, keeper, set, setLabels, mask } = this.#context;
    const params = this.#params;
    if (!params) throw new Error("the action was not prepared");
    const func = phase.func ?? "";
    const data = templateData(params);
    const values = renderArgs(
      phase.args ?? {},
      data,
      rendersItself(func),
      `argument of phase "${phase.name}": args`,
    );
    const progress: PhaseProgress = new PhaseProgress(
      () => keeper.setProgress(key, progress),
      keeper.phase(key).work,
    );
    const identity: Identity = { ...set, ...key };
    return functionFor(
      func,
      Object.keys(values),
    )({
      func,
      args: new Args(func, values),
      params,
      data,
      identity,
      setLabels,
      progress,
      startedAt,
      before,
      keep: async (output) => {
        keeper.setPhase(key, { output });
        await keeper.settled();
      },
      mask,
      deps,
      signal,
    });
  }

  /** A phase that an earlier process ended: later templates read its outputs and objects. */
  async #recall(
    phase: BlueprintPhase,
    references: Readonly<Record<string, Reference>>,
    output: Output,
    signal: AbortSignal,
  ): Promise<void> {
    const own = await this.#objects(references, signal);
    this.#remember(phase, { ...own, output }, false);
  }

  async #objects(references: Readonly<Record<string, Reference>>, signal: AbortSignal) {
    const { deps, mask } = this.#context;
    const own = await resolveObjects(deps.client, references, signal);
    for (const secret of Object.values(own.secrets)) mask.learnSecret(secret);
    return own;
  }

  #remember(phase: BlueprintPhase, values: PhaseParams, isDeferred: boolean): void {
    if (!this.#params) return;
    const phases = { ...this.#params.phases, [phase.name ?? ""]: values };
    this.#params = { ...this.#params, phases, ...(isDeferred && { deferPhase: values }) };
  }

  /** Everything ended well: the artifacts are what their templates make of the outputs. */
  #artifacts(): boolean {
    const templates = this.#action.plan.outputArtifacts ?? {};
    if (!this.#params || Object.keys(templates).length === 0) return true;
    try {
      const rendered = renderDeep(templates, templateData(this.#params), "output artifacts") as Artifacts; // texts stay texts
      this.#context.keeper.setArtifacts(this.#index, rendered);
      return true;
    } catch (error) {
      this.#told(error);
      return false;
    }
  }

  #fail(key: PhaseKey, error: unknown): void {
    const { keeper, deps } = this.#context;
    const { name } = keeper.phase(key);
    const endedAt = deps.clock.now();
    keeper.setPhase(key, { state: "failed", endedAt, startedAt: keeper.phase(key).startedAt ?? endedAt });
    this.#told(error, `phase "${name}": `);
  }

  #told(error: unknown, where = ""): void {
    // Names of actions and phases stay readable; what went wrong may quote what a command printed or a template rendered.
    const said = this.#context.mask.text(messageOf(error));
    const words = `${said}${rightsAdvice(error)}`;
    const message = `action "${this.#action.spec.name}": ${where}${words}`;
    this.#context.keeper.addError(message);
    this.#context.announce.failed(this.#action, message);
  }
}

interface References {
  readonly phases: readonly Readonly<Record<string, Reference>>[];
  readonly deferPhase: Readonly<Record<string, Reference>>;
}

interface PhaseStart {
  readonly key: PhaseKey;
  readonly phase: BlueprintPhase;
  readonly startedAt: number;
  readonly before: { readonly output: Output; readonly step: string } | undefined;
}
