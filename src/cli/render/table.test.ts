import { expect, test } from "vitest";
import { table } from "./table.ts";

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
