import fc from "fast-check";
import { expect, test } from "vitest";
import { alongTrail, movementSteps, readTrail, type Trail, writeTrail } from "./trail.ts";

const noted = (trail: Trail) =>
  readTrail({ metadata: { name: "x", annotations: writeTrail(trail).annotations } });

test("alongTrail() closes what was open when the next step begins, and all of it at the end", () => {
  const taken = alongTrail({}, "taken", 10);
  const copying = alongTrail(alongTrail(taken, "ready", 20), "copy", 50);
  expect(copying).toEqual({
    taken: { since: 10, until: 20 },
    ready: { since: 20, until: 50 },
    copy: { since: 50 },
  });
  expect(alongTrail(copying, "copy", 60), "the same again is no news").toBe(copying);
  expect(alongTrail(copying, "pod", 60), "no step goes back").toBe(copying);
  expect(alongTrail(copying, undefined, 70, "failed")).toEqual({
    ...copying,
    copy: { since: 50, until: 70, end: "failed" },
  });
  expect(alongTrail({ copy: { since: 50 } }, undefined, 40), "a clock that runs back").toEqual({
    copy: { since: 50, until: 50 },
  });
});

test("readTrail() reads what writeTrail() wrote, whatever was gone through", () => {
  const walk = fc.array(fc.tuple(fc.constantFrom(...movementSteps, undefined), fc.nat(1000)));
  fc.assert(
    fc.property(walk, (steps) => {
      let nowMs = 1;
      let trail: Trail = {};
      for (const [step, ms] of steps) {
        nowMs += ms;
        trail = alongTrail(trail, step, nowMs);
      }
      expect(noted(trail)).toEqual(trail);
      const open = movementSteps.filter((step) => trail[step] && trail[step].until === undefined);
      expect(open.length).toBeLessThanOrEqual(1);
    }),
  );
});

test.each([
  ["", undefined],
  ["null", undefined],
  ["[]", undefined],
  ["7", undefined],
  [`{"copy":{"since":5},"x":"${"y".repeat(2_000)}"}`, undefined],
  ["{}", {}],
  ['{"copy":7,"pod":{"since":"5"},"claim":{"since":-1},"rm -rf":{"since":5}}', {}],
  ['{"copy":{"since":5,"until":3,"end":"fine"}}', { copy: { since: 5, until: 5 } }],
])("readTrail() of %s", (text, expected) => {
  expect(readTrail({ metadata: { name: "x", annotations: { "headway.dev/steps": text } } })).toEqual(
    expected,
  );
});
