import fc from "fast-check";
import { expect, test } from "vitest";
import { Tally } from "./progress.ts";

test("Tally counts the list, what comes on top, and what needs nothing", () => {
  const tally = new Tally(3);
  expect(tally.progress()).toEqual({ totalItems: 3, itemsRestored: 0 });
  tally.take();
  tally.record();
  expect(tally.progress(), "begun is not restored").toEqual({ totalItems: 3, itemsRestored: 0 });
  tally.record();
  tally.finish();
  expect(tally.progress(), "an item that another asked for").toEqual({ totalItems: 4, itemsRestored: 1 });
  tally.finish();
  tally.take();
  expect(tally.progress(), "a finished job is taken off").toEqual({ totalItems: 3, itemsRestored: 2 });
  tally.take();
  tally.record();
  tally.finish();
  expect(tally.progress()).toEqual({ totalItems: 3, itemsRestored: 3 });
});

test("Tally goes on where an earlier process was", () => {
  const tally = new Tally(5, 4);
  expect(tally.progress()).toEqual({ totalItems: 5, itemsRestored: 4 });
  for (let n = 0; n < 5; n += 1) {
    tally.take();
    tally.record();
    tally.finish();
  }
  expect(tally.progress()).toEqual({ totalItems: 5, itemsRestored: 5 });
});

test("Tally never shows more restored than there is, nor fewer than before", () => {
  const step = fc.constantFrom("listed", "extra", "nothing", "finish");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const listed = steps.filter((one) => one === "listed" || one === "nothing").length;
      const tally = new Tally(listed);
      let open = 0;
      let before = 0;
      for (const one of steps) {
        if (one === "listed" || one === "nothing") tally.take();
        if (one === "listed" || one === "extra") {
          tally.record();
          open += 1;
        }
        if (one === "finish" && open > 0) {
          tally.finish();
          open -= 1;
        }
        const { totalItems, itemsRestored } = tally.progress();
        expect(itemsRestored).toBeLessThanOrEqual(totalItems);
        expect(itemsRestored).toBeGreaterThanOrEqual(before);
        before = itemsRestored;
      }
      for (; open > 0; open -= 1) tally.finish();
      const { totalItems, itemsRestored } = tally.progress();
      expect(itemsRestored).toBe(totalItems);
    }),
  );
});
