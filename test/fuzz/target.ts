import { AppError } from "../../src/errors.ts";
import type { Json } from "./json.ts";
import type { Random } from "./random.ts";

/** What is given to the product: bytes, or what JSON can say. Both can be kept in a file. */
export type Case = Uint8Array | Json;

/** One door of the product through which something comes that others have made. */
export interface Target {
  readonly name: string;
  /** What is behind the door. */
  readonly covers: string;
  /** Makes a case; the same random numbers make the same one. */
  readonly make: (random: Random) => Case;
  /** Hands it to the product. Whoever returns false has refused it without throwing. */
  readonly run: (given: never) => unknown;
  /** Errors besides AppError by which this door refuses. */
  readonly refusals?: readonly (abstract new (
    ...args: never
  ) => Error)[];
}

/** A target whose cases are all of one form. */
export function target<C extends Case>(
  given: Omit<Target, "make" | "run"> & {
    readonly make: (random: Random) => C;
    readonly run: (given: C) => unknown;
  },
): Target {
  return given;
}

/** What became of a case: taken, refused in words, or an error that nobody expected. */
export type Outcome = "taken" | "refused" | { readonly crash: unknown };

/** Runs one case; only doors that wait make the caller wait, since that costs more than many a case. */
export function outcomeOf(target: Target, given: Case): Outcome | Promise<Outcome> {
  try {
    const answer = target.run(given as never); // each target makes the cases that it runs
    if (answer instanceof Promise) return answer.then(judged, (error: unknown) => thrown(target, error));
    return judged(answer);
  } catch (error) {
    return thrown(target, error);
  }
}

function judged(answer: unknown): Outcome {
  return answer === false ? "refused" : "taken";
}

function thrown({ refusals = [] }: Target, error: unknown): Outcome {
  if (error instanceof AppError || refusals.some((kind) => error instanceof kind)) return "refused";
  return { crash: error };
}

/** A law that the product must keep whatever it is given. */
export class BrokenLaw extends Error {
  override readonly name = "BrokenLaw";
}
