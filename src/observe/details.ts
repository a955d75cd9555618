import { isTerminal, type Observation, type Operation, type State } from "../progress/index.ts";

/**
 * What an engine of ours tells in more detail, under what the objects themselves say.
 *
 * The engine knows its own steps; the objects know how the run ended and how far each volume is. So the objects'
 * state wins, the engine's children replace the coarse ones, and volumes keep their own numbers.
 */
export function withDetails(seen: Observation, details: Operation | Observation | undefined): Observation {
  if (!details || details.ref.uid !== seen.ref.uid || (details.children?.length ?? 0) === 0) return seen;
  const volumes = seen.children?.find((child) => child.id === "volumes");
  const known = (details.children ?? []).map(observationOf).map((child) => settled(child, seen.state));
  const children = volumes ? graft(known, volumes) : known;
  const { waitingFor, message } = details;
  return {
    ...seen,
    ...(waitingFor && !seen.waitingFor && { waitingFor }),
    ...(message !== undefined && seen.message === undefined && { message }),
    ...(details.rule && { rule: details.rule }),
    children,
  };
}

/** Whether what was written down tells parts that the objects themselves do not show: then an engine told them. */
export function tellsMore(details: Operation | undefined, seen: Observation): boolean {
  const shown = new Set(seen.children?.map((child) => child.id));
  return details?.children.some((child) => !shown.has(child.id)) ?? false;
}

/** The engine's last word may come later than the object's end, or never: nothing goes on in what has ended. */
function settled(part: Observation, whole: State | undefined): Observation {
  if (whole === undefined || !isTerminal(whole)) return part;
  const { waitingFor: _, progress, ...rest } = part;
  const children = rest.children?.map((child) => settled(child, whole));
  const goesOn = part.state !== undefined && !isTerminal(part.state);
  const state = goesOn && part.state ? endOf(part.state, whole) : part.state;
  const last = goesOn && state === "completed" ? allOf(progress, whole) : progress;
  return { ...rest, ...(state && { state }), ...(last && { progress: last }), ...(children && { children }) };
}

/** A whole that completed has all of each part; of one that ended otherwise nobody knows how far a part came. */
function allOf(progress: Observation["progress"], whole: State): Observation["progress"] {
  if (whole !== "completed" || progress?.total === undefined) return undefined;
  return { ...progress, done: progress.total };
}

function endOf(state: State, whole: State): State {
  if (whole === "completed" || whole === "partially-failed") return "completed";
  return state === "pending" ? "skipped" : whole;
}

function graft(children: readonly Observation[], volumes: Observation): Observation[] {
  const has = children.some((child) => child.id === volumes.id);
  if (has)
    return children.map((child) =>
      child.id === volumes.id ? { ...child, ...withoutState(volumes) } : child,
    );
  const tail = children.findIndex((child) => child.kind === "tail");
  return tail < 0 ? [...children, volumes] : children.toSpliced(tail, 0, volumes);
}

/** A group's state comes from its children. */
function withoutState({ state: _state, ...rest }: Observation): Observation {
  return rest;
}

/** A folded operation as an observation again: what was derived is left to the fold. */
function observationOf(operation: Operation | Observation): Observation {
  const { progress } = operation;
  return {
    id: operation.id,
    ref: operation.ref,
    kind: operation.kind,
    title: operation.title,
    ...(operation.state && { state: operation.state }),
    ...(progress && {
      progress: {
        unit: progress.unit,
        done: progress.done,
        ...(progress.total !== undefined && { total: progress.total }),
      },
    }),
    ...(operation.waitingFor && { waitingFor: operation.waitingFor }),
    ...(operation.startedAt !== undefined && { startedAt: operation.startedAt }),
    ...(operation.finishedAt !== undefined && { finishedAt: operation.finishedAt }),
    ...(operation.message !== undefined && { message: operation.message }),
    ...(operation.warnings !== undefined && { warnings: operation.warnings }),
    ...(operation.errors !== undefined && { errors: operation.errors }),
    ...(operation.rule && { rule: operation.rule }),
    ...(operation.weight !== undefined && { weight: operation.weight }),
    ...(operation.children &&
      operation.children.length > 0 && { children: operation.children.map(observationOf) }),
  };
}
