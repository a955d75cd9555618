import { AppError, type Code } from "../errors.ts";
import { shown } from "./numbers.ts";

/** What a mover said at its end. */
export interface Failure {
  readonly kind: string;
  readonly verb: string;
  readonly where: string;
  readonly exitCode: number | undefined;
  readonly killedBy: string | undefined;
  readonly errTail: string;
  /** The mover's own last word, when it has one. */
  readonly message?: string | undefined;
}

/** Turns a mover's end into an error that a person can act on. */
export function explain(failure: Failure): AppError {
  const said = shown(failure.message ?? lastLines(failure.errTail));
  const [code, retry] = classify(failure.exitCode, `${failure.message ?? ""}\n${failure.errTail}`);
  const how =
    failure.killedBy === undefined ? `exit ${failure.exitCode ?? "?"}` : `killed by ${failure.killedBy}`;
  const text = `${failure.kind} could not ${failure.verb} (${failure.where}), ${how}`;
  return new AppError(code, said === "" ? text : `${text}: ${said}`, { retry });
}

/** What restic (exit codes 10 to 12 since 0.17) and kopia say, in one table. */
const words: readonly (readonly [RegExp, Code, boolean])[] = [
  [/wrong password|invalid repository password|ciphertext verification failed/i, "MOVER_PASSWORD", true],
  // Before locks: a full disk has no room for a lock either.
  [/no space left|disk quota exceeded|ENOSPC|storagefull|quotaexceeded/i, "MOVER_SPACE", true],
  [/already locked|unable to create lock|failed to lock/i, "MOVER_LOCKED", true],
  [
    /no matching ID found|no snapshots? matched|snapshot not found|unable to find (snapshot|manifest)|manifest \S+: not found|invalid id "/i,
    "MOVER_SNAPSHOT",
    false,
  ],
  // restic before 0.17 asks "is there a repository" whatever went wrong: only the end of its own line tells. The place, which
  // anybody may name, never stands there.
  [
    /unable to open config file: [^\n]*(: no such file or directory|: the specified key does not exist\.?)$/im,
    "MOVER_REPOSITORY_MISSING",
    true,
  ],
  [/: repository not initialized in the provided storage$/im, "MOVER_REPOSITORY_MISSING", true],
  [/: found existing data in storage location$/im, "MOVER_REPOSITORY_THERE", true],
  [
    /is there a repository|repository does not exist|not connected to a repository|cannot access storage path|no such bucket|NoSuchBucket|bucket .* does not exist/i,
    "MOVER_REPOSITORY",
    true,
  ],
  [
    /connection refused|no such host|i\/o timeout|network is unreachable|access denied|invalid ?access ?key|signature we calculated|x509:/i,
    "MOVER_REPOSITORY",
    true,
  ],
];

function classify(exitCode: number | undefined, text: string): readonly [Code, boolean] {
  if (exitCode === 10) return ["MOVER_REPOSITORY_MISSING", true];
  if (exitCode === 11) return ["MOVER_LOCKED", true];
  if (exitCode === 12) return ["MOVER_PASSWORD", true];
  const found = words.find(([pattern]) => pattern.test(text));
  return found === undefined ? ["MOVER_EXIT", true] : [found[1], found[2]];
}

function lastLines(tail: string): string {
  return tail
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-4)
    .join("; ");
}
