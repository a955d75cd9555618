import { expect, test } from "vitest";
import { Refusals } from "./refusals.ts";

test("add() is news once for each version and reason", () => {
  const refusals = new Refusals();
  expect(refusals.add("l", "b", "1", "bad")).toBe(true);
  expect(refusals.add("l", "b", "1", "bad")).toBe(false);
  expect(refusals.add("m", "b", "1", "bad")).toBe(true);
  expect(refusals.add("l", "b", "2", "bad")).toBe(true);
  expect(refusals.add("l", "b", "2", "worse")).toBe(true);
  expect(refusals.seen("l", "b")).toBe("2");
  refusals.clear("l", "b");
  expect(refusals.seen("l", "b")).toBeUndefined();
});

test("end() counts those of the last look, and forgets the others", () => {
  const refusals = new Refusals();
  refusals.begin("l");
  for (const name of ["a", "b"]) refusals.add("l", name, "1", "bad");
  refusals.add("m", "c", "1", "bad");
  expect(refusals.end("l")).toBe(2);
  refusals.begin("l");
  refusals.seen("l", "b");
  expect(refusals.end("l")).toBe(1);
  expect(refusals.seen("l", "a")).toBeUndefined();
  expect(refusals.end("m")).toBe(1);
});

test("only so many are kept", () => {
  const refusals = new Refusals(2);
  for (const name of ["a", "b", "c"]) refusals.add("l", name, "1", "bad");
  expect(refusals.end("l")).toBe(2);
  expect(refusals.seen("l", "a")).toBeUndefined();
});
