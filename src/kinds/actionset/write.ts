import { type ActionSet, formatTime, readActionProgress } from "../../api/index.ts";
import { type Operation, percentText } from "../../progress/index.ts";
import { actionStateFor } from "./phase.ts";
import type { Part, Work } from "./tell.ts";
import { actionId, phaseId } from "./tree.ts";

type Status = NonNullable<ActionSet["status"]>;
type WrittenAction = NonNullable<Status["actions"]>[number];
type WrittenPhase = NonNullable<WrittenAction["phases"]>[number];
type PhaseProgress = NonNullable<WrittenPhase["progress"]>;
type ActionProgress = NonNullable<Status["progress"]>;

/** How percents are written: `43.33`, or `43` for programs that read them with an integer parser. */
export type PercentFormat = "decimal" | "integer";

/** What the status holds of a phase and no operation does. */
export interface PhaseFacts {
  readonly name: string;
  readonly output?: Readonly<Record<string, unknown>> | undefined;
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly work?: Sizes | undefined;
  readonly parts?: readonly Part[] | undefined;
}

/** What the status holds of an ActionSet and no operation does. */
export interface ActionSetFacts {
  readonly percent: PercentFormat;
  /** Epoch ms of now: numbers that are new changed at this time. */
  readonly at: number;
  readonly error: string;
  readonly actions: readonly (Pick<WrittenAction, "object" | "blueprint" | "artifacts"> & {
    readonly name: string;
    readonly phases: readonly PhaseFacts[];
    readonly deferPhase?: PhaseFacts | undefined;
  })[];
}

/** The status of an ActionSet, field for field as upstream has it, with progress for each phase; `before` is what was written last. */
export function writeActionSet(operation: Operation, facts: ActionSetFacts, before: Status = {}): Status {
  const writer = new Writer(facts);
  const actions = facts.actions.map((action, i) => {
    const node = operation.children.find(({ id }) => id === actionId(i));
    return writer.action(action, node, before.actions?.[i] ?? {});
  });
  return {
    state: actionStateFor(operation.state),
    actions,
    error: { message: facts.error },
    progress: writer.progress(operation, actions, before.progress),
  };
}

/** The same as a merge patch, in which what is absent stays: what is gone is said. */
export function patchActionSet(operation: Operation, facts: ActionSetFacts, before: Status): object {
  const status = writeActionSet(operation, facts, before);
  return { ...status, progress: { ...noProgress, ...status.progress } };
}

const noProgress = {
  runningPhase: null,
  runningPhases: null,
  percentCompleted: null,
  sizeUploadedB: null,
  sizeDownloadedB: null,
  estimatedUploadSizeB: null,
  estimatedDownloadSizeB: null,
  estimatedTimeSeconds: null,
  lastTransitionTime: null,
};

/** Writes with one format and one time. */
class Writer {
  readonly #decimals: 0 | 2;
  readonly #now: string;

  constructor({ percent, at }: ActionSetFacts) {
    this.#decimals = percent === "integer" ? 0 : 2;
    this.#now = formatTime(at);
  }

