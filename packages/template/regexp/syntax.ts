/** What a pattern is made of. */
export type Regex =
  | { readonly type: "empty" }
  | { readonly type: "class"; readonly class: CharClass }
  | { readonly type: "assert"; readonly kind: Assertion }
  | { readonly type: "group"; readonly index: number; readonly body: Regex }
  | { readonly type: "concat"; readonly parts: readonly Regex[] }
  | { readonly type: "alternate"; readonly parts: readonly Regex[] }
  | {
      readonly type: "repeat";
      readonly body: Regex;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
    };

export type Assertion = "beginText" | "endText" | "beginLine" | "endLine" | "word" | "notWord";

/** A set of code points. */
export interface CharClass {
  readonly ranges: readonly (readonly [number, number])[];
  readonly properties: readonly { readonly pattern: RegExp; readonly negated: boolean }[];
  readonly negated: boolean;
  readonly foldCase: boolean;
}

/** A pattern that is none, in the words of Go's. */
export class SyntaxFault extends Error {
  constructor(what: string, where: string) {
    super(`error parsing regexp: ${what}: \`${where}\``);
  }
}

/** A set of ranges alone. */
export function classOf(
  ranges: readonly (readonly [number, number])[],
  negated = false,
  foldCase = false,
): CharClass {
  return { ranges, properties: [], negated, foldCase };
}
