import { expect, test } from "vitest";
import { changeSince, type Sighting } from "./sightings.ts";

const file = (bytes: number, modified = "t") => ({ name: "f", type: "file", bytes, modified }) as const;

test("changeSince() tells the life of a file", () => {
  const life = [undefined, file(1), file(1), file(2), file(2, "u"), undefined, undefined, file(2)];
  const told: Sighting[] = [];
  for (const entry of life) {
    told.push({ backup: "b", at: "", ...(entry && { entry }), change: changeSince(told, entry) });
  }
  expect(told.map(({ change }) => change)).toEqual([
    "absent",
    "first",
    "same",
    "changed",
    "changed",
    "gone",
    "absent",
    "back",
  ]);
});
