import type { DataDownload, DataUpload } from "../../api/index.ts";
import { isTerminal, type Observation, type State } from "../../progress/index.ts";
import { type MovementStep, movementSteps, readTrail, type Trail } from "./trail.ts";

const titles: Readonly<Record<MovementStep, string>> = {
  taken: "taking the snapshot",
  ready: "waiting until the snapshot is ready",
  claim: "binding its claim",
  pod: "starting its pod",
  copy: "copying",
  rebind: "handing the volume over",
  cleanup: "cleaning up",
};

const ways: Readonly<Record<"DataUpload" | "DataDownload", readonly MovementStep[]>> = {
  DataUpload: movementSteps.filter((step) => step !== "rebind"),
  DataDownload: movementSteps.filter((step) => step !== "taken" && step !== "ready"),
};

/**
 * A movement as a parent of its steps: only copying has bytes, the others have their times. Where no process of ours notes the
 * steps it stays as it is. What holds a movement up is said by the step that is under way.
 */
export function withSteps(movement: DataUpload | DataDownload, whole: Observation): Observation {
  const trail = readTrail(movement);
  if (!trail) return whole;
  const { progress, signals, ...rest } = whole;
  const names = ways[movement.kind];
  const now = presentOf(names, trail, whole.state ?? "pending");
  const children = names.map((name, at): Observation => {
    const span = trail[name];
    const isNow = name === now;
    return {
      id: name,
      ref: whole.ref,
      kind: "volume-step",
      title: titles[name],
      state: stateOf(names, trail, at, whole.state ?? "pending"),
      ...(name !== "copy" && { weight: 0 }),
      ...(name === "copy" && progress && { progress }),
      ...(span && { startedAt: span.since }),
      ...(span?.until !== undefined && { finishedAt: span.until }),
      ...(isNow && whole.waitingFor?.message !== undefined && { message: whole.waitingFor.message }),
      ...(isNow && signals && { signals }),
    };
  });
  return {
    ...rest,
    rule: "sum",
    ...(progress && { progress }),
    // What is wrong is wrong with the whole; silence is judged where the numbers are.
    ...((now === undefined || signals?.causes?.length) && signals && { signals }),
    children,
  };
}

/** The step that is under way; between two there is none, as while a slot is waited for. */
function presentOf(names: readonly MovementStep[], trail: Trail, whole: State): MovementStep | undefined {
  if (isTerminal(whole)) return undefined;
  return names.findLast((name) => trail[name] !== undefined && trail[name].until === undefined);
}

function stateOf(names: readonly MovementStep[], trail: Trail, at: number, whole: State): State {
  const span = trail[names[at] ?? "copy"];
  const broke = names.findIndex((name) => trail[name]?.end !== undefined);
  const reached = broke < 0 ? names.findLastIndex((name) => trail[name] !== undefined) : broke;
  // Some are over before anybody can note them.
  if (!span) return at < reached ? "completed" : "pending";
  if (span.until !== undefined) return span.end ?? "completed";
  return isTerminal(whole) ? whole : "running";
}
