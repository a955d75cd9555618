import { CallError } from "../error.ts";
import { expand, find, findAll, pattern, replaceAll, split } from "../regexp/pattern.ts";
import { List, stringList } from "../value.ts";
import { define, type Func } from "./define.ts";

/** sprig's regular expressions. */
export const regexes: Readonly<Record<string, Func>> = {
  regexMatch: define("string string", (a, { budget }) => {
    try {
      return find(pattern(a.text(0)), a.text(1), budget) !== undefined;
    } catch (error) {
      // sprig drops the error of a bad pattern, and blueprints may rely on it.
      if (error instanceof CallError) return false;
      throw error;
    }
  }),
  regexFind: define("string string", (a, { budget }) => {
    const match = find(pattern(a.text(0)), a.text(1), budget);
    return match === undefined ? "" : a.text(1).slice(match[0], match[1]);
  }),
  regexFindAll: define("string string int", (a, { budget }) => {
    const matches = findAll(pattern(a.text(0)), a.text(1), a.int(2), budget);
    return texts(matches.length === 0 ? undefined : matches.map(([from, to]) => a.text(1).slice(from, to)));
  }),
  regexReplaceAll: define("string string string", (a, { budget }) => {
    const re = pattern(a.text(0));
    return replaceAll(re, a.text(1), budget, (match) => expand(re, a.text(2), a.text(1), match));
  }),
  regexReplaceAllLiteral: define("string string string", (a, { budget }) =>
    replaceAll(pattern(a.text(0)), a.text(1), budget, () => a.text(2)),
  ),
  regexSplit: define("string string int", (a, { budget }) =>
    texts(split(pattern(a.text(0)), a.text(1), a.int(2), budget)),
  ),
};

/** A []string; nothing is a nil one. */
function texts(items: readonly string[] | undefined): List {
  return items === undefined ? new List(stringList([]).type, [], true) : stringList(items);
}
