import { AppError } from "../errors.ts";

/** One snapshot of a repository's list. */
export interface ListedSnapshot {
  readonly id: string;
  /** `name:value` of each tag, where the mover's list has them. */
  readonly tags: readonly string[];
}

/** Hears of each snapshot as the mover prints it, so nobody has to hold them all. */
export type OnSnapshot = (one: ListedSnapshot) => void;

/** A list of which a line is not understood is not the whole list: nothing may be concluded from it. */
export function notListed(kind: string, where: string, line: string): AppError {
  const shown = JSON.stringify(line.slice(0, 80));
  return new AppError("MOVER_OUTPUT", `${kind} lists the snapshots in ${where} with the line ${shown}`, {
    retry: false,
  });
}
