import { expect, test } from "vitest";
import { age, duration } from "./age.ts";

const [minute, hour, day] = [60, 3600, 86_400];

test.each([
  [-5, "<invalid>"],
  [-1, "0s"],
  [0, "0s"],
  [119, "119s"],
  [2 * minute, "2m"],
  [9 * minute + 5, "9m5s"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [7 * hour + 5 * minute, "7h5m"],
  [47 * hour, "47h"],
  [3 * day + hour, "3d1h"],
  [100 * day, "100d"],
  [800 * day, "2y70d"],
  [3000 * day, "8y"],
])("duration() of %i s is %s", (seconds, words) => {
  expect(duration(seconds * 1000)).toBe(words);
});

test("age() of an unknown moment", () => {
  expect(age(undefined, 0)).toBe("<unknown>");
});
