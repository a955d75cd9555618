import { Budget, LimitError } from "../../../packages/template/budget.ts";
import { CallError } from "../../../packages/template/error.ts";
import {
  expand,
  find,
  findAll,
  pattern,
  replaceAll,
  split,
} from "../../../packages/template/regexp/pattern.ts";
import { mutateText } from "../bytes.ts";
import { hostileText } from "../json.ts";
import { target } from "../target.ts";

const parts = [
  "a",
  "b",
  ".",
  "\\d",
  "[a-z]",
  "[^b]",
  "(a|b)",
  "(?P<n>x+)",
  "(?:x)",
  "*",
  "+",
  "?",
  "{1,2}",
  "{1000}",
  "^",
  "$",
  "|",
  "\\b",
  "(?i)",
  "*?",
  "[[:upper:]]",
  "\\pL",
  "\\x{10FFFF}",
  "\\Q.*\\E",
  "(a*)*",
  "(a|a)*",
  "(?s-m:.)",
  "\\z",
];
const limits = { maxSteps: 200_000, maxOutput: 200_000, maxDepth: 500, maxMs: 1_000 };

export const regexps = target<{ readonly source: string; readonly text: string; readonly with: string }>({
  name: "regexps",
  covers: "Go's regular expressions: parser, machine, replacement, in time that does not explode",
  make(random) {
    const source = Array.from({ length: 1 + random.size(10) }, () => random.of(parts)).join("");
    return {
      source: random.oneIn(3) ? mutateText(random, source) : source,
      text: random.oneIn(3)
        ? hostileText(random)
        : "ab".repeat(random.size(200)) + random.of(["", "x", "é", "\n"]),
      with: random.of(["$1", "${n}", "$$", "$0x", "${", "a"]),
    };
  },
  run({ source, text, with: replacement }) {
    const compiled = pattern(source);
    const budget = () => new Budget(limits, () => performance.now());
    find(compiled, text, budget());
    findAll(compiled, text, 20, budget());
    replaceAll(compiled, text, budget(), (match) => expand(compiled, replacement, text, match));
    split(compiled, text, 10, budget());
  },
  refusals: [CallError, LimitError],
});
