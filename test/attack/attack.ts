import type { Stage } from "./stage.ts";

/** One attempt against the running programs. */
export interface Attack {
  /** The class it belongs to. */
  readonly kind: string;
  readonly tried: string;
  /** Why it cannot be tried here; undefined when it can. */
  readonly impossible?: string | undefined;
  readonly limitMs?: number;
  /** What was seen when it held; throws `Broken` when it did not. */
  run(stage: Stage): Promise<string>;
}

/** An attack that had success. */
export class Broken extends Error {}

/** Says that an attack had success unless the condition holds. */
export function mustHold(condition: boolean, seen: string): void {
  if (!condition) throw new Broken(seen);
}

/** What became of an attack. */
export interface Verdict {
  readonly kind: string;
  readonly tried: string;
  readonly seen: string;
  readonly word: "HELD" | "BROKEN" | "NOT TRIED";
}

/** One line for a verdict. */
export function verdictLine({ kind, tried, seen, word }: Verdict): string {
  return `${word.padEnd(9)} ${kind}: ${tried} -> ${seen.replaceAll(/\s+/g, " ").slice(0, 300)}`;
}

/** The last line; controls, which show that an attack would have had its chance, are no attacks. */
export function summaryLine(verdicts: readonly Verdict[]): string {
  const count = (word: Verdict["word"]) => verdicts.filter((one) => one.word === word).length;
  const attacks = verdicts.filter(({ kind }) => kind !== "control");
  const kinds = new Set(attacks.map(({ kind }) => kind)).size;
  const tried = `${attacks.length} attacks of ${kinds} classes and ${verdicts.length - attacks.length} controls`;
  return `${tried}: ${count("HELD")} held, ${count("BROKEN")} broken, ${count("NOT TRIED")} not tried`;
}
