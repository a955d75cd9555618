import { expect, test } from "vitest";
import { anOperation } from "../../../test/harness/fake-observer.ts";
import { type Browsing, footer, keysOf, listed, press, untouched } from "./browse.ts";

const ids = ["a", "b", "c"];
const on = (at: string, more: Partial<Browsing> = {}): Browsing => ({
  at,
  isOpen: false,
  filter: "",
  ...more,
});

function after(keys: readonly string[], from: Browsing = untouched, list = ids): Browsing {
  return keys.reduce((browsing, key) => press(browsing, key, list).browsing, from);
}

test("keysOf() keeps arrows whole", () => {
  expect(keysOf("\x1b[A\x1bOBq\x1bü")).toEqual(["\x1b[A", "\x1bOB", "q", "\x1b", "ü"]);
});

test.each<[string, readonly string[], Browsing]>([
  ["down begins at the top", ["j"], on("a")],
  ["up begins at the bottom", ["\x1b[A"], on("c")],
  ["down stops at the end", ["j", "j", "j", "j"], on("c")],
  ["Enter opens", ["j", "j", "\r"], on("b", { isOpen: true })],
  ["Enter without a cursor sets one", ["\r"], on("a")],
  ["one step back", ["j", "\r", "\x1b"], on("a")],
  ["two steps back", ["j", "\r", "\x1b", "\x1b"], untouched],
  ["a filter is typed and kept", ["/", "x", "q", "\r"], { isOpen: false, filter: "xq" }],
  ["a filter is mended", ["/", "x", "y", "\x7f", "\r"], { isOpen: false, filter: "x" }],
  ["a filter is dropped", ["/", "x", "\x1b"], untouched],
  ["a filter goes with the last step back", ["/", "x", "\r", "\x1b"], untouched],
  ["cancel asks first", ["j", "c"], on("a", { asks: "cancel" })],
  ["any other key is no", ["j", "c", "n"], on("a")],
  ["cancel without a cursor is nothing", ["c"], untouched],
  ["unknown keys are nothing", ["z", "\t"], untouched],
])("press(): %s", (_name, keys, want) => {
  expect(after(keys)).toEqual(want);
});

test.each([
  ["q", on("a"), { do: "quit" }],
  ["\x03", on("a", { asks: "filter" }), { do: "interrupt" }],
  ["y", on("b", { asks: "cancel" }), { do: "cancel", id: "b" }],
  ["n", on("b", { asks: "cancel" }), undefined],
  ["l", on("b"), { do: "log", id: "b" }],
  ["l", untouched, undefined],
  ["y", on("gone", { asks: "cancel" }), undefined],
])("press(%j) wishes", (key, from, want) => {
  expect(press(from, key, ids).wish).toEqual(want);
});

test("press() on an empty list chooses nothing", () => {
  expect(after(["j", "\r", "c"], untouched, [])).toEqual(untouched);
});

test("listed() filters by title, whatever the case", () => {
  const shown = new Map([anOperation("Shop"), anOperation("bank")].map((one) => [one.id, one]));
  expect(listed(shown, "SHOP", 0).map(({ title }) => title)).toEqual(["Backup Shop"]);
  expect(listed(shown, "", 0)).toHaveLength(2);
});

test("footer() tells what is asked", () => {
  expect(footer(on("a", { asks: "cancel" }), "Backup a")).toContain("cancel Backup a?");
  expect(footer({ ...untouched, filter: "x", asks: "filter" }, undefined)).toContain("filter: x");
  expect(footer({ ...untouched, filter: "x" }, undefined)).toContain('only "x"');
});
