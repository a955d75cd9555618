import type { FailureWords } from "../definition.ts";

/** What kopia says, from 0.19 on. */
export const words: FailureWords = [
  [/invalid repository password/i, "MOVER_PASSWORD", true],
  [/failed to lock/i, "MOVER_LOCKED", true],
  [
    /no snapshots? matched|snapshot not found|unable to find (snapshot|manifest)|manifest \S+: not found/i,
    "MOVER_SNAPSHOT",
    false,
  ],
  [/: repository not initialized in the provided storage$/im, "MOVER_REPOSITORY_MISSING", true],
  [/: found existing data in storage location$/im, "MOVER_REPOSITORY_THERE", true],
  [
    /repository does not exist|not connected to a repository|cannot access storage path/i,
    "MOVER_REPOSITORY",
    true,
  ],
];
