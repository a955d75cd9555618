import type { Code } from "../../errors.ts";
import type { FailureWords } from "../definition.ts";

/** Since 0.17 restic says with its exit code what was wrong. */
export const exits: Readonly<Record<number, Code>> = {
  10: "MOVER_REPOSITORY_MISSING",
  11: "MOVER_LOCKED",
  12: "MOVER_PASSWORD",
};

/** What restic says, from 0.14 on. */
export const words: FailureWords = [
  [/wrong password/i, "MOVER_PASSWORD", true],
  [/already locked|unable to create lock|failed to lock/i, "MOVER_LOCKED", true],
  [
    /no matching ID found|no snapshots? matched|snapshot not found|unable to find snapshot|invalid id "/i,
    "MOVER_SNAPSHOT",
    false,
  ],
  // Before 0.17 it asks "is there a repository" whatever went wrong: only the end of its own line tells. The place, which
  // anybody may name, never stands there.
  [
    /unable to open config file: [^\n]*(: no such file or directory|: the specified key does not exist\.?)$/im,
    "MOVER_REPOSITORY_MISSING",
    true,
  ],
  [/is there a repository|repository does not exist/i, "MOVER_REPOSITORY", true],
  [/ciphertext verification failed/i, "MOVER_PASSWORD", true],
];
