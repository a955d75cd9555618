import { AppError } from "../../errors.ts";
import type { Frame } from "../../observe/index.ts";
import { isTerminal, type Operation } from "../../progress/index.ts";
import { isTarget, type Target, targetName } from "./target.ts";

/** What is followed and how it stands: with targets until all of them have ended, without until the person stops. */
export class Following {
  /** Newest operation by id, in the order of their first appearance. Bounded by the operations of the cluster. */
  readonly shown = new Map<string, Operation>();
  readonly #targets: readonly Target[];

  constructor(targets: readonly Target[]) {
    this.#targets = targets;
  }

  get hasTargets(): boolean {
    return this.#targets.length > 0;
  }

  /**
   * Folds a frame in; whether it is one of those followed.
   *
   * A target whose object is deleted can never end: that is an error to act on, not a wait for ever.
   */
  take({ id, operation }: Frame): boolean {
    const known = this.shown.get(id);
    if (!operation) {
      if (known && this.hasTargets && !isTerminal(known.state)) {
        throw new AppError("OPERATION_GONE", `${known.title} was deleted while it was being watched`);
      }
      return this.shown.delete(id);
    }
    const wanted = this.hasTargets
      ? this.#targets.some((target) => isTarget(target, operation))
      : !isTerminal(operation.state);
    if (!wanted && !known) return false;
    this.shown.set(id, operation);
    return true;
  }

  /** Set when there is nothing more to wait for. */
  get exitCode(): number | undefined {
    if (!this.hasTargets) return undefined;
    const operations = [...this.shown.values()];
    const ends = this.#targets.map(
      (target) => operations.find((operation) => isTarget(target, operation))?.state,
    );
    if (ends.some((state) => state === undefined || !isTerminal(state))) return undefined;
    if (ends.some((state) => state === "failed" || state === "partially-failed")) return 1;
    return ends.includes("canceled") ? 4 : 0;
  }

  /** Targets that nobody has seen yet. */
  get absent(): readonly Target[] {
    const operations = [...this.shown.values()];
    return this.#targets.filter((target) => !operations.some((operation) => isTarget(target, operation)));
  }
}

/** Throws when a named operation does not exist. */
export function demand({ absent }: Following): void {
  if (absent.length === 0) return;
  throw new AppError("OPERATION_MISSING", `there is no ${absent.map(targetName).join(" and no ")}`);
}
