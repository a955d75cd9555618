import { AppError, type Code } from "../errors.ts";
import type { FailureWords } from "./definition.ts";
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
  /** The mover's own words for what goes wrong, and its exit codes that say all. */
  readonly words: FailureWords;
  readonly exits?: Readonly<Record<number, Code>>;
}

/** Turns a mover's end into an error that a person can act on. */
export function explain(failure: Failure): AppError {
  const said = shown(failure.message ?? lastLines(failure.errTail));
  const [code, retry] = classify(failure);
  const how =
    failure.killedBy === undefined ? `exit ${failure.exitCode ?? "?"}` : `killed by ${failure.killedBy}`;
  const text = `${failure.kind} could not ${failure.verb} (${failure.where}), ${how}`;
  return new AppError(code, said === "" ? text : `${text}: ${said}`, { retry });
}

/** Before the mover's own words: a full disk has no room for a lock either. */
const space: FailureWords = [
  [/no space left|disk quota exceeded|ENOSPC|storagefull|quotaexceeded/i, "MOVER_SPACE", true],
];

/** After them: what libraries say that every mover is made with. */
const network: FailureWords = [
  [/no such bucket|NoSuchBucket|bucket .* does not exist/i, "MOVER_REPOSITORY", true],
  [
    /connection refused|no such host|i\/o timeout|network is unreachable|access denied|invalid ?access ?key|signature we calculated|x509:/i,
    "MOVER_REPOSITORY",
    true,
  ],
];

function classify({ exitCode, message, errTail, words, exits }: Failure): readonly [Code, boolean] {
  const known = exits?.[exitCode ?? 0];
  if (known !== undefined) return [known, true];
  const text = `${message ?? ""}\n${errTail}`;
  const found = [...space, ...words, ...network].find(([pattern]) => pattern.test(text));
  return found === undefined ? ["MOVER_EXIT", true] : [found[1], found[2]];
}

function lastLines(tail: string): string {
  return tail
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-4)
    .join("; ");
}
