import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { findMovers, Kopia, type Mover, moverFolders, Restic } from "../../movers/index.ts";
import type { Uploader } from "./objects.ts";

/** Gives the program of a kind, ready to use. */
export type OpenMover = (kind: Uploader) => Mover;

/** Finds movers where the machine has them; each is made once. */
export function moverFinder(options: {
  /** A private folder for caches and connection files. */
  readonly scratch: string;
  /** Marks their processes, so that a later life can find them. */
  readonly owner?: string;
  /** Where to look; PATH, HEADWAY_MOVERS and our cache when absent. */
  readonly folders?: readonly string[] | undefined;
}): OpenMover {
  const made = new Map<Uploader, Mover>();
  return (kind) => {
    const known = made.get(kind);
    if (known) return known;
    const folders = options.folders ?? moverFolders();
    const [program] = findMovers(kind, folders);
    if (program === undefined) {
      throw new AppError(
        "MOVER_MISSING",
        `there is no ${kind} in ${folders.join(", ")}; \`headway mover install ${kind}\` brings it`,
      );
    }
    const { owner } = options;
    const settings = { program, scratch: join(options.scratch, kind), ...(owner !== undefined && { owner }) };
    const mover = kind === "restic" ? new Restic(settings) : new Kopia(settings);
    made.set(kind, mover);
    return mover;
  };
}
