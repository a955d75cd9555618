import fc from "fast-check";
import { expect, test } from "vitest";
import { NameIndex } from "./name-index.ts";

test("NameIndex knows exactly what was added, as sets of strings would", () => {
  const name = fc.oneof(fc.stringMatching(/^[a-d]{1,3}$/), fc.string({ minLength: 1, unit: "binary" }));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(4), name), { maxLength: 200 }), (items) => {
      // A lone surrogate is no name: it would not come back out of UTF-8.
      const whole = items.filter(([, one]) => one.isWellFormed());
      const index = new NameIndex();
      const sets = Array.from({ length: 5 }, () => new Set<string>());
      for (const [group, one] of whole) {
        expect(index.find(group, one) !== undefined).toBe(sets[group]?.has(one));
        expect(index.add(group, one) !== undefined).toBe(!sets[group]?.has(one));
        sets[group]?.add(one);
      }
      const got = index.byGroup(5).map((list) => [...list].map((number) => index.nameOf(number)));
      expect(got).toEqual(sets.map((set) => [...set]));
    }),
  );
});

test("NameIndex grows through a hundred thousand names", () => {
  const index = new NameIndex();
  for (let n = 0; n < 100_000; n += 1) index.add(n % 3, `name-${n}`);
  expect(index.add(1, "name-1")).toBeUndefined();
  expect(index.find(2, "name-1")).toBeUndefined();
  const number = index.find(99_999 % 3, "name-99999");
  expect(number === undefined ? undefined : index.nameOf(number)).toBe("name-99999");
  expect(index.byGroup(3).map(({ length }) => length)).toEqual([33_334, 33_333, 33_333]);
});