  action(
    facts: ActionSetFacts["actions"][number],
    node: Operation | undefined,
    before: WrittenAction,
  ): WrittenAction {
    const { name, object, blueprint, artifacts = {} } = facts;
    const phases = facts.phases.map((phase, i) => this.#phase(phase, i, node, before.phases?.[i]));
    const deferPhase =
      facts.deferPhase && this.#phase(facts.deferPhase, phases.length, node, before.deferPhase);
    const written = {
      name,
      ...(object && { object }),
      ...(blueprint !== undefined && { blueprint }),
      phases,
      ...(Object.keys(artifacts).length > 0 && { artifacts }),
      ...(deferPhase && { deferPhase }),
    };
    return { ...written, progress: node ? this.progress(node, [written], before.progress) : {} };
  }

  /** Of the whole or of one action: the folded share, the phases that run, the sizes of all phases. */
  progress(
    { state, fraction = 0 }: Operation,
    actions: readonly WrittenAction[],
    before: ActionProgress | null | undefined,
  ): ActionProgress {
    if (state === "pending") return {};
    const phases = actions.flatMap((action) => action.phases ?? []);
    const every = [...phases, ...actions.flatMap(({ deferPhase }) => deferPhase ?? [])];
    const running = every.flatMap((phase) => (phase.state === "running" ? (phase.name ?? "") : []));
    const numbers: ActionProgress = {
      ...(running[0] !== undefined && { runningPhase: running[0] }),
      percentCompleted: percentText(notBelow(before, fraction), this.#decimals),
      ...sizeFields(sumOf(every.map(({ progress }) => readActionProgress(progress)))),
      ...(running.length > 1 && { runningPhases: running }),
    };
    return this.#stamped(numbers, before);
  }

  #phase(
    facts: PhaseFacts,
    index: number,
    action: Operation | undefined,
    last: WrittenPhase | null | undefined,
  ): WrittenPhase {
    const { name, output, startedAt } = facts;
    const node = action?.children.find(({ id }) => id === phaseId(index, name));
    const state = actionStateFor(node?.state ?? "pending");
    const isRunning = state === "running";
    const before = last?.name === name ? last : undefined;
    // An end is told where a beginning is.
    const endedAt = facts.endedAt ?? (startedAt === undefined || isRunning ? undefined : node?.finishedAt);
    const step = isRunning ? (node?.waitingFor?.message ?? node?.message) : undefined;
    return {
      name,
      state,
      ...(output && Object.keys(output).length > 0 && { output }),
      ...(node && state !== "pending" && { progress: this.#phaseProgress(node, facts, before?.progress) }),
      ...(startedAt !== undefined && { startTime: formatTime(startedAt) }),
      ...(endedAt !== undefined && { endTime: formatTime(endedAt) }),
      ...(step !== undefined && { step }),
    };
  }

  #phaseProgress(
    { state, fraction = 0 }: Operation,
    { work = {}, parts }: PhaseFacts,
    before: PhaseProgress | null | undefined,
  ): PhaseProgress {
    const said: Sizes & Pick<Work, "etaSeconds"> = parts?.length
      ? sumOf(parts.map((part) => part.work))
      : work;
    const eta = state === "running" ? Math.ceil(said.etaSeconds ?? 0) : 0;
    const numbers: PhaseProgress = {
      progressPercent: percentText(notBelow(before, fraction), this.#decimals),
      ...sizeFields(rising(readActionProgress(before), said)),
      ...positive({
        estimatedTimeSeconds: eta,
        // Upstream's Go types misspell the field, so programs that use them need this spelling.
        ...(this.#decimals === 0 && { estinatedTimeSeconds: eta }),
      }),
    };
    return this.#stamped(numbers, before);
  }

  /** With the time at which one of the numbers last changed; which phase runs is no number. */
  #stamped<T extends ActionProgress | PhaseProgress>(numbers: T, before: T | null | undefined): T {
    const old = before ?? {};
    const isSame = sameNumbers(numbers, old) && sameNumbers(old, numbers);
    return { ...numbers, lastTransitionTime: (isSame && before?.lastTransitionTime) || this.#now };
  }
}

function sameNumbers(a: object, b: object): boolean {
  const other = b as Readonly<Record<string, unknown>>;
  return Object.entries(a).every(
    ([key, value]) => noNumbers.has(key) || (value ?? undefined) === (other[key] ?? undefined),
  );
}

const noNumbers = new Set(["lastTransitionTime", "runningPhase", "runningPhases"]);

/** How many bytes have gone which way, as far as it is known. */
type Sizes = Pick<Work, "uploadedBytes" | "uploadTotalBytes" | "downloadedBytes" | "downloadTotalBytes">;

function sumOf(all: readonly Sizes[]): Sizes {
  const sum = (key: keyof Sizes) => all.reduce((total, one) => total + (one[key] ?? 0), 0);
  return {
    uploadedBytes: sum("uploadedBytes"),
    uploadTotalBytes: sum("uploadTotalBytes"),
    downloadedBytes: sum("downloadedBytes"),
    downloadTotalBytes: sum("downloadTotalBytes"),
  };
}

/** Movers round on their way and say the exact size last: what has been moved never falls, and what was known stays. */
function rising(before: Sizes, now: Sizes): Sizes {
  return {
    uploadedBytes: Math.max(before.uploadedBytes ?? 0, now.uploadedBytes ?? 0),
    uploadTotalBytes: now.uploadTotalBytes || before.uploadTotalBytes,
    downloadedBytes: Math.max(before.downloadedBytes ?? 0, now.downloadedBytes ?? 0),
    downloadTotalBytes: now.downloadTotalBytes || before.downloadTotalBytes,
  };
}

function sizeFields(sizes: Sizes) {
  return positive({
    sizeUploadedB: sizes.uploadedBytes,
    estimatedUploadSizeB: sizes.uploadTotalBytes,
    sizeDownloadedB: sizes.downloadedBytes,
    estimatedDownloadSizeB: sizes.downloadTotalBytes,
  });
}

/** Zero and absent are the same for upstream's types, and absent is what it writes. */
function positive<K extends string>(
  numbers: { readonly [P in K]?: number | undefined },
): {
  [P in K]?: number;
} {
  const kept = Object.entries(numbers).filter(([, value]) => typeof value === "number" && value > 0);
  return Object.fromEntries(kept) as { [P in K]?: number }; // only numbers are left
}

/** Percents are cut when they are written: one that is worked out of cut ones may be a hundredth less than it was. */
function notBelow(before: object | null | undefined, fraction: number): number {
  return Math.max(readActionProgress(before).fraction ?? 0, fraction);
}
