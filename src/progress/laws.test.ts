import fc from "fast-check";
import { expect, test } from "vitest";
import { histories, judge } from "./conformance.ts";

test("[AG7] [OP1] [OP2] [OP3] [OP4] [OP5] ten thousand generated histories keep the laws", {
  timeout: 240_000,
}, () => {
  let [held, ended, restarts] = [0, 0, 0];
  fc.assert(
    fc.property(histories, (history) => {
      const verdict = judge(history);
      held += verdict.held;
      ended += verdict.ended;
      restarts += verdict.restarts;
      if (verdict.faults.length > 0) throw new Error(verdict.faults.join("\n"));
    }),
    { numRuns: 10_000 },
  );
  expect(Math.min(held, ended, restarts), "histories in which nothing happens prove nothing").toBeGreaterThan(
    1000,
  );
});
