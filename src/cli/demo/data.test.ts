import { expect, test } from "vitest";
import { differences, eventually } from "./data.ts";

const before = new Map([
  ["db:./a", "1"],
  ["db:./b", "2"],
]);

test.each([
  ["nothing", new Map(before), []],
  ["a missing file", new Map([["db:./a", "1"]]), ["db:./b is missing"]],
  ["other content", new Map([...before, ["db:./a", "9"]]), ["db:./a has other content"]],
  ["a new file", new Map([...before, ["db:./c", "3"]]), ["db:./c was not there before"]],
])("differences() tells %s", (_name, after, want) => {
  expect(differences(before, after)).toEqual(want);
});

test("eventually() says what did not come", async () => {
  const never = eventually("the shop opens", 0, new AbortController().signal, async () => false);
  await expect(never).rejects.toMatchObject({
    code: "DEMO_FAILED",
    message: expect.stringContaining("the shop opens"),
  });
});
