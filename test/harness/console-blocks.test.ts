import { expect, test } from "vitest";
import { blocksOf, commandsOf, isRunnable, markFaults } from "./console-blocks.ts";

const page = [
  "# Page",
  "```console",
  "$ headway a \\",
  "    --b",
  "printed",
  "$ headway c",
  "```",
  "```console not-run: needs a bucket",
  "$ headway d",
  "```",
  "```",
  "headway e",
  "```",
  "```console not-run:",
  "$ headway f",
  "```",
  "```yaml",
  "a: b",
  "```",
].join("\n");

test("blocksOf() and commandsOf() find what is to be run", () => {
  const [first, second] = blocksOf(page);
  expect(first && commandsOf(first)).toEqual(["headway a \\\n    --b", "headway c"]);
  expect([first, second].map((block) => block && isRunnable(block))).toEqual([true, false]);
});

test("markFaults() names commands that are not marked, and reasons that are missing", () => {
  expect(markFaults(blocksOf(page))).toEqual([
    "line 11: commands outside of a console block",
    'line 14: "console not-run:" does not say why',
  ]);
});
