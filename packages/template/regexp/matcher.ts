import { Budget, defaultLimits } from "../budget.ts";
import { find, pattern } from "./pattern.ts";

/**
 * Whether Go's regular expression is found in a text, in time that grows with the text and not with the cleverness of the
 * pattern. Throws in Go's words when it is none: Go knows no look-around and no references back.
 */
export function goMatcher(source: string): (text: string) => boolean {
  const compiled = pattern(source);
  return (text) => find(compiled, text, new Budget(defaultLimits)) !== undefined;
}
