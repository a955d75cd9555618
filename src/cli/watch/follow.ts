import { AppError } from "../../errors.ts";
import type { Frame } from "../../observe/index.ts";
import { isTerminal, type Operation } from "../../progress/index.ts";
import { isTarget, type Target, targetName } from "./target.ts";

/** What is followed and how it stands; pure, so that every end is a table row. */
export interface Following {
  /** Newest operation by id, in the order of their first appearance. */
  readonly shown: ReadonlyMap<string, Operation>;
  /** Set when there is nothing more to wait for. */
  readonly exitCode: number | undefined;
}

/**
 * Folds a frame in: with targets until all of them have ended, without until the person stops.
 *
 * A target whose object is deleted can never end: that is an error to act on, not a wait for ever.
 */
export function follow(targets: readonly Target[], before: Following, frame: Frame): Following {
  const shown = new Map(before.shown);
  const known = shown.get(frame.id);
  if (frame.operation) {
    const wanted = targets.some((target) => frame.operation && isTarget(target, frame.operation));
    const fresh = targets.length === 0 && !isTerminal(frame.operation.state);
    if (wanted || known || fresh) shown.set(frame.id, frame.operation);
  } else if (known && targets.length > 0 && !isTerminal(known.state)) {
    throw new AppError("OPERATION_GONE", `${known.title} was deleted while it was being watched`);
  } else {
    shown.delete(frame.id);
  }
  return { shown, exitCode: exitCode(targets, shown) };
}

/** Throws when a named operation does not exist. */
export function demand(targets: readonly Target[], { shown }: Following): void {
  const operations = [...shown.values()];
  const absent = targets.filter((target) => !operations.some((operation) => isTarget(target, operation)));
  if (absent.length === 0) return;
  throw new AppError("OPERATION_MISSING", `there is no ${absent.map(targetName).join(" and no ")}`);
}

function exitCode(targets: readonly Target[], shown: ReadonlyMap<string, Operation>): number | undefined {
  if (targets.length === 0) return undefined;
  const operations = [...shown.values()];
  const ends = targets.map((target) => operations.find((operation) => isTarget(target, operation))?.state);
  if (ends.some((state) => state === undefined || !isTerminal(state))) return undefined;
  if (ends.some((state) => state === "failed" || state === "partially-failed")) return 1;
  return ends.includes("canceled") ? 4 : 0;
}
