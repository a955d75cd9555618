import { conditionsOf, drillSteps } from "../../api/index.ts";
import type { Operation } from "../../progress/index.ts";
import type { StoredStep } from "./read.ts";

/** What a drill's status tells of how far it is: the steps that began, and conditions for those who know no drills. */
export function writeDrill(operation: Operation): object {
  const steps = operation.children.flatMap((child) => {
    const name = drillSteps.find((one) => one === child.id);
    return name === undefined || child.state === "pending" ? [] : [storedStep(name, child)];
  });
  return { steps, conditions: conditionsOf(operation) };
}

function storedStep(name: StoredStep["name"], child: Operation): StoredStep {
  const { state, startedAt, finishedAt, message, errors } = child;
  return {
    name,
    state,
    ...(startedAt !== undefined && { startedAt: Math.round(startedAt) }),
    ...(finishedAt !== undefined && { finishedAt: Math.round(finishedAt) }),
    ...(message !== undefined && message !== "" && { message }),
    ...(errors > 0 && { errors }),
  };
}
