import { expect, test } from "vitest";
import { listed as kopiaListed } from "./kopia/listed.ts";
import { notListed } from "./listing.ts";
import { listed as resticListed } from "./restic/listed.ts";

const long = "f3012d26df6ce5f35f74e7e93f2c1026963d29035f43b7585f3100731f7f96bc";

test.each([
  [long, { id: long, tags: [] }],
  [`${long}\r`, { id: long, tags: [] }],
  ["", undefined],
  ["repository 1234abcd opened", undefined],
  ["f3012d26", undefined],
])("resticListed(%j)", (line, want) => {
  expect(resticListed(line)).toEqual(want);
});

test.each([
  [
    "70240f4216be2f95394632fb198749d6        728 2026-11-18 04:07:45 UTC type:snapshot hostname:default path:a/b tag:backup:x tag:pod:y username:default",
    { id: "70240f4216be2f95394632fb198749d6", tags: ["backup:x", "pod:y"] },
  ],
  ["70240f4216be2f95394632fb198749d6        728 2026-11-18 04:07:45 UTC type:policy", undefined],
  ["nothing", undefined],
])("kopiaListed(%j)", (line, want) => {
  expect(kopiaListed(line)).toEqual(want);
});

test("notListed() quotes the start of the line", () => {
  expect(notListed("restic", "/r", "x".repeat(500))).toMatchObject({
    code: "MOVER_OUTPUT",
    message: `restic lists the snapshots in /r with the line "${"x".repeat(80)}"`,
  });
});
