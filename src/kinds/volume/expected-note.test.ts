import { expect, test } from "vitest";
import { readExpected, writeExpected } from "./expected-note.ts";

const noted = (text: string) => ({
  metadata: { name: "x", annotations: { "headway.dev/expected-bytes": text } },
});

test("readExpected() reads what writeExpected() wrote", () => {
  expect(readExpected({ metadata: { name: "x", annotations: writeExpected(5_000_000_000) } })).toBe(5e9);
  expect([writeExpected(0), writeExpected(undefined)]).toEqual([{}, {}]);
});

test.each(["", "0", "-1", "1.5", "1e9", " 7", "99999999999999999999", "9999999999999999", "NaN"])(
  "readExpected() of %o says nothing",
  (text) => {
    expect(readExpected(noted(text))).toBeUndefined();
  },
);
