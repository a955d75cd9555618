import { expect, test } from "vitest";
import { table } from "./table.ts";
import { width } from "./text.ts";

test("table() aligns columns and leaves no spaces at the end", () => {
  expect(
    table(
      ["NAME", "STATE"],
      [
        ["nightly", "running"],
        ["a", ""],
      ],
    ),
  ).toBe("NAME      STATE\nnightly   running\na\n");
});

test("table() does not let a cell break the table", () => {
  expect(table(["NAME"], [["a\nb\x1b[31m"]])).toBe("NAME\na b [31m\n");
});

const wide = [
  [
    "database-with-a-long-name",
    "waits for a node agent on node worker-17, which nobody has heard of",
    "running",
  ],
  ["b", "no", "done"],
];

test.each([120, 80, 60])(
  "table() fits a terminal of %i columns and cuts the widest column, not the name",
  (columns) => {
    const lines = table(["NAME", "MESSAGE", "STATE"], wide, { columns }).trimEnd().split("\n");
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
    expect(lines[1]).toContain("database-with-a-long-name");
    expect(lines[1]).toMatch(/running$/);
    expect(lines[1]?.includes("…")).toBe(columns < 105);
  },
);

test("table() cuts the name only when nothing else is left to cut", () => {
  const lines = table(["NAME", "STATE"], [["n".repeat(60), "running"]], { columns: 40 }).split("\n");
  expect(lines[1]).toBe(`${"n".repeat(29)}…   running`);
});

test("table() cuts nothing where nobody looks", () => {
  expect(table(["NAME", "MESSAGE", "STATE"], wide)).not.toContain("…");
});
