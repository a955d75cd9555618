import { expect, test } from "vitest";
import { objectName } from "./objects.ts";
import { readPlace } from "./place.ts";

test.each([
  ["snap-0abc", "snap-0abc"],
  ["a.b-c", "a.b-c"],
])("objectName() keeps %s, which is a name", (id, want) => {
  expect(objectName(id)).toBe(want);
});

test.each([
  "/subscriptions/1/resourceGroups/g/providers/Microsoft.Compute/snapshots/s",
  "UPPER",
  "-",
  "日本",
  "x".repeat(300),
])("objectName() makes a name of %s, each its own", (id) => {
  expect(objectName(id)).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
  expect(objectName(id).length).toBeLessThanOrEqual(253);
  expect(objectName(id)).not.toBe(objectName(`${id}2`));
});

test("readPlace() takes only what was written here", () => {
  const place = { location: "l", volumeID: "v", volumeType: "t", way: "asked" };
  const of = (text: string) => readPlace({ "headway.dev/snapshot": text });
  expect(of(JSON.stringify(place))).toEqual(place);
  for (const odd of ["", "null", "[]", '{"location":1}', JSON.stringify({ ...place, way: "?" })])
    expect(of(odd)).toBeUndefined();
  expect(readPlace(undefined)).toBeUndefined();
});
