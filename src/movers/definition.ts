import type { Code } from "../errors.ts";
import type { Sample } from "../progress/index.ts";
import type { ActionMover, MoverOptions } from "./mover.ts";
import type { ShellMover } from "./shell.ts";

/** All that tells one mover from another: what a folder of this room hands to the registry. */
export interface MoverDefinition {
  readonly kind: string;
  readonly make: (options: MoverOptions) => ActionMover;
  /** The oldest version that is understood. */
  readonly oldest: readonly [major: number, minor: number];
  readonly install: InstallFacts;
  /** What it names its snapshots, in words and as a check. */
  readonly snapshot: { readonly words: string; readonly fits: (id: string) => boolean };
  /** Reads one line of progress; undefined for every other line. */
  readonly readLine: (line: string) => MoverLine | undefined;
  readonly upstream: UpstreamFacts;
  /** Its part of the script that runs in images which are not ours. */
  readonly shell: ShellMover;
}

/** Where a mover comes from. */
interface InstallFacts {
  /** The module that is built where no package is at hand, at the version that is tested. */
  readonly module: { readonly path: string; readonly main: string; readonly version: string };
  /** Debian's package. */
  readonly debian?: string;
}

/** What Velero's servers expect of this mover's repositories and snapshots. */
interface UpstreamFacts {
  /** How often a repository is maintained, as Go writes durations. */
  readonly maintenance: string;
  /** Maintenance needs the repository alone. */
  readonly maintainedAlone: boolean;
  /** A backup is given the snapshot to compare with; the others find it by their source. */
  readonly takesParent: boolean;
  /** Tags that mark the snapshots of pod volumes. */
  readonly tags: Readonly<Record<string, string>>;
  /** The object that describes a repository, where Velero (1.17 and newer) marks those that it has set up. */
  readonly formatObject?: string;
}

/** A mover's words at a bad end, the error they mean, and whether it may pass. */
export type FailureWords = readonly (readonly [words: RegExp, code: Code, retry: boolean])[];

/** What one line of a mover says: of what goes up into the store, or of what comes down from it. */
export type MoverLine = Said &
  (
    | {
        readonly direction: "up";
        /** What went to the store, after compression and without what was there already; where the mover tells it. */
        readonly sentBytes?: number;
        /** What did not have to be read again; where the mover tells it. */
        readonly cachedBytes?: number;
      }
    | { readonly direction: "down" }
  );

interface Said {
  /** Bytes that are dealt with. `done` may be past the total: movers estimate badly. */
  readonly progress: Sample;
  readonly etaSeconds?: number;
}
