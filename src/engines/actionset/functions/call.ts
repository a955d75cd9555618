import type { Client, Clock, Mask } from "../../../kube/index.ts";
import type { Args } from "../args.ts";
import type { ActionParams } from "../params.ts";
import type { PhaseProgress } from "../phase-progress.ts";
import type { Identity } from "../pod/identity.ts";
import type { PodDefaults } from "../pod/pod-spec.ts";
import type { PodWatch } from "../pod/pod-watch.ts";
import type { Output } from "../status.ts";

/** What an installation says about the pods of functions. */
export interface ActionOptions {
  /** The image with the movers, for functions whose blueprint names none. */
  readonly toolsImage: string;
  /** The image that holds the program of ours, and how it is started there: data functions in it run the agent's own mover code. */
  readonly own?: { readonly image: string; readonly command: readonly string[] } | undefined;
  /** How long a pod may take to start. */
  readonly podReadyMs: number;
  /** How long a repository may take to answer; five minutes when absent. */
  readonly repositoryMs?: number | undefined;
  readonly podDefaults: PodDefaults;
  /** The account of pods in the operator's own namespace. */
  readonly serviceAccount?: string | undefined;
}

/** What functions work with. */
export interface FunctionDeps {
  readonly client: Client;
  readonly clock: Clock;
  /** The operator's own namespace. */
  readonly namespace: string;
  readonly pods: PodWatch;
  readonly options: ActionOptions;
}

/** One execution of a function. */
export interface Call {
  readonly func: string;
  readonly args: Args;
  readonly params: ActionParams;
  /** The parameters for templates that the function renders itself. */
  readonly data: unknown;
  readonly identity: Identity;
  /** Labels of the ActionSet. */
  readonly setLabels: Readonly<Record<string, string>>;
  readonly progress: PhaseProgress;
  /** Epoch ms; before this process when the phase is taken up again. */
  readonly startedAt: number;
  /** An earlier process began this; what it had put out and what it was doing. */
  readonly before?: { readonly output: Output; readonly step: string } | undefined;
  /** Writes outputs down before the end, so that they outlive this process. */
  readonly keep: (output: Output) => Promise<void>;
  /** The secret values of this ActionSet; what commands print is masked before it is cut. */
  readonly mask: Mask;
  readonly deps: FunctionDeps;
  readonly signal: AbortSignal;
}

/** Does the work of a phase and returns its output; a failure is thrown. */
export type Func = (call: Call) => Promise<Output>;
