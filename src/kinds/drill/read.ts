import { type Drill, drillSteps } from "../../api/index.ts";
import type { Observation, Ref } from "../../progress/index.ts";
import { idOf, messageOf, refOf, timesOf } from "../reading.ts";
import { drillStateOf } from "./phase.ts";

/** The name of a step of a drill. */
export type DrillStep = (typeof drillSteps)[number];
/** What the status keeps of a step. */
export type StoredStep = NonNullable<NonNullable<Drill["status"]>["steps"]>[number];

const titles: Readonly<Record<DrillStep, string>> = {
  prepare: "making the scratch namespaces",
  restore: "restoring",
  ready: "waiting for the workloads",
  volumes: "comparing the volumes",
  checks: "running the checks",
  cleanup: "removing the copy",
};
/** Most of the time goes into the restore. */
const weights: Readonly<Record<DrillStep, number>> = {
  prepare: 1,
  restore: 60,
  ready: 20,
  volumes: 1,
  checks: 10,
  cleanup: 8,
};

/** A drill as its own status tells it. */
export function readDrill(drill: Drill, cluster?: string): Observation {
  const steps = drill.status?.steps ?? [];
  return tellDrill(drill, new Map(steps.map((step) => [step.name, readStep(step)])), cluster);
}

/** A drill with what is known of its steps; a step that nothing is known of is yet to come, or never will. */
export function tellDrill(
  drill: Drill,
  known: ReadonlyMap<DrillStep, Partial<Observation>>,
  cluster?: string,
): Observation {
  const { status } = drill;
  const state = drillStateOf(drill);
  const ref = refOf(drill, cluster);
  const isOver = state !== "pending" && state !== "running";
  return {
    id: idOf(drill),
    ref,
    kind: "drill",
    title: `Drill ${drill.metadata.name}`,
    state,
    rule: "steps",
    ...timesOf(status?.startTimestamp, isOver ? status?.completionTimestamp : undefined),
    ...messageOf(status?.message),
    errors: status?.failures?.length ?? 0,
    children: drillSteps.map((name) => stepOf(name, ref, known.get(name), isOver)),
  };
}

function stepOf(
  name: DrillStep,
  ref: Ref,
  seen: Partial<Observation> | undefined,
  isOver: boolean,
): Observation {
  const rest = seen ?? { state: isOver ? ("skipped" as const) : ("pending" as const) };
  return { ref, ...rest, id: name, kind: name, title: titles[name], weight: weights[name] };
}

/** A step as the status keeps it. */
export function readStep({
  state,
  startedAt,
  finishedAt,
  message,
  errors,
}: StoredStep): Partial<Observation> {
  return {
    state,
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...(errors !== undefined && { errors }),
    ...messageOf(message),
  };
}
